"""From a function's signature to a JSON schema, and from a model's arguments to the function's. Pydantic does
the typing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NotRequired, get_type_hints

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict

from agents.errors import ToolError, UserError
from agents.tools.docstring import read_docstring


class _PlainSchema(GenerateJsonSchema):
    """Without the titles that only repeat the names: every request to a model carries this."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Signature:
    """What a function takes. `context` is the name of the parameter that gets the RunContext."""

    parameters: JsonSchemaValue
    description: str
    context: str | None
    adapter: TypeAdapter[Any]

    def bind(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the call, converted to the types of the function; ToolError says what
        does not fit."""
        try:
            return dict(self.adapter.validate_python(dict(arguments)))
        except ValidationError as error:
            raise ToolError(f"The arguments do not fit. {describe_misfit(error)}") from error


def read_signature(function: Callable[..., Any], context_type: type) -> Signature:
    description, texts = read_docstring(function)
    hints = _hints(function)
    parameters = inspect.signature(function).parameters
    context = _context_name(parameters, hints, context_type)
    wanted = {name: parameter for name, parameter in parameters.items() if name != context}
    fields = {name: _field(wanted[name], hints.get(name, Any), texts.get(name)) for name in wanted}
    adapter = _adapter(function, fields)
    return Signature(_schema(adapter, wanted), description, context, adapter)


def schema_of(adapter: TypeAdapter[Any]) -> JsonSchemaValue:
    schema = adapter.json_schema(schema_generator=_PlainSchema)
    schema.pop("title", None)
    return schema


def describe_misfit(error: ValidationError) -> str:
    """One sentence per fault, in words that a model can act on."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    return " ".join(f"{'.'.join(map(str, fault['loc'])) or 'value'}: {fault['msg']}." for fault in faults)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:
        raise UserError(
            f"The type hints of tool {function.__name__!r} cannot be read: {error}.",
            hint="Import its types at the top of the module, not under TYPE_CHECKING.",
        ) from error


def _context_name(
    parameters: Mapping[str, inspect.Parameter], hints: Mapping[str, Any], context_type: type
) -> str | None:
    for name in parameters:
        if hints.get(name) is context_type or (name == "ctx" and name not in hints):
            return name
    return None


def _field(parameter: inspect.Parameter, hint: Any, text: str | None) -> Any:
    if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD and parameter.kind is not parameter.KEYWORD_ONLY:
        raise UserError(f"A tool takes named parameters only; {parameter} is not one.")
    annotation = Annotated[hint, Field(description=text)] if text else hint
    return annotation if parameter.default is parameter.empty else NotRequired[annotation]


def _adapter(function: Callable[..., Any], fields: dict[str, Any]) -> TypeAdapter[Any]:
    # A TypedDict, not a model: a key may have any name, and a missing one leaves the function's own default.
    make_shape: Any = TypedDict
    shape = with_config(ConfigDict(extra="forbid"))(make_shape("Arguments", fields))
    try:
        return TypeAdapter(shape)
    except PydanticUserError as error:
        raise UserError(
            f"Tool {function.__name__!r} has a parameter that JSON cannot carry: {error}"
        ) from error


def _schema(adapter: TypeAdapter[Any], parameters: Mapping[str, inspect.Parameter]) -> JsonSchemaValue:
    schema = schema_of(adapter)
    schema.setdefault("properties", {})
    for name, parameter in parameters.items():
        if parameter.default is not parameter.empty and parameter.default is not None:
            schema["properties"][name]["default"] = to_jsonable_python(parameter.default, fallback=str)
    return schema
