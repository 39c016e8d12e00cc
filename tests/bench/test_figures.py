import pytest

from tests.bench.figures import Figure


def test_a_figure_is_the_median_between_the_quartiles() -> None:
    figure = Figure.of([5, 1, 4, 2, 3])

    assert (figure.low, figure.median, figure.high) == (2, 3, 4)


def test_one_slow_sample_moves_neither_the_median_nor_the_quartiles() -> None:
    assert Figure.of([1, 1, 1, 1, 900]) == Figure(1, 1, 1)


def test_a_ratio_of_pairs_ignores_a_slower_machine() -> None:
    slowing = [1.0, 2.0, 4.0, 8.0]

    figure = Figure.ratio([1.5 * seconds for seconds in slowing], slowing)

    assert figure == Figure(1.5, 1.5, 1.5)


def test_samples_without_a_pair_are_no_ratio() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Figure.ratio([1, 2, 3], [1, 2])


def test_one_sample_has_no_spread() -> None:
    with pytest.raises(ValueError, match="two"):
        Figure.of([1])
