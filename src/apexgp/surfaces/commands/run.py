"""The command `apexgp run`."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import joblib
import typer

from ..._check import check_whole_number
from ..._numbers import format_size
from ...collect.curves import CurveSet
from ...collect.fit_record import FitRow, read_record
from ...collect.program import ArrayJobReader, Command, CommandTrainer, format_array_script
from ...collect.runner import run_fits
from ...collect.training import TrainingPlan
from ...design.stop_rule import StopRule
from ...errors import ApexError, DataError, RequestError
from ...files.writing import check_writable, write_text
from ...reading.known_metrics import UNNAMED
from ...reading.names import metric_name
from ...required import CONFIDENCE
from ..command import SetsArgument, build_options_vocabulary, parse_numbers, share_option
from ..curve_output import CurveOutput, print_curve
from ..recording import RecordOptions
from ..workers import show_all_warnings

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
        int, typer.Option(help="Number of splits at each size: the seeds are 0, 1, ..."), SetsArgument("n_splits")
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
        SetsArgument("direction", on_and_off=("lower", "higher")),
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
        SetsArgument("n_jobs"),
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
        SetsArgument("at"),
    ] = None,
    stop_width: Annotated[
        float | None,
        typer.Option(help="Enough means a 95 % interval of the expected score no wider than this.", show_default=False),
        SetsArgument("width"),
    ] = None,
    stop_target: Annotated[
        float | None,
        share_option(help="Enough means knowing whether the expected score reaches this one.", show_default=False),
        SetsArgument("target"),
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
    enough = _build_stop_rule(stop_at, stop_width, stop_target, confidence, metric)
    usual = _MOST_JOBS if script else 1
    slots = check_whole_number(
        "n_jobs", usual if jobs is None else joblib.cpu_count() if jobs == -1 else jobs, least=1, most=_MOST_JOBS
    )
    called = Command.parse(command, shell, env or ())
    program = CommandTrainer(
        called,
        files.out.parent / f"{files.out.stem}.output",
        slots=slots,
        timeout=None if timeout is None else _parse_seconds(timeout),
        retries=check_whole_number("retries", retries, least=0, most=1000),
        unnamed=metric[0] if metric else UNNAMED,
    )
    if script is not None:
        if gather:
            raise RequestError("--script comes before the job, --gather after it.")
        check_writable(script, files.force)
    work = TrainingPlan.build(
        program,
        parse_numbers("sizes", sizes, ","),
        splits,
        metric=metric,
        direction=None if lower_is_better is None else "lower" if lower_is_better else "higher",
        score_range=range,
        unit=unit,
        identity=called.to_settings(),
        by_split=enough is not None,
    )
    if splits > 1 and not called.has_place("seed"):
        typer.echo(f"Note: {say_unseeded(splits)}", err=True)
    done = _find_finished(files.record, work)
    if done:
        typer.echo(say_done(len(done), len(work.fits)), err=True)
    left = [fit for fit in work.fits if fit not in done]
    if dry_run:
        for size, split in left:
            typer.echo(called.to_shell_line(n=size, seed=split, out=program.output_files(size, split)[2].absolute()))
        return
    if script is not None:
        if left:
            write_text(script, format_array_script(called, program, left, slots, files.out.stem), overwrite=files.force)
        typer.echo(say_script(len(left), script))
        return
    asked_for = len(work.fits)
    if gather:
        work = _select_ended(work, ArrayJobReader(program), done)
    curves = _run_work(work, program, files, min(slots, len(work.fits)), len(done), enough)
    _print_curves(curves)
    for note in curves.notes:
        typer.echo(note)
    files.say_where(curves)
    kept.record_measured(curves)
    missing = asked_for - len(work.fits)
    if missing:
        typer.echo(say_missing(missing), err=True)
    if curves.failed:
        typer.echo(say_kept(len(curves.failed), program.folder), err=True)
    if curves.failed or missing:
        raise typer.Exit(1)


def _run_work(
    work: TrainingPlan, program: CommandTrainer, files: CurveOutput, n_jobs: int, done: int, enough: StopRule | None
) -> CurveSet:
    """Run what is left, enter each score in the record, and renew the curve with it."""
    number = done

    def print_row(row: FitRow) -> None:
        nonlocal number
        number += 1
        typer.echo(say_fit(row, number, len(work.fits)), err=True)
        if not row["error"]:
            program.discard_output(row["size"], row["split"])

    def stop(curves: CurveSet) -> str:
        reason = "" if enough is None else enough(curves)
        if reason:
            program.close()
        return reason

    # Threads: each only waits for the program that it has started.
    with show_all_warnings(), joblib.parallel_config(backend="threading"), closing(program), files.going_on():
        try:
            curves = run_fits(
                work,
                n_jobs=n_jobs,
                results=files.fits,
                progress=False,
                after=files.write,
                stop=None if enough is None else stop,
                on_row=print_row,
            )
        except DataError:
            typer.echo(say_kept(len(work.fits), program.folder), err=True)
            raise
    files.write(curves)
    return curves


def _select_ended(work: TrainingPlan, gathered: ArrayJobReader, done: set[tuple[int, int]]) -> TrainingPlan:
    """Keep the fits whose array tasks have ended."""
    ended = [fit for fit in work.fits if fit in done or gathered.find_end_file(*fit)]
    if not ended:
        raise RequestError(f"None of the {len(work.fits)} fits has finished yet. Gather once the job has.")
    return replace(work, train=gathered, fits=ended)


def _build_stop_rule(
    at: float | None, width: float | None, target: float | None, confidence: float, metric: list[str] | None
) -> StopRule | None:
    """When to stop before all is measured."""
    if at is None:
        if width is not None or target is not None:
            raise RequestError("--stop-width and --stop-target need --stop-at, the size they refer to.")
        return None
    return StopRule(at, width, target, confidence, metric=None if metric is None else metric[0])


def _print_curves(curves: CurveSet) -> None:
    for task, name in curves:
        try:
            curve = curves[task, name]
        except DataError as problem:  # no curve can be made of these numbers yet; the file has them all the same
            typer.echo(f"Note: {problem.worded_for(build_options_vocabulary(run))}", err=True)
        else:
            print_curve(curve, task, name)


def _find_finished(record: Path, work: TrainingPlan) -> set[tuple[int, int]]:
    """Fits that an earlier start has finished; whether its record can be used is checked later."""
    try:
        rows = read_record(record).finished_rows().values()
    except ApexError:  # there is none, or not a whole one
        return set()
    return {(row["size"], row["split"]) for row in rows} & set(work.fits)


def _parse_seconds(text: str) -> float:
    match = re.fullmatch(r"\s*+(\d+(?:\.\d+)?)\s*+(s|m|min|h|d)?\s*+", text)
    if match is None or not float(match[1]):
        raise RequestError(f"must be a time such as 90 (seconds), 30m or 2h, got {text!r}.", argument="timeout")
    return float(match[1]) * _SECONDS[match[2] or ""]


def say_fit(row: FitRow, number: int, total: int) -> str:
    """One fit that has just ended, and how many have, of how many."""
    which = f"[{number}/{total}] n = {format_size(row['size'])}, seed {row['split']}"
    if row["error"]:
        return f"{which}: failed, {row['error']}"
    scores = ", ".join(
        f"{metric_name(name.removeprefix('test_'))} {value:.4g}"
        for name, value in row.items()
        if name.startswith("test_") and name != "test_cases" and value is not None
    )
    return f"{which}: {scores} ({_duration(row['seconds'])})"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def say_kept(failed: int, folder: Path) -> str:
    """Where to look for what went wrong."""
    each = "the failed fit" if failed == 1 else "the failed fits"
    return f"What {each} printed is in {folder}. The same command retries {'it' if failed == 1 else 'them'} again."


def say_done(done: int, total: int) -> str:
    """How far an earlier start came."""
    return f"{done} of {total} fits are already in the record."


def say_script(left: int, script: Path) -> str:
    """Say what to do with the script of an array job."""
    if not left:
        return f"All fits are in the record; {script} was not written."
    tasks = "1 task" if left == 1 else f"{left} tasks"
    return (
        f"{script} runs {tasks}. Add what your cluster requires, then: sbatch {shlex.quote(str(script))}\nWhen the "
        "job has finished, run the same command with --gather in place of --script."
    )


def say_missing(missing: int) -> str:
    """Say how many fits of an array job are missing."""
    which = "1 fit has" if missing == 1 else f"{missing} fits have"
    return f"{which} not finished yet. Gather again later, or write another script for what is left."


def say_unseeded(splits: int) -> str:
    """Say what a command without {seed} means."""
    return f"The command has no {{seed}}: the same command runs {splits} times at every size."
