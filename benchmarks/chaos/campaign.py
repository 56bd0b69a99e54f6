"""One run of the bench on one deployment: set up, disturb, calm down, check."""

from __future__ import annotations

import asyncio
import random
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chaos import checks
from benchmarks.chaos.browser import Browser
from benchmarks.chaos.calm import catch_up, come_to_rest, leave, probe, tidy
from benchmarks.chaos.deployment import Deployment
from benchmarks.chaos.faults import Injector
from benchmarks.chaos.habits import live
from benchmarks.chaos.ledger import Ledger
from benchmarks.chaos.messages import Speaker
from benchmarks.chaos.options import Options
from benchmarks.chaos.person import Person, Town
from benchmarks.chaos.plan import plan_of
from benchmarks.chaos.process import Process
from benchmarks.chaos.report import Report, report_of
from benchmarks.chaos.stored import frames_by_run, read
from benchmarks.chaos.weather import Weather
from tests.fakes.model_server import ModelServer

CATCH_UP_SECONDS = 25.0


@dataclass(slots=True)
class Scene:
    """Everything that is there while people live."""

    options: Options
    deployment: Deployment
    folder: Path
    model: ModelServer
    ledger: Ledger
    weather: Weather
    processes: list[Process]
    injector: Injector
    people: list[Person]

    @property
    def threads(self) -> list[tuple[Person, str]]:
        return [(person, thread) for person in self.people for thread in person.made]


async def campaign(options: Options, deployment: Deployment, folder: Path) -> Report:
    """Leaves no process behind. What is needed to understand a violation stays in the results."""
    started, ledger = time.monotonic(), Ledger()
    with ModelServer() as model:
        await deployment.open()
        try:
            await play(options, deployment, folder, model, ledger)
        finally:
            await deployment.close()
    report = report_of(options, deployment.name, ledger, seconds=time.monotonic() - started)
    if ledger.violations:
        report.kept = keep(folder, options.results, report.name)
    return report


async def play(
    options: Options, deployment: Deployment, folder: Path, model: ModelServer, ledger: Ledger
) -> None:
    commands = deployment.commands(folder, model.url)
    weather = Weather()
    processes = [Process(command, folder, weather=weather, ledger=ledger) for command in commands]
    names, around = [command.name for command in commands], deployment.faults_around
    plan = plan_of(options.seed, options.kills, names, around, pace=options.pace)
    injector = Injector(plan, processes, deployment, weather=weather, ledger=ledger)
    scene = Scene(options, deployment, folder, model, ledger, weather, processes, injector, [])
    try:
        await asyncio.gather(*(process.start() for process in processes))
        await gather_people(scene)
        for phase in (disturb, calm_down, check):
            began = time.monotonic()
            await phase(scene)
            ledger.count(f"seconds: {phase.__name__}", round(time.monotonic() - began))
    finally:
        await asyncio.gather(*(person.close() for person in scene.people))
        await asyncio.gather(*(process.terminate() for process in processes))
    for process in processes:
        checks.check_log(process.log, process.pauses, ledger)


async def gather_people(scene: Scene) -> None:
    town = Town(scene.ledger)
    for number in range(scene.options.people):
        speaker = Speaker(scene.options.seed, number)
        browser = Browser(
            f"person{number}",
            speaker.token,
            processes=scene.processes,
            ledger=scene.ledger,
            weather=scene.weather,
            dice=random.Random(f"{scene.options.seed}/browser/{number}"),
        )
        scene.people.append(Person(number, scene.options.seed, browser, speaker, town))
        await browser.sign_up()


async def disturb(scene: Scene) -> None:
    ended = asyncio.Event()
    lives = [asyncio.create_task(live(person, ended)) for person in scene.people]
    try:
        await scene.injector.run(scene.options.seconds)
    finally:
        ended.set()
        await asyncio.gather(*lives)


async def calm_down(scene: Scene) -> None:
    """Half of the threads are brought to an end and asked once more; the others rest as they are."""
    dice = random.Random(f"{scene.options.seed}/calm")
    await asyncio.gather(*(person.find_threads() for person in scene.people))
    seconds = scene.options.calm_seconds
    tidied = {thread for _, thread in scene.threads if dice.random() < 0.5}
    await asyncio.gather(
        *(
            tidy(person, thread, seconds) if thread in tidied else leave(person, thread, seconds)
            for person, thread in scene.threads
        )
    )
    await asyncio.gather(
        *(probe(person, thread, scene.ledger, 20) for person, thread in scene.threads if thread in tidied)
    )
    await come_to_rest(scene.deployment.database, scene.ledger, seconds)
    last = {run_id: frames[-1]["seq"] for run_id, frames in frames_by_run(scene.deployment.database)}
    await catch_up([tab for person in scene.people for tab in person.tabs], last, CATCH_UP_SECONDS)


async def check(scene: Scene) -> None:
    ledger, database = scene.ledger, scene.deployment.database
    stored = read(database)
    ledger.count("threads", len(stored.threads))
    ledger.count("runs", len(stored.runs))
    ledger.count("model requests", len(scene.model.requests))
    checks.check_messages(stored, ledger)
    checks.check_histories(stored, scene.model.refusals, ledger)
    checks.check_rest(stored, ledger)
    effects = checks.effects_in(scene.folder / "effects")
    ledger.count("tool effects", len(effects))
    checks.check_effects(effects, ledger)
    texts = checks.check_frames(database, stored, ledger)
    tabs = [tab for person in scene.people for tab in person.tabs]
    checks.check_screens(tabs, texts, stored, ledger)
    for person, thread in scene.threads:
        await person.look(f"/threads/{thread}/")
    if ledger.violations:
        await asyncio.to_thread(database.save, scene.folder)


def keep(folder: Path, results: Path, name: str) -> Path:
    """What is needed to look into a violation."""
    kept = results / name
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(folder, kept, ignore=shutil.ignore_patterns("var"))
    return kept
