"""How static files are kept for serving: compressed, under hashed names, which browsers keep for ever."""

from servestatic.storage import CompressedManifestStaticFilesStorage

_IMPORTS = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]  # noqa: SLF001


class StaticStorage(CompressedManifestStaticFilesStorage):
    """Also rewrites the imports of our ES modules, so that no page mixes modules of two versions."""

    support_js_module_import_aggregation = True
    # Django's pattern, for our own files: those of others have import statements in their comments.
    _js_module_import_aggregation_patterns = ("chatapp/*.js", _IMPORTS)
