"""Worker processes: answers, deadlines, deaths, and slow kinds that leave a worker to the others."""

import asyncio
import os
import signal
import sys
import time

import pytest

from apexgp.question_base.column_settings import ColumnSettings
from apexgp.surfaces.web import pool as pool_module
from apexgp.surfaces.web.pool import BusyError, TookTooLongError, WorkerDiedError, WorkerPool
from apexgp.surfaces.web.reading import Upload

pytestmark = pytest.mark.slow  # processes start


def work(request):
    """What a worker does in these tests."""
    kind, value = request
    if kind == "sleep":
        time.sleep(value)
    if kind == "fill":
        bytearray(value)
    if kind == "die":
        os._exit(3)
    return kind, value, os.getpid()


SECONDS = 1.0  # that an answer may take


@pytest.fixture(scope="module")
def runner():
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def pool(runner):
    """Two processes that all tests share; one that is ended gets a successor."""

    async def make():
        return WorkerPool(work, 2, SECONDS, most_waiting=3)

    pool = runner.run(make())
    yield pool
    pool.close()


async def in_time(pool, value):
    """An answer that needs no time."""
    return (await pool.answer(("echo", value)))[1]


async def both_begun(pool):
    """Wait until no process is still starting: the numbers of both."""
    return {pid for *_, pid in await asyncio.gather(*(pool.answer(("sleep", 0.1)) for _ in range(2)))}


def test_answers_come_from_other_processes(runner, pool):
    async def scene():
        return await asyncio.gather(*(pool.answer(("echo", i)) for i in range(3)))

    found = runner.run(scene())
    assert [value for _, value, _ in found] == [0, 1, 2]
    assert os.getpid() not in {pid for *_, pid in found}


def test_what_takes_too_long_is_ended_and_its_place_taken(runner, pool):
    async def scene():
        found = await asyncio.gather(pool.answer(("sleep", 600)), pool.answer(("die", 0)), return_exceptions=True)
        # Both have successors: as many as wanted are answered.
        return found, [await in_time(pool, i) for i in range(4)]

    (late, dead), after = runner.run(scene())
    assert isinstance(late, TookTooLongError)
    assert isinstance(dead, WorkerDiedError)
    assert after == [0, 1, 2, 3]


def test_nobody_waits_for_a_successor_to_begin_while_another_is_free(runner, pool):
    async def scene():
        begun = await both_begun(pool)
        with pytest.raises(WorkerDiedError):
            await pool.answer(("die", 0))
        return begun, {(await pool.answer(("echo", i)))[2] for i in range(3)}

    begun, found = runner.run(scene())
    assert found < begun


def test_slow_kinds_leave_a_worker_to_the_others(runner, pool):
    async def scene():
        await both_begun(pool)
        slow = [asyncio.ensure_future(pool.answer(("sleep", 600), slow=True)) for _ in range(3)]
        await asyncio.sleep(0)
        quick = [await in_time(pool, i) for i in range(3)]
        done = [one.done() for one in slow]
        for one in slow[1:]:
            one.cancel()
        return quick, done, await asyncio.gather(*slow, return_exceptions=True)

    quick, done, found = runner.run(scene())
    assert quick == [0, 1, 2]
    assert not any(done)
    assert isinstance(found[0], TookTooLongError)


def test_too_many_are_turned_away(runner, pool):
    async def scene():
        asked = [asyncio.ensure_future(in_time(pool, i)) for i in range(7)]
        return await asyncio.gather(*asked, return_exceptions=True)

    found = runner.run(scene())
    answered = [one for one in found if isinstance(one, int)]
    assert answered == sorted(answered)
    assert any(isinstance(one, BusyError) for one in found)
    assert runner.run(in_time(pool, 8)) == 8


def test_a_cancelled_request_ends_its_worker_and_no_other(runner, pool, monkeypatch):
    monkeypatch.setattr(pool, "_seconds", 600)

    async def scene():
        begun = await both_begun(pool)
        asked = asyncio.ensure_future(pool.answer(("sleep", 600)))
        while pool._idle.qsize() == 2:
            await asyncio.sleep(0.01)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        return begun, await both_begun(pool)

    begun, after = runner.run(scene())
    assert len(begun & after) == 1


def test_what_nobody_waits_for_is_not_done(runner, pool):
    async def gone():
        return False

    assert runner.run(pool.answer(("die", 0), wanted=gone)) is None


def test_a_worker_that_died_idle_costs_nobody_an_answer(runner, pool):
    async def scene():
        for pid in await both_begun(pool):
            os.kill(pid, signal.SIGKILL)
        return await asyncio.gather(*(in_time(pool, i) for i in range(2)))

    assert runner.run(scene()) == [0, 1]


def test_a_process_that_does_not_begin_is_not_waited_for_without_end(monkeypatch):
    monkeypatch.setattr(pool_module, "_SECONDS_TO_BEGIN", 0.0)
    worker = pool_module._Worker(work)
    try:
        with pytest.raises(TookTooLongError):
            worker.answer(("echo", 1), SECONDS)
        assert not worker.ready
    finally:
        worker.end()


@pytest.mark.skipif(sys.platform != "linux", reason="bounds of memory are known on Linux")
def test_endless_memory_ends_the_worker_and_nothing_else(runner, pool, capfd):
    async def scene():
        with pytest.raises(WorkerDiedError):
            await pool.answer(("fill", 2**36))
        return await in_time(pool, 1)

    assert runner.run(scene()) == 1
    assert capfd.readouterr().err == ""


def test_workbooks_leave_a_worker_to_others():
    assert Upload(b"PK\x03\x04", ColumnSettings()).is_workbook
    assert not Upload(b"size,score", ColumnSettings()).is_workbook
