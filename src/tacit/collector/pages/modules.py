"""JavaScript modules as one script, in which they share one scope.

Three forms are understood: `import { a, b } from "./file.js";`, `export` before a declaration, and
in the entry of a library `export { a } from "./file.js";`. Any other raises, so that a script
cannot mean one thing in modules and another as one file.
"""

import re
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath

from tacit.errors import ConfigurationError

_LIST = r"\{\s*(\w+(?:,\s*\w+)*),?\s*\}"
_FROM = r' from "(\.\.?/[\w./]+\.js)";\n'
_IMPORT = re.compile(rf"^import {_LIST}{_FROM}", re.MULTILINE)
_PASSED = re.compile(rf"^export {_LIST}{_FROM}", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_UNKNOWN = re.compile(r"^\s*(?:import|export)\b.*|\bimport\s*[(.].*", re.MULTILINE)


def page_script(root: Traversable, entry: str) -> str:
    """The script of a page: every module once, after all that it needs."""
    return _joined(root, _needed(root, entry))


def library(root: Traversable, entry: str) -> str:
    """One file that exports what its entry passes on; the entry's own words stand first."""
    text = _read(root, entry)
    modules: tuple[str, ...] = ()
    for names, origin in _PASSED.findall(text):
        other = _path(entry, origin)
        _check_names(root, entry, names, other)
        modules = _needed(root, other, modules)
    head = _PASSED.sub(r"export { \1 };\n", text)
    _refuse_unknown(entry, _PASSED.sub("", text))
    return head + "\n" + _joined(root, modules)


def _joined(root: Traversable, modules: tuple[str, ...]) -> str:
    return "\n".join(f"// {PurePosixPath(path).name}\n{_bare(root, path)}" for path in modules)


def _needed(
    root: Traversable, path: str, before: tuple[str, ...] = (), within: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """What stands before, then the module after all that it imports."""
    if path in within:
        raise ConfigurationError(f"modules import each other: {' > '.join((*within, path))}")
    if path in before:
        return before
    for names, origin in _IMPORT.findall(_read(root, path)):
        other = _path(path, origin)
        _check_names(root, path, names, other)
        before = _needed(root, other, before, (*within, path))
    return (*before, path)


def _bare(root: Traversable, path: str) -> str:
    """A module without imports and exports, which have no place in one scope."""
    text = _EXPORT.sub("", _IMPORT.sub("", _read(root, path)))
    _refuse_unknown(path, text)
    return text


def _refuse_unknown(path: str, text: str) -> None:
    unknown = _UNKNOWN.search(text)
    if unknown:
        raise ConfigurationError(
            f"{path} cannot be joined, because of {unknown.group().strip()!r}; use "
            f'import {{ name }} from "./file.js"; and export before a declaration'
        )


def _check_names(root: Traversable, path: str, names: str, other: str) -> None:
    wanted = {name.strip() for name in names.split(",")}
    absent = wanted.difference(_EXPORT.findall(_read(root, other)))
    if absent:
        raise ConfigurationError(f"{path} imports {', '.join(sorted(absent))}, not in {other}")


def _path(importer: str, origin: str) -> str:
    parts = list(PurePosixPath(importer).parent.parts)
    for part in PurePosixPath(origin).parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _read(root: Traversable, path: str) -> str:
    return root.joinpath(*path.split("/")).read_text(encoding="utf-8")
