"""The operator's own pages: which file is shown to whom, and what becomes of one that cannot be read."""

from pathlib import Path

import pytest

from voteweb.core.config import MAX_OPERATOR_PAGE_BYTES
from voteweb.core.operator_pages import OperatorPages


def test_a_reader_gets_the_file_in_their_language_or_the_common_one(tmp_path: Path) -> None:
    pages = OperatorPages(str(tmp_path))
    assert (pages.text("rules", "en"), pages.faults()) == ("", [])
    (tmp_path / "rules.md").write_bytes(b"\xef\xbb\xbf# Be kind\r\n")
    (tmp_path / "rules.zh.md").write_text("友善\n", "utf-8")
    (tmp_path / "privacy.zh.md").write_text("\n")
    assert [pages.text("rules", code) for code in ("en", "zh")] == ["# Be kind", "友善"]
    assert pages.text("privacy", "zh") == ""
    (tmp_path / "rules.md").write_text("Changed rules")
    (tmp_path / "rules.zh.md").unlink()
    assert [pages.text("rules", code) for code in ("en", "zh")] == ["Changed rules"] * 2
    assert OperatorPages("").faults() == []


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"caf\xe9", "is not UTF-8 text: see byte 3. Save it as UTF-8."),
        (b"x" * (MAX_OPERATOR_PAGE_BYTES + 1), "has more than 100,000 bytes. Shorten it."),
        (None, "is not a file."),
    ],
)
def test_a_faulty_file_is_named_and_keeps_its_last_text(content: bytes | None, problem: str, tmp_path: Path) -> None:
    path, pages = tmp_path / "rules.md", OperatorPages(str(tmp_path))
    path.write_text("Be kind")
    assert pages.text("rules", "en") == "Be kind"
    if content is None:
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(content)
    assert pages.faults() == [f"{path} {problem}"]
    assert pages.text("rules", "en") == "Be kind"
    assert OperatorPages(str(tmp_path)).text("rules", "en") == ""


def test_a_missing_folder_is_a_fault(tmp_path: Path) -> None:
    (fault,) = OperatorPages(str(tmp_path / "pages")).faults()
    assert fault.startswith("VOTEWEB_PAGES_DIR is not a folder that can be read: ")
