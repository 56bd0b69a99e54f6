"""From a function to what a model is told of it."""

import enum
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from agents import RunContext, UserError, tool
from agents.tools import Tool


class Unit(enum.Enum):
    C = "celsius"
    F = "fahrenheit"


@dataclass
class Place:
    city: str
    country: str = "CH"


@tool
async def forecast(
    ctx: RunContext, place: Place, days: int, unit: Unit = Unit.C, tags: list[str] | None = None
) -> str:
    """Tell the weather.

    It knows the next days only.

    Args:
        place: where
        days (int): how many days,
            from today
        unit: of the temperature
    """
    return f"{place.city} {place.country} {days} {unit.name} {tags}"


def test_name_description_and_schema_come_from_the_function() -> None:
    assert (forecast.name, forecast.description) == (
        "forecast",
        "Tell the weather.\n\nIt knows the next days only.",
    )
    properties = forecast.parameters["properties"]
    assert list(properties) == ["place", "days", "unit", "tags"]
    assert forecast.parameters["required"] == ["place", "days"]
    assert forecast.parameters["additionalProperties"] is False
    assert properties["days"] == {"type": "integer", "description": "how many days, from today"}
    assert properties["unit"]["default"] == "celsius"
    assert "title" not in str(properties)


async def test_arguments_arrive_as_the_types_of_the_function() -> None:
    arguments = {"place": {"city": "Bern"}, "days": "3", "unit": "fahrenheit"}
    assert await forecast.invoke(RunContext("r", "c"), arguments) == "Bern CH 3 F None"


async def test_both_forms_of_the_decorator_and_plain_calls_work() -> None:
    @tool(name="other", description="Another.", repeatable=True, timeout=None, parallel=False)
    def named(word: str) -> str:
        """Not this."""
        return word

    assert (named.name, named.description, named.repeatable) == ("other", "Another.", True)
    assert (named.timeout, named.parallel) == (None, False)
    assert await named.invoke(RunContext("r", "c"), {"word": "x"}) == "x"


def test_sphinx_docstrings_and_annotations_describe_parameters_too() -> None:
    @tool
    async def look(word: str, how: Annotated[Literal["fast", "slow"], Field(description="the pace")]) -> str:
        """Look it up.

        :param word: what to
            look up
        :param str how: not read, the annotation is nearer
        :returns: what was found
        """
        return word

    assert look.description == "Look it up."
    assert look.parameters["properties"]["word"]["description"] == "what to look up"
    assert look.parameters["properties"]["how"]["enum"] == ["fast", "slow"]


def test_any_parameter_name_will_do() -> None:
    @tool
    async def odd(json: str, schema: int, copy: bool = False, model_config: str = "") -> str:
        """Names that pydantic's models would not take."""
        return ""

    assert list(odd.parameters["properties"]) == ["json", "schema", "copy", "model_config"]


def test_a_tool_without_parameters_takes_an_empty_object() -> None:
    @tool
    async def now() -> str:
        return ""

    assert now.parameters == {"additionalProperties": False, "properties": {}, "type": "object"}
    assert now.description == ""


def test_a_parameter_named_ctx_needs_no_annotation() -> None:
    @tool
    async def who(ctx) -> str:
        return str(ctx.call_id)

    assert who.parameters["properties"] == {}


def _starred(*words: str) -> str:
    return ""


def _keywords(**words: str) -> str:
    return ""


def _positional(word: str, /) -> str:
    return ""


class Handle:
    pass


def _handle(handle: Handle) -> str:
    return ""


def _unknown(word: "NotThere") -> str:  # type: ignore[name-defined]  # noqa: F821
    return ""


@pytest.mark.parametrize("function", [_starred, _keywords, _positional, _handle, _unknown])
def test_what_a_model_cannot_call_is_refused(function: Any) -> None:
    with pytest.raises(UserError):
        tool(function)


@pytest.mark.parametrize("options", [{"name": "my tool"}, {"name": ""}, {"timeout": 0}, {"max_output": 0}])
def test_odd_options_are_refused(options: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"name": "t", "description": "", "parameters": {}, "invoke": forecast.invoke}
    with pytest.raises(UserError):
        Tool(**usual | options)
