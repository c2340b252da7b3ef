"""Which forecasts count, what they are compared with, and how often intervals of a known law cover."""

from dataclasses import replace

import numpy as np
import pytest
from recorded import forecast_line, measured_line
from scipy import stats

from apexgp import LearningCurve
from apexgp.errors import DataError
from apexgp.questions.record import say_reliability
from apexgp.track_record.lines import JUDGED_LEVELS, merge_curves
from apexgp.track_record.reliability import compare_forecasts, measure_reliability


def counts(*lines):
    found = compare_forecasts(lines)
    return len(found.compared), found.waiting, found.known, found.unlike


def test_a_forecast_is_compared_with_what_is_recorded_after_it():
    (one,) = compare_forecasts([forecast_line(sizes=(400, 800)), measured_line(scores=(0.72,))]).compared
    assert (one.size, one.times, one.measured, one.n_splits) == (400, 2, 0.72, 1)
    assert (one.task, one.metric, one.unit, one.date) == ("liver", "AUROC", "examples", "2026-11-17")
    assert one.median == pytest.approx(0.7)
    assert one.pit == pytest.approx(0.6)  # of an even distribution from 0.6 to 0.8
    assert (one.lower_80, one.upper_80) == pytest.approx((0.62, 0.78))
    assert one.covered == (True, True, True, True)
    assert counts(forecast_line(sizes=(400, 800)), measured_line()) == (1, 1, 0, 0)


def test_what_was_known_is_not_a_forecast():
    assert counts(measured_line(), forecast_line()) == (0, 0, 1, 0)  # recorded before it
    assert counts(measured_line(), forecast_line(), measured_line(scores=(0.71,))) == (0, 0, 1, 0)
    assert counts(forecast_line(sizes=(200,)), measured_line(sizes=(200,))) == (0, 0, 1, 0)  # the pilot has it
    assert counts(forecast_line(sizes=(150,)), measured_line(sizes=(150,))) == (0, 0, 1, 0)  # within the pilot
    assert counts(measured_line(sizes=(800,)), forecast_line(), measured_line()) == (1, 0, 0, 0)  # another size


def test_the_pilot_of_a_later_forecast_is_an_outcome_too():
    later = forecast_line(sizes=(800,))
    longer = measured_line(sizes=(50, 100, 200, 400), scores=(0.6, 0.65, 0.7, 0.75)).curve
    object.__setattr__(later, "curve", longer)
    (one,) = compare_forecasts([forecast_line(), later]).compared
    assert (one.size, one.measured) == (400, 0.75)


@pytest.mark.parametrize("other", [{"task": "lung"}, {"metric": "accuracy"}, {"unit": "patients"}])
def test_other_curves_do_not_match(other):
    assert counts(forecast_line(), measured_line(**other)) == (0, 1, 0, 0)


def test_the_same_forecast_counts_once_whatever_stands_beside_it():
    lines = [forecast_line(sizes=(400,)), forecast_line(sizes=(400, 800)), measured_line()]
    assert counts(*lines) == (1, 1, 0, 0)
    assert counts(forecast_line(), forecast_line(between=(0.5, 0.9)), measured_line()) == (2, 0, 0, 0)


def test_a_size_measured_again_has_the_last_scores():
    (one,) = compare_forecasts([forecast_line(), measured_line(scores=(0.7,)), measured_line(scores=(0.9,))]).compared
    assert (one.measured, one.covered) == (0.9, (False, False, False, False))


def test_a_mean_is_compared_over_as_many_splits_as_were_forecast():
    line = forecast_line(splits=3, single=(0.5, 0.9))
    (one,) = compare_forecasts([line, measured_line(sizes=[400] * 4, scores=[0.7, 0.7, 0.73, 0.1])]).compared
    assert (one.n_splits, one.measured, one.pit) == (3, pytest.approx(0.71), pytest.approx(0.55))
    (one,) = compare_forecasts([line, measured_line(sizes=[400] * 2, scores=[0.7, 0.1])]).compared
    assert (one.n_splits, one.measured, one.lower_80) == (1, 0.7, pytest.approx(0.54))  # of a single split


def test_own_splits_are_compared_with_themselves():
    line = forecast_line(of="same_splits", splits=2)
    (one,) = compare_forecasts(
        [line, measured_line(sizes=[400] * 3, scores=[0.7, 0.74, 0.1], split=[1, 0, 7])]
    ).compared
    assert (one.n_splits, one.measured) == (2, pytest.approx(0.72))
    assert counts(line, measured_line(sizes=[400] * 2, scores=[0.7, 0.7], split=[0, 7])) == (0, 0, 0, 1)
    assert counts(line, measured_line()) == (0, 0, 0, 1)  # without labels
    assert counts(forecast_line(), measured_line(averaged_over=5)) == (0, 0, 0, 1)


