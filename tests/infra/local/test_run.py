from pathlib import Path

import pytest

from infra.local.run import check_store_format


def test_data_of_0_9_is_rejected_with_advice_to_run_make_clean(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()

    with pytest.raises(SystemExit, match="make clean"):
        check_store_format(tmp_path)


def test_data_of_another_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "store-format").write_text("0")

    with pytest.raises(SystemExit, match="make clean"):
        check_store_format(tmp_path)


def test_data_of_this_release_is_taken_again(tmp_path: Path) -> None:
    check_store_format(tmp_path)
    (tmp_path / "state").mkdir()

    check_store_format(tmp_path)
