"""Which reports of some posts may be stored: the study is open, and a code is good for one."""

import sqlite3
from collections.abc import Sequence

import numpy as np

from tacit.collector.storage.interface import Outcome, Post
from tacit.collector.storage.sqlite.state import StudyState
from tacit.study.report import Seeds

_BURN = "DELETE FROM code WHERE study = ? AND hash = ?"


def admit(
    db: sqlite3.Connection, state: StudyState, posts: Sequence[Post]
) -> tuple[list[Outcome], Seeds]:
    """What becomes of a study's posts, and the reports to store: none is stored, some may repeat.

    A post whose reports are all stored succeeds whatever its code: it is a retry. A study that has
    closed does not look at what is stored, and so tells nobody.
    """
    seeds = np.concatenate([post.seeds for post in posts])
    if not state.stored.open:
        return [Outcome.CLOSED] * len(posts), seeds[:0]
    new = ~state.known.contains(seeds)
    if not state.stored.needs_code:
        return [Outcome.STORED] * len(posts), seeds[new]
    ends = np.cumsum([len(post.seeds) for post in posts])
    retried = [not part.any() for part in np.split(new, ends[:-1])]
    return _admit_by_code(db, state, posts, retried)


def _admit_by_code(
    db: sqlite3.Connection, state: StudyState, posts: Sequence[Post], retried: Sequence[bool]
) -> tuple[list[Outcome], Seeds]:
    """In turn, because a code or a report may come twice among them."""
    admitted: dict[bytes, Seeds] = {}
    outcomes = []
    for post, again in zip(posts, retried, strict=True):
        content = post.seeds.tobytes()
        outcome = Outcome.STORED
        if not again and content not in admitted:
            outcome = _try_code(db, state, post)
            if outcome is Outcome.STORED:
                admitted[content] = post.seeds
        outcomes.append(outcome)
    return outcomes, np.concatenate([posts[0].seeds[:0], *admitted.values()])


def _try_code(db: sqlite3.Connection, state: StudyState, post: Post) -> Outcome:
    """Burn the post's code, which is good for a single report."""
    if post.code is None:
        return Outcome.NO_CODE
    burnt = len(post.seeds) == 1 and db.execute(_BURN, (state.number, post.code)).rowcount == 1
    return Outcome.STORED if burnt else Outcome.BAD_CODE