def test_merged_curves_keep_the_number_of_features_that_any_part_knows():
    known = LearningCurve([50, 100], [0.6, 0.7], n_features=7, n_classes=3)
    later = LearningCurve([400], [0.8])
    merged = merge_curves([known, later])
    assert (merged.n_features, merged.n_classes) == (7, 3)
    assert merge_curves([known, replace(later, n_features=8, n_classes=3)]).n_features is None


def test_lines_that_contradict_each_other_are_refused():
    with pytest.raises(DataError, match=r"liver \(AUROC\) has scores with direction='lower'"):
        compare_forecasts([forecast_line(), measured_line(direction="lower")])


@pytest.mark.slow
def test_shares_and_their_intervals_are_those_of_the_binomial():
    count = 80  # so many scores, spread evenly over what was forecast: shares are the levels themselves
    scores = 0.6 + 0.2 * (np.arange(count) + 0.5) / count
    pairs = [(forecast_line(str(i)), measured_line(str(i), scores=[score])) for i, score in enumerate(scores)]
    found = measure_reliability(compare_forecasts([line for pair in pairs for line in pair]))
    assert (found.curves, found.above, found.cautions) == (count, 0.5, ())
    for row, level in zip(found.levels, JUDGED_LEVELS, strict=True):
        wilson = stats.binomtest(row.covered, count).proportion_ci(method="wilson")
        assert (row.level, row.share, row.verdict) == (level, pytest.approx(level), "as often")
        assert (row.lower, row.upper) == pytest.approx((wilson.low, wilson.high), abs=1e-12)
    pits = [one.pit for one in found.comparisons]
    inner = slice(1, -1)  # beyond the outermost quantiles only so much is known
    np.testing.assert_allclose(pits[inner], ((np.arange(count) + 0.5) / count)[inner], atol=1e-9)


def test_sizes_of_one_curve_do_not_count_as_independent():
    sizes = [400, 500, 600, 700]
    lines = [
        line
        for i in range(5)
        for line in (forecast_line(str(i), sizes), measured_line(str(i), sizes, [0.7] * 4 if i else [0.9] * 4))
    ]
    found = measure_reliability(compare_forecasts(lines))
    wilson = stats.binomtest(4, 5).proportion_ci(method="wilson")
    for row in found.levels:
        assert (row.covered, row.compared) == (16, 20)
        assert (row.lower, row.upper) == pytest.approx((wilson.low, wilson.high), abs=1e-12)
    assert found.above == pytest.approx(0.2)


@pytest.mark.slow
def test_intervals_that_are_too_narrow_or_too_wide_are_called_so():
    def of(score):
        lines = [line for i in range(40) for line in (forecast_line(str(i)), measured_line(str(i), scores=[score]))]
        return {row.level: row.verdict for row in measure_reliability(compare_forecasts(lines)).levels}

    assert set(of(0.95).values()) == {"less often"}
    assert of(0.7) == {0.5: "more often", 0.8: "more often", 0.9: "more often", 0.95: "as often"}


def test_metrics_that_are_pooled_are_named():
    lines = [forecast_line(), measured_line(), forecast_line("lung"), measured_line("lung")]
    for line in lines[2:]:
        object.__setattr__(line, "curve", replace(line.curve, metric="accuracy"))
    assert "2 later scores on 2 curves (AUROC and accuracy): 100 %" in say_reliability(
        measure_reliability(compare_forecasts(lines))
    )


def test_without_comparisons_there_is_no_share():
    found = measure_reliability(compare_forecasts([forecast_line()]))
    assert (found.waiting, found.curves) == (1, 0)
    assert all(np.isnan(row.share) and (row.lower, row.upper) == (0, 1) for row in found.levels)
    assert found.to_dict()["share"] == [None] * 4


@pytest.mark.slow
def test_words_say_what_is_off_and_what_is_still_to_come():
    def said(score, *more):
        pairs = [(forecast_line(str(i)), measured_line(str(i), scores=[score])) for i in range(40)]
        return say_reliability(
            measure_reliability(compare_forecasts([line for pair in pairs for line in pair] + list(more)))
        )

    narrow = said(0.95, forecast_line("a", (400, 800)), forecast_line("b", (100,)))
    assert narrow == (
        "80 % intervals covered 0 of 40 later scores on 40 curves: 0 % (95 % confidence interval 0 to 9 %). Intervals "
        "of 50 %, 80 %, 90 % and 95 % are too narrow and covered fewer scores than they should. 100 % of the later "
        "scores were above the median forecast, where half should be. 2 forecasts are still to be measured and 1 not "
        "counted, because the size had been measured before or is no larger than the pilot."
    )
    assert "Intervals of 50 %, 80 % and 90 % are wider than needed and covered more scores than they" in said(0.7)
