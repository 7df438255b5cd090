"""The page of evidence."""

from pathlib import Path

from evidence.report import table, write_sections


def test_a_section_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    """Running one experiment again leaves the results of the others alone."""
    page = tmp_path / "evidence.md"
    write_sections(page, {"One": "first", "Two": "second"})
    write_sections(page, {"One": "anew"})
    text = page.read_text()
    assert text.index("## One\n\nanew") < text.index("## Two\n\nsecond")
    assert "first" not in text


def test_table_is_markdown() -> None:
    """A head, a rule, and one line per row."""
    assert table(["a", "b"], [[1, 2]]) == "| a | b |\n| --- | --- |\n| 1 | 2 |"
