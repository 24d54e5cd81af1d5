"""The server is killed at random moments: what it acknowledged is in the file, and nothing else is broken."""

from __future__ import annotations

import http.client
import random
import signal
import threading
import time
from typing import TYPE_CHECKING, TypeAlias

import pytest

from carob.judging.journal import Journal
from carob.judging.task import assigned, read_task
from judging.desk import Desk, write_files

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("served")

State: TypeAlias = "dict[int, int]"
KILLS = 50


class Clicker(threading.Thread):
    """A judge who never rests: judges, changes and withdraws, and remembers what was acknowledged.

    Args:
        served: the server.
        state: the acknowledged grades by number, which this thread changes.
        count: the number of documents.
        chance: the source of the choices.
    """

    def __init__(self, served: Desk, state: State, count: int, chance: random.Random) -> None:
        super().__init__()
        self.served, self.state, self.count, self.chance = served, state, count, chance
        self.acknowledged = 0
        self.possible = dict(state)
        """The state if the request that was not answered has been carried out."""

    def run(self) -> None:
        while True:
            choice = self.chance.random()
            after = dict(self.state)
            try:
                if choice < 0.1:
                    if self.state:
                        self.possible = {k: v for k, v in self.state.items() if k != last(self.state)}
                    status, found = self.served.ask("POST", "withdrawals", {})
                    if found["item"] is not None:
                        del after[found["item"]]
                else:
                    open_ = [number for number in range(self.count) if number not in self.state]
                    known = list(self.state)
                    number = self.chance.choice(known if known and (choice < 0.25 or not open_) else open_)
                    grade = self.chance.randrange(4)
                    after.pop(number, None) if after.get(number) != grade else None
                    after[number] = grade
                    self.possible = dict(after)
                    status, found = self.served.ask("POST", "judgments", {"item": number, "grade": grade})
            except (OSError, http.client.HTTPException):
                return
            assert status == 200, found
            self.state.clear()
            self.state.update(after)
            self.acknowledged += 1


def last(state: State) -> int:
    return next(reversed(state))


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["judged.csv", "judged.qrels"])
def test_nothing_acknowledged_is_lost_when_the_server_is_killed(name: str, tmp_path: Path) -> None:
    write_files(
        tmp_path,
        {f"q{number}": "query" for number in range(20)},
        {f"d{number}": "text" for number in range(100)},
    )
    task = read_task(str(tmp_path / "pairs.csv"))
    order = assigned(task)
    chance, state, acknowledged = random.Random(name), {}, 0
    for kill in range(KILLS // 2):  # twice, for both forms of the file
        served = Desk(tmp_path, "-o", name)
        assert served.address, served.stop()
        clicker = Clicker(served, state, len(order), chance)
        clicker.start()
        time.sleep(chance.uniform(0, 0.4))
        served.stop(signal.SIGKILL)
        clicker.join(60)
        assert not clicker.is_alive()
        acknowledged += clicker.acknowledged
        with Journal(str(tmp_path / name), task) as journal:
            numbers = {place: number for number, place in enumerate(order)}
            found = {numbers[place]: int(each.grade) for place, each in journal.judgments.items()}
        assert found in (state, clicker.possible), f"kill {kill}"
        state = found
    assert acknowledged  # how many, depends on what else the machine does
