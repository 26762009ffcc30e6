"""The lights: what turns them red, green and grey, and that Holm's procedure goes over those that rest on a sample."""

from __future__ import annotations

import numpy as np

from goldproof.judging.audit.lights import Gauge, LightQuestion, turn_on
from goldproof.judging.audit.questions import best_way
from goldproof.measures.shortcuts.items import Guess
from goldproof.measures.shortcuts.judged import judge_guesses
from goldproof.statistics.estimate import Estimate
from goldproof.statistics.intervals import normal_quantile

LIMIT = 0.1


def _gauge(value: float, sd: float = 0.01, is_sampled: bool = True) -> Gauge:
    def interval(level: float) -> Estimate:
        half = normal_quantile(level) * sd
        return Estimate(value, value - half, value + half, "normal", 100, level)

    return Gauge("of something", interval, LIMIT, is_sampled=is_sampled)


def _colours(*gauges: tuple[Gauge, ...]) -> list[str]:
    questions = [LightQuestion(str(number), each) for number, each in enumerate(gauges)]
    return [light.colour for light in turn_on(questions, 0.95)]


def test_the_way_to_perfect_ends_there() -> None:
    """Another level than the computed one makes an interval wider as a normal one would be: past all that can be."""
    gold = np.arange(80) % 2
    judged = judge_guesses(gold, 2, {"all right": Guess(gold.copy(), None, "")}, None, np.random.default_rng(0))
    found = best_way(judged, 0.995)
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0 < found.low < 1


def test_bounds_and_not_values_turn_a_light() -> None:
    assert _colours((_gauge(0.13),)) == ["red"]
    assert _colours((_gauge(0.11),)) == ["grey"]
    assert _colours((_gauge(0.09),)) == ["grey"]
    assert _colours((_gauge(0.07),)) == ["green"]


def test_a_light_is_green_only_where_all_its_measures_are() -> None:
    assert _colours((_gauge(0.05), _gauge(0.07))) == ["green"]
    assert _colours((_gauge(0.05), _gauge(0.09))) == ["grey"]
    assert _colours((_gauge(0.05), _gauge(0.13))) == ["red"]


def test_a_question_that_cannot_be_asked_is_grey_and_says_why() -> None:
    (light,) = turn_on([LightQuestion("labels", (), "there are no labels")], 0.95)
    assert (light.colour, light.reason, light.estimate) == ("grey", "there are no labels", None)


def test_each_step_has_the_level_of_the_lights_that_are_left() -> None:
    """2.1 standard errors above the limit: red alone (1.96), not beside one more that is undecided (2.24)."""
    close = _gauge(LIMIT + 0.021)
    assert _colours((close,)) == ["red"]
    assert _colours((close,), (_gauge(LIMIT),)) == ["grey", "grey"]
    # One that is decided at the first step leaves the close one to itself.
    assert _colours((close,), (_gauge(0.2),)) == ["red", "red"]
    # A range of cases is no sample and takes no part.
    assert _colours((close,), (_gauge(LIMIT, is_sampled=False),)) == ["red", "grey"]


def test_three_lights_at_their_limits_are_rarely_coloured() -> None:
    """At most 5 % of sets of lights have any colour but grey where every measure lies at its threshold."""
    rng = np.random.default_rng(0)
    n = 1500
    wrong = sum(
        set(_colours(*((_gauge(value),) for value in rng.normal(LIMIT, 0.01, 3)))) != {"grey"} for _ in range(n)
    )
    assert wrong / n < 0.05 + 3 * np.sqrt(0.05 * 0.95 / n)
    assert wrong / n > 0.02  # and the test can fail
