"""Modules joined into one script: the same meaning, or an error."""

from pathlib import Path

import pytest

from tacit.collector.pages.modules import library, page_script
from tacit.errors import ConfigurationError


def written(folder: Path, **modules: str) -> Path:
    """A folder of modules by name; `inner_x` goes one folder down."""
    (folder / "inner").mkdir()
    for name, text in modules.items():
        (folder / f"{name.replace('inner_', 'inner/')}.js").write_text(text, encoding="utf-8")
    return folder


def test_each_module_stands_once_after_what_it_needs(tmp_path: Path) -> None:
    """Across folders, with neither imports nor exports, under its name."""
    root = written(
        tmp_path,
        page='import { b } from "./inner/b.js";\nimport {\n  a,\n} from "./a.js";\nb(a);\n',
        a="export const a = 1;\n",
        inner_b='import { a } from "../a.js";\nexport async function b() {\n  return a;\n}\n',
    )
    inner = "async function b() {\n  return a;\n}\n"
    joined = f"// a.js\nconst a = 1;\n\n// b.js\n{inner}\n// page.js\nb(a);\n"
    assert page_script(root, "page.js") == joined


def test_a_library_exports_what_its_entry_passes_on(tmp_path: Path) -> None:
    """First its own words and the list, then the modules; what is not listed stays inside."""
    root = written(
        tmp_path,
        index='// All.\nexport { A, f } from "./a.js";\n',
        a='import { g } from "./g.js";\nexport class A {}\nexport function f() {}\n',
        g="export const g = 0;\n",
    )
    head = "// All.\nexport { A, f };\n"
    modules = "// g.js\nconst g = 0;\n\n// a.js\nclass A {}\nfunction f() {}\n"
    assert library(root, "index.js") == f"{head}\n{modules}"


@pytest.mark.parametrize(
    "line",
    [
        'import a from "./a.js";',
        'import * as a from "./a.js";',
        'import { a as b } from "./a.js";',
        'import "./a.js";',
        'import { a } from "a";',
        'import { a } from "https://elsewhere.example/a.js";',
        "import { a } from './a.js';",
        'const { a } = await import("./a.js");',
        "import.meta.url;",
        "export default 1;",
        "export let b = 1;",
        "export { b };",
        'export * from "./a.js";',
        '  export const b = "indented";',
    ],
)
def test_other_forms_are_refused(tmp_path: Path, line: str) -> None:
    """They would mean something else, or nothing, in one scope."""
    root = written(tmp_path, page=f"{line}\n", a="export const a = 1;\n")
    with pytest.raises(ConfigurationError, match=r"page\.js cannot be joined"):
        page_script(root, "page.js")


def test_only_the_entry_of_a_library_passes_names_on(tmp_path: Path) -> None:
    """In a page there is nobody to pass them to."""
    root = written(tmp_path, page='export { a } from "./a.js";\n', a="export const a = 1;\n")
    with pytest.raises(ConfigurationError, match="cannot be joined"):
        page_script(root, "page.js")


def test_a_name_must_be_exported_where_it_is_imported_from(tmp_path: Path) -> None:
    """In one scope it could be found all the same, and not in modules."""
    root = written(tmp_path, page='import { b } from "./a.js";\n', a="const b = 1;\n")
    with pytest.raises(ConfigurationError, match=r"page\.js imports b, not in a\.js"):
        page_script(root, "page.js")
    root.joinpath("index.js").write_text('export { b } from "./a.js";\n', encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"index\.js imports b, not in a\.js"):
        library(root, "index.js")


def test_modules_that_import_each_other_are_refused(tmp_path: Path) -> None:
    """One of them would run before what it needs."""
    root = written(
        tmp_path,
        page='import { a } from "./a.js";\n',
        a='import { b } from "./b.js";\nexport const a = 1;\n',
        b='import { a } from "./a.js";\nexport const b = 1;\n',
    )
    with pytest.raises(ConfigurationError, match=r"a\.js > b\.js > a\.js"):
        page_script(root, "page.js")
