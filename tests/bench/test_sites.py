"""The generated sites and their pages."""

from pathlib import Path

import pytest

from bench.sites import stories


def test_small_site_is_the_newest_part_of_a_large_one(tmp_path: Path) -> None:
    for count in (3, 30):
        stories.generate(tmp_path / f"{count}.csv", count, 1_800_000_000)
    small, large = ((tmp_path / f"{count}.csv").read_text().splitlines() for count in (3, 30))
    assert small[1:] == large[-3:]
    assert stories.profile_file(tmp_path / "30.csv").articles == 30


def test_stories_without_a_pair_of_groups_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "stories.csv"
    file.write_text("title,poster,groups\nA title,ann,news\n")
    with pytest.raises(ValueError, match="in two groups"):
        stories.profile_file(file)
