"""Processes that are forked while another thread works: none waits for a lock that nobody holds in it."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import TYPE_CHECKING

import pytest

import carob
from carob._cached import cached_property

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning", "ignore:.*fork:RuntimeWarning"),
]


def forked(work: Callable[[], object], within: float = 20.0) -> int:
    """The exit status of a child that does the work, or -1 for one that does not end."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    until = time.monotonic() + within
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


class Slow:
    """Something whose value takes long."""

    def __init__(self, begun: threading.Event, go_on: threading.Event) -> None:
        self.begun, self.go_on = begun, go_on

    @cached_property
    def value(self) -> int:
        """The value."""
        self.begun.set()
        self.go_on.wait(30)
        return 7


def test_a_child_computes_what_a_thread_of_its_parent_is_computing() -> None:
    begun, go_on, free = threading.Event(), threading.Event(), threading.Event()
    free.set()
    slow, other = Slow(begun, go_on), Slow(threading.Event(), free)
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    try:
        assert begun.wait(30)
        assert forked(lambda: other.value) == 0
    finally:
        go_on.set()
        thread.join()
    assert slow.value == other.value == 7


def test_it_is_computed_once() -> None:
    class Counted:
        count = 0

        @cached_property
        def value(self) -> int:
            """Says how often."""
            self.count += 1
            return self.count

    counted = Counted()
    assert (counted.value, counted.value) == (1, 1)
    assert vars(counted)["value"] == 1
    assert Counted.value.__doc__ == "Says how often."


def test_children_evaluate_while_a_thread_evaluates() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    carob.evaluate(
        qrels, run, "AP"
    )  # Python itself waits for a module that another thread was importing at the fork
    ended = threading.Event()

    def at_work() -> None:
        while not ended.is_set():
            carob.evaluate(qrels, run, ["AP", "nDCG(gain=exp2)@10"])

    thread = threading.Thread(target=at_work)
    thread.start()
    try:
        found = [forked(lambda: carob.evaluate(qrels, run, ["AP", "nDCG@5"])) for _ in range(5)]
    finally:
        ended.set()
        thread.join()
    assert found == [0] * 5
