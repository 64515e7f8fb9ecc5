"""The operator's own pages: which file is shown to whom, and what is said of one that cannot be read."""

from pathlib import Path

from voteweb.core.operator_pages import OperatorPages, operator_page_faults


def test_readers_get_their_languages_file_or_the_common_one(tmp_path: Path) -> None:
    folder, pages = str(tmp_path), OperatorPages(str(tmp_path))
    assert (pages.text("rules", "en"), operator_page_faults(folder), operator_page_faults("")) == ("", [], [])
    (tmp_path / "rules.md").write_bytes(b"\xef\xbb\xbf# Be kind\r\n")
    (tmp_path / "rules.zh.md").write_text("友善\n", "utf-8")
    (tmp_path / "privacy.zh.md").write_text("\n")
    assert [pages.text("rules", code) for code in ("en", "zh")] == ["# Be kind", "友善"]
    assert pages.text("privacy", "zh") == ""
    (tmp_path / "rules.zh.md").unlink()
    assert pages.text("rules", "zh") == "# Be kind"


def test_a_faulty_file_is_named_and_keeps_its_last_text(tmp_path: Path) -> None:
    path, pages = tmp_path / "rules.md", OperatorPages(str(tmp_path))
    path.write_text("Be kind")
    assert pages.text("rules", "en") == "Be kind"
    path.write_bytes(b"caf\xe9")
    assert operator_page_faults(str(tmp_path)) == [f"{path} is not UTF-8 text: see byte 3. Save it as UTF-8."]
    assert [site.text("rules", "en") for site in (pages, OperatorPages(str(tmp_path)))] == ["Be kind", ""]
    path.unlink()
    assert pages.text("rules", "en") == ""


def test_a_link_to_an_unreadable_file_is_named_and_omitted(tmp_path: Path) -> None:
    (tmp_path / "rules.md").symlink_to("x" * 300)  # a name that no file can have: root may read all others
    assert operator_page_faults(str(tmp_path)) == [f"Cannot read {tmp_path}/rules.md: File name too long"]
    assert OperatorPages(str(tmp_path)).text("rules", "en") == ""


def test_a_missing_folder_is_a_fault(tmp_path: Path) -> None:
    (fault,) = operator_page_faults(str(tmp_path / "pages"))
    assert fault.startswith("VOTEWEB_PAGES_DIR is not a folder that can be read: ")
