"""The command `apexgp run`."""

from __future__ import annotations

import os
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import joblib
import typer

from ..._check import check_whole_number
from ...answers.required import CONFIDENCE
from ...collect.curves import CurveSet
from ...collect.program import Command, Program
from ...collect.results import FitRow, read_record
from ...collect.runner import carried_out
from ...collect.slurm import Gathered, array_script
from ...collect.training import Training
from ...design.stop_rule import StopRule
from ...errors import ApexError, DataError, RequestError
from ...files.writing import check_writable, write_text
from ...reading.known_metrics import UNNAMED
from ..command import Sets, options_of
from ..curve_file import direction_from_flag
from ..curve_output import CurveOutput
from ..options import numbers_in, share_option
from ..output import print_table
from ..recording import RecordOptions
from ..tables import curve_table
from ..words.collect import curve_title, written_sentence
from ..words.run import (
    done_sentence,
    fit_line,
    kept_sentence,
    missing_sentence,
    script_sentence,
    unseeded_sentence,
)
from ..workers import all_warnings

__all__ = ["run"]

_MOST_JOBS = 1000  # each has a thread that waits for it
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}


def run(
    *,
    command: Annotated[
        str,
        typer.Argument(
            help="Command that trains and prints its score, in quotes: {n} is the number of training examples, {seed} "
            "the seed, {out} a file to write the score to instead of printing it, {slot} the number of its place "
            "among --jobs."
        ),
    ],
    sizes: Annotated[str, typer.Option(help="Training-set sizes separated by commas.")],
    splits: Annotated[
        int, typer.Option(help="Number of splits at each size: the seeds are 0, 1, ..."), Sets("n_splits")
    ] = 3,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            help="Name of the score, or which numbers of a JSON object are scores. Repeat for several.",
            show_default="those named like metrics, or all",
        ),
    ] = None,
    lower_is_better: Annotated[
        bool | None,
        typer.Option(
            "--lower-is-better/--higher-is-better",
            help="Which scores are better, whatever they are called.",
            show_default="as their names say",
        ),
        Sets("direction", on_and_off=("lower", "higher")),
    ] = None,
    range: Annotated[
        str | None,
        typer.Option(
            help="The lowest and the highest possible score, such as 0,inf for a loss, -1,1 or 0,100.",
            show_default="what the names say, or 0,1",
        ),
    ] = None,
    unit: Annotated[str, typer.Option(help="What a size counts: patients, images.")] = "rows",
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of commands to run at the same time; -1 is one per core.",
            show_default="1; all in a job of --script",
        ),
        Sets("n_jobs"),
    ] = None,
    timeout: Annotated[
        str | None,
        typer.Option(help="Stop a command after this long: 90, 30m or 2h.", show_default="never"),
    ] = None,
    retries: Annotated[int, typer.Option(help="How many times to retry a failed command immediately.")] = 0,
    env: Annotated[
        list[str] | None,
        typer.Option(
            help="Environment variable for the command, such as CUDA_VISIBLE_DEVICES={slot}. Repeat for several.",
            show_default=False,
        ),
    ] = None,
    shell: Annotated[bool, typer.Option("--shell", help="Run the command in a shell.")] = False,
    stop_at: Annotated[
        float | None,
        typer.Option(
            help="Stop early, once enough is known about the score at this size: see --stop-width and --stop-target.",
            show_default=False,
        ),
        Sets("at"),
    ] = None,
    stop_width: Annotated[
        float | None,
        typer.Option(help="Enough means a 95 % interval of the expected score no wider than this.", show_default=False),
        Sets("width"),
    ] = None,
    stop_target: Annotated[
        float | None,
        share_option(help="Enough means knowing whether the expected score reaches this one.", show_default=False),
        Sets("target"),
    ] = None,
    confidence: Annotated[float, share_option(help="Probability with which it should be known.")] = CONFIDENCE,
    script: Annotated[
        Path | None,
        typer.Option(
            help="Run nothing; write the script of a Slurm array job to this file.",
            show_default=False,
        ),
    ] = None,
    gather: Annotated[bool, typer.Option("--gather", help="Run nothing; collect the results of such a job.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list the commands that would be run.")] = False,
    kept: RecordOptions,
    files: CurveOutput,
) -> None:
    """Measure a pilot curve with any training program: run it at every size and seed, and record its scores.

    The score is the last JSON object that the program prints (its keys name the metrics), or else the last number.
    """
    if os.name != "posix":
        raise RequestError(
            "apexgp run needs the process groups of Linux or macOS. In Python, collect_scores works with any function."
        )
    kept.check_name()
    enough = _enough(stop_at, stop_width, stop_target, confidence, metric)
    usual = _MOST_JOBS if script else 1
    slots = check_whole_number(
        "n_jobs", usual if jobs is None else joblib.cpu_count() if jobs == -1 else jobs, least=1, most=_MOST_JOBS
    )
    called = Command.checked(command, shell, env or ())
    program = Program(
        called,
        files.out.parent / f"{files.out.stem}.output",
        slots=slots,
        timeout=None if timeout is None else _seconds(timeout),
        retries=check_whole_number("retries", retries, least=0, most=1000),
        unnamed=metric[0] if metric else UNNAMED,
    )
    if script is not None:
        if gather:
            raise RequestError("--script comes before the job, --gather after it.")
        check_writable(script, files.force)
    work = Training.planned(
        program,
        numbers_in("sizes", sizes, ","),
        splits,
        metric=metric,
        direction=direction_from_flag(lower_is_better),
        between=range,
        unit=unit,
        identity=called.identity(),
        by_split=enough is not None,
    )
    if splits > 1 and not called.names("seed"):
        typer.echo(f"Note: {unseeded_sentence(splits)}", err=True)
    done = _finished(files.record, work)
    if done:
        typer.echo(done_sentence(len(done), len(work.fits)), err=True)
    left = [fit for fit in work.fits if fit not in done]
    if dry_run:
        for size, split in left:
            typer.echo(called.typed(n=size, seed=split, out=program.files(size, split)[2].absolute()))
        return
    if script is not None:
        if left:
            write_text(script, array_script(called, program, left, slots, files.out.stem), overwrite=files.force)
        typer.echo(script_sentence(len(left), script))
        return
    asked_for = len(work.fits)
    if gather:
        work = _of_what_ended(work, Gathered(program), done)
    curves = _measured(work, program, files, min(slots, len(work.fits)), len(done), enough)
    _print(curves)
    for note in curves.notes:
        typer.echo(note)
    typer.echo(f"\n{written_sentence(curves, files.out, files.record)}")
    kept.measured(curves)
    missing = asked_for - len(work.fits)
    if missing:
        typer.echo(missing_sentence(missing), err=True)
    if curves.failed:
        typer.echo(kept_sentence(len(curves.failed), program.folder), err=True)
    if curves.failed or missing:
        raise typer.Exit(1)


