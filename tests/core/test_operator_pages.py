"""The operator's own pages: which file is shown to whom, and what is said of one that cannot be read."""

from pathlib import Path

from voteweb.core.operator_pages import operator_page_faults, operator_text


def test_a_reader_gets_the_file_in_their_language_or_the_common_one(tmp_path: Path) -> None:
    folder = str(tmp_path)
    assert (operator_text(folder, "rules", "en"), operator_page_faults(folder), operator_page_faults("")) == (
        "",
        [],
        [],
    )
    (tmp_path / "rules.md").write_bytes(b"\xef\xbb\xbf# Be kind\r\n")
    (tmp_path / "rules.zh.md").write_text("友善\n", "utf-8")
    (tmp_path / "privacy.zh.md").write_text("\n")
    assert [operator_text(folder, "rules", code) for code in ("en", "zh")] == ["# Be kind", "友善"]
    assert operator_text(folder, "privacy", "zh") == ""
    (tmp_path / "rules.zh.md").unlink()
    assert operator_text(folder, "rules", "zh") == "# Be kind"


def test_a_faulty_file_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_bytes(b"caf\xe9")
    assert operator_page_faults(str(tmp_path)) == [
        f"{tmp_path}/rules.md is not UTF-8 text: see byte 3. Save it as UTF-8."
    ]
    assert operator_text(str(tmp_path), "rules", "en") == ""


def test_a_link_to_what_cannot_be_read_is_named_and_left_out(tmp_path: Path) -> None:
    (tmp_path / "rules.md").symlink_to("x" * 300)  # a name that no file can have: root may read all others
    assert operator_page_faults(str(tmp_path)) == [f"Cannot read {tmp_path}/rules.md: File name too long"]
    assert operator_text(str(tmp_path), "rules", "en") == ""


def test_a_missing_folder_is_a_fault(tmp_path: Path) -> None:
    (fault,) = operator_page_faults(str(tmp_path / "pages"))
    assert fault.startswith("VOTEWEB_PAGES_DIR is not a folder that can be read: ")
