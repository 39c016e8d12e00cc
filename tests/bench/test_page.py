import pytest

from tests.bench import page
from tests.bench.page import Row, Section


def test_a_ratio_comes_before_its_parts() -> None:
    row = page.ratio("create", [0.002, 0.003, 0.004], [0.001, 0.0015, 0.002], at_most=2.5)

    assert row.cells() == ("create", "2 ×", "2 – 2", "3 ms", "1.50 ms", "2.50", "yes")


def test_an_amount_has_its_unit_and_its_anchor() -> None:
    row = page.amount("first", [10.0, 12.0, 14.0], "ms", at_most=11, anchor="9 ms")

    assert row.cells() == ("first", "12 ms", "11 – 13", "", "9 ms", "11", "**no**")


def test_exact_figures_say_so_and_need_a_bound_to_hold_or_fail() -> None:
    assert Row("calls", 3, "calls").cells() == ("calls", "3 calls", "exact", "", "", "", "")


@pytest.mark.parametrize(("figure", "holds"), [(1.2, True), (1.21, False)])
def test_a_figure_equal_to_its_bound_keeps_it(figure: float, holds: bool) -> None:
    assert Row("create", figure, at_most=1.2).holds is holds


def test_a_figure_over_its_bound_is_never_rounded_to_the_bound() -> None:
    row = Row("create", 1.2004, at_most=1.2)

    assert row.cells()[-1] == "**no**"
    assert row.cells()[1] == "1.2004 ×"


def test_the_page_counts_the_bounds_that_do_not_hold() -> None:
    found = [Section("A", "Note.", [Row("kept", 1, at_most=2), Row("broken", 3, at_most=2), Row("free", 9)])]

    text = page.whole(found, "Measured today.")

    assert "Measured today. 1 of 2 bounds do not hold." in text
    assert "| A | broken | 3 × | exact |  |  | 2 | **no** |" in text
    assert "free" not in text


def test_a_page_without_failed_rows_says_so() -> None:
    assert "All 1 bounds hold." in page.whole([Section("A", "", [Row("kept", 1, at_most=2)])], "")


def test_the_page_has_the_tables_of_a_published_section_and_no_others() -> None:
    found = [Section("A", "", tables=["| kept |"], is_published=True), Section("B", "", tables=["| left out |"])]

    text = page.whole(found, "")

    assert "| kept |" in text
    assert "left out" not in text


def test_a_section_without_rows_has_its_own_tables_alone() -> None:
    section = Section("Dollars", "Note.", tables=[page.table(("a", "b"), [("1", "2")])])

    assert section.markdown() == "## Dollars\n\nNote.\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.parametrize(
    ("value", "shown"), [(3, "3"), (10_000, "10,000"), (1.234, "1.23"), (12.34, "12.3"), (123.4, "123"), (0.5, "0.50")]
)
def test_three_digits_of_a_number_count(value: float, shown: str) -> None:
    assert page.number(value) == shown