def _measured(
    work: Training, program: Program, files: CurveOutput, n_jobs: int, done: int, enough: StopRule | None
) -> CurveSet:
    """Run what is left, enter each score in the record, and renew the curve with it."""
    number = done

    def told(row: FitRow) -> None:
        nonlocal number
        number += 1
        typer.echo(fit_line(row, number, len(work.fits)), err=True)
        if not row["error"]:
            program.discard(row["size"], row["split"])

    def stop(curves: CurveSet) -> str:
        reason = "" if enough is None else enough(curves)
        if reason:
            program.close()
        return reason

    # Threads: each only waits for the program that it has started.
    with all_warnings(), joblib.parallel_config(backend="threading"), closing(program), files.going_on():
        try:
            curves = carried_out(
                work,
                n_jobs=n_jobs,
                results=files.fits,
                progress=False,
                after=files.write,
                stop=None if enough is None else stop,
                told=told,
            )
        except DataError:
            typer.echo(kept_sentence(len(work.fits), program.folder), err=True)
            raise
    files.write(curves)
    return curves


def _of_what_ended(work: Training, gathered: Gathered, done: set[tuple[int, int]]) -> Training:
    """The same work, of the fits whose tasks have ended."""
    ended = [fit for fit in work.fits if fit in done or gathered.ended(*fit)]
    if not ended:
        raise RequestError(f"None of the {len(work.fits)} fits has finished yet. Gather once the job has.")
    return replace(work, train=gathered, fits=ended)


def _enough(
    at: float | None, width: float | None, target: float | None, confidence: float, metric: list[str] | None
) -> StopRule | None:
    """When to stop before all is measured."""
    if at is None:
        if width is not None or target is not None:
            raise RequestError("--stop-width and --stop-target need --stop-at, the size they refer to.")
        return None
    return StopRule(at, width, target, confidence, metric=None if metric is None else metric[0])


def _print(curves: CurveSet) -> None:
    for task, name in curves:
        try:
            table = curve_table(curves[task, name])
        except DataError as problem:  # no curve can be made of these numbers yet; the file has them all the same
            typer.echo(f"Note: {problem.worded_for(options_of(run))}", err=True)
        else:
            print_table(*table, title=curve_title(task, name))


def _finished(record: Path, work: Training) -> set[tuple[int, int]]:
    """What an earlier start has finished, of what is asked for; whether its record will do is seen later."""
    try:
        rows = read_record(record).finished().values()
    except ApexError:  # there is none, or not a whole one
        return set()
    return {(row["size"], row["split"]) for row in rows} & set(work.fits)


def _seconds(text: str) -> float:
    match = re.fullmatch(r"\s*+(\d+(?:\.\d+)?)\s*+(s|m|min|h|d)?\s*+", text)
    if match is None or not float(match[1]):
        raise RequestError(f"must be a time such as 90 (seconds), 30m or 2h, got {text!r}.", argument="timeout")
    return float(match[1]) * _SECONDS[match[2] or ""]
