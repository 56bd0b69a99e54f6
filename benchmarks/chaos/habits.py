"""What people do next: drawn from their dice, as far as there is something to do it with."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from benchmarks.chaos.browser import Lost
from benchmarks.chaos.person import Person
from benchmarks.chaos.tab import Tab

MOST_THREADS = 4
MOST_TABS = 6
AT_ONCE = 4

Habit = Callable[[Person, str], Awaitable[None]]


async def live(person: Person, ended: asyncio.Event) -> None:
    """Until it is ended: what has begun by then is brought to its end."""
    begun: set[asyncio.Task[None]] = set()
    room = asyncio.Semaphore(AT_ONCE)
    await do(person, start_thread, "")
    while not ended.is_set():
        habits, weights = zip(*HABITS, strict=True)
        habit: Habit = person.dice.choices(habits, weights)[0]
        thread = person.dice.choice(person.threads) if person.threads else ""
        await room.acquire()
        task = asyncio.create_task(do(person, habit if thread else start_thread, thread))
        begun.add(task)
        task.add_done_callback(begun.discard)
        task.add_done_callback(lambda _: room.release())
        with suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), person.dice.expovariate(2.2))
    await asyncio.gather(*begun)


async def do(person: Person, habit: Habit, thread: str) -> None:
    with suppress(Lost):
        await habit(person, thread)


async def start_thread(person: Person, thread: str) -> None:
    if len(person.threads) < MOST_THREADS:
        await person.new_thread(clicks=person.dice.choice((1, 1, 1, 3)))
    elif person.dice.random() < 0.15:
        await person.delete(thread)


async def send(person: Person, thread: str) -> None:
    await person.send(thread)


async def send_with_double_click(person: Person, thread: str) -> None:
    await person.send(thread, clicks=2)


async def send_with_many_clicks(person: Person, thread: str) -> None:
    await person.send(thread, clicks=50)


async def send_burst(person: Person, thread: str) -> None:
    """Several messages, the next before the answer to the one before."""
    for _ in range(person.dice.randint(2, 4)):
        await person.send(thread)


async def send_again(person: Person, thread: str) -> None:
    mine = person.commands
    if mine:
        await person.send_again(person.dice.choice(mine[-20:]))


async def stop(person: Person, thread: str) -> None:
    await asyncio.gather(*(person.stop(thread) for _ in range(person.dice.choice((1, 1, 2, 10)))))


async def edit(person: Person, thread: str) -> None:
    refs = await _refs(person, thread)
    if refs:
        await person.edit(thread, person.dice.choice(refs[-4:]), clicks=person.dice.choice((1, 1, 2)))


async def regenerate(person: Person, thread: str) -> None:
    await person.regenerate(thread, clicks=person.dice.choice((1, 1, 2)))


async def regenerate_in_two_tabs(person: Person, thread: str) -> None:
    await asyncio.gather(person.regenerate(thread), person.regenerate(thread))


async def resume(person: Person, thread: str) -> None:
    clicks = person.dice.choice((1, 1, 2, 50))
    await asyncio.gather(*(person.recover(thread, "resume") for _ in range(clicks)))


async def keep(person: Person, thread: str) -> None:
    await person.recover(thread, "keep")


async def discard(person: Person, thread: str) -> None:
    await asyncio.gather(*(person.recover(thread, "discard") for _ in range(person.dice.choice((1, 2)))))


async def decide_twice(person: Person, thread: str) -> None:
    """Two tabs, two opinions."""
    first, second = person.dice.sample(("resume", "keep", "discard"), 2)
    await asyncio.gather(person.recover(thread, first), person.recover(thread, second))


async def go_on(person: Person, thread: str) -> None:
    await person.go_on(thread)


async def change_queue(person: Person, thread: str) -> None:
    exported = await person.export(thread)
    waiting = exported["queue"]["messages"] if exported else []
    if not waiting:
        return
    message = person.dice.choice(waiting)
    change = person.dice.choice((person.withdraw, person.reword, person.reword))
    await change(thread, message)


async def open_tab(person: Person, thread: str) -> None:
    if len(person.tabs) < MOST_TABS:
        person.open_tab(thread)


async def close_tab(person: Person, thread: str) -> None:
    if len(person.tabs) > 2:
        await person.close_tab(person.dice.choice(person.tabs))


async def shake_tab(person: Person, thread: str) -> None:
    if person.tabs:
        tab = person.dice.choice(person.tabs)
        act = person.dice.choice((Tab.reload, Tab.reload, Tab.reconnect, Tab.forget, Tab.ask))
        await act(tab)


async def dawdle(person: Person, thread: str) -> None:
    if person.tabs:
        person.dice.choice(person.tabs).dawdle(person.dice.uniform(1, 5))


async def look_around(person: Person, thread: str) -> None:
    path = person.dice.choice(("/", f"/threads/{thread}/", "/sidebar/", f"/threads/{thread}/export.md"))
    await person.look(path)


async def peek(person: Person, thread: str) -> None:
    await person.peek()


async def _refs(person: Person, thread: str) -> list[str]:
    exported = await person.export(thread)
    if exported is None:
        return []
    runs = [*exported["segments"], *([exported["in_flight"]] if exported["in_flight"] else [])]
    return [f"{run['run_id']}:0" for run in runs]


HABITS: tuple[tuple[Habit, int], ...] = (
    (start_thread, 5),
    (send, 26),
    (send_with_double_click, 4),
    (send_with_many_clicks, 1),
    (send_burst, 4),
    (send_again, 3),
    (stop, 9),
    (edit, 6),
    (regenerate, 5),
    (regenerate_in_two_tabs, 1),
    (resume, 14),
    (keep, 4),
    (discard, 3),
    (decide_twice, 2),
    (go_on, 8),
    (change_queue, 6),
    (open_tab, 5),
    (close_tab, 3),
    (shake_tab, 14),
    (dawdle, 3),
    (look_around, 6),
    (peek, 2),
)
