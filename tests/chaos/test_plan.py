"""What goes wrong comes from the seed; what people say has a name."""

from random import Random

from benchmarks.chaos.messages import SHAPES, Speaker, tokens_in
from benchmarks.chaos.plan import plan_of
from tests.fakes import language


def test_a_seed_makes_the_plan_repeatable() -> None:
    arguments = (7, 60, ["web1", "web2"], ["database stalls", "Redis away"])
    assert plan_of(*arguments) == plan_of(*arguments)
    assert plan_of(*arguments) != plan_of(8, *arguments[1:])


def test_a_plan_has_as_many_kills_as_were_asked_for_on_all_processes() -> None:
    plan = plan_of(7, 60, ["web1", "web2"], [])
    assert plan.kills == 60
    assert all(len(faults) > 30 for faults in plan.of_process.values())


def test_every_shape_of_message_is_understood_and_carries_its_token() -> None:
    dice = Random(1)
    for shape, _ in SHAPES:
        for _ in range(20):
            message = shape("k0123456789z-1", dice)
            assert language.parse(message), message
            assert tokens_in(message) == {"k0123456789z"}


def test_two_people_have_two_tokens_and_no_message_comes_twice() -> None:
    one, other = Speaker(7, 0), Speaker(7, 1)
    assert one.token != other.token
    assert len({speaker.next() for speaker in (one, other) for _ in range(100)}) == 200
