"""Names in messages."""

from collections.abc import Collection, Sequence
from difflib import get_close_matches


def quoted(names: Collection[str]) -> str:
    """Names for a message."""
    return ", ".join(repr(name) for name in names) or "none"


def meant(wrong: Sequence[str], right: Collection[str]) -> str:
    """What a wrong name may have been meant for, in brackets; nothing where none is near."""
    folded = {str(name).casefold(): str(name) for name in right}
    pairs = [
        f"{folded[match]!r} for {name!r}"
        for name in wrong
        for match in get_close_matches(name.casefold(), folded, n=1)
    ]
    return f" (perhaps {', '.join(pairs)})" if pairs else ""
