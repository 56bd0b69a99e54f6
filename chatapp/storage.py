"""How static files are kept for serving: compressed, under hashed names, which browsers keep for ever."""

from collections.abc import Iterator
from typing import Any

from servestatic.storage import CompressedManifestStaticFilesStorage

_IMPORTS = CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]  # noqa: SLF001


class StaticStorage(CompressedManifestStaticFilesStorage):
    """Also rewrites the imports of our ES modules, so that no page mixes modules of two versions."""

    support_js_module_import_aggregation = True
    # Django's pattern, for our own files: those of others have import statements in their comments.
    _js_module_import_aggregation_patterns = ("chatapp/*.js", _IMPORTS)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._urls: dict[str, str] = {}

    def url(self, name: str, force: bool = False) -> str:
        """Remembered: a page asks a hundred times, and the answer changes only with the next collection."""
        if force or name not in self._urls:
            self._urls[name] = super().url(name, force)
        return self._urls[name]

    def post_process(self, *args: Any, **kwargs: Any) -> Iterator[tuple[str, str | None, bool | Exception]]:
        self._urls.clear()
        yield from super().post_process(*args, **kwargs)
