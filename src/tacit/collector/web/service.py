"""What all routes share: the store behind its one writer, and the studies as last read."""

import hashlib
import hmac
import secrets
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from tacit.collector.storage.interface import Store, StoredStudy
from tacit.collector.web.limits import Room
from tacit.collector.web.metrics import Refusals
from tacit.collector.web.writer import Writer
from tacit.study import Study

if TYPE_CHECKING:
    from tacit.collector.progress import Analyst

ADMIN_TOKEN = "admin token"  # noqa: S105 (the name it is kept under)

Value = TypeVar("Value")


class Service:
    """One running collector."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.refusals = Refusals()
        self.writer = Writer(store, self.refusals)
        self.room = Room()
        self.connections: Callable[[], int] = lambda: 0
        self.studies: dict[str, StoredStudy] = {}
        self.report_paths: dict[str, str] = {}
        self._token_hash = store.secret(ADMIN_TOKEN)
        self.reload()

    @cached_property
    def analyst(self) -> "Analyst":
        """Made when first asked: fitting needs much that taking reports does not."""
        from tacit.collector.progress import Analyst

        return Analyst(self.store)

    def reload(self) -> None:
        """Read the studies again."""
        self.studies = {stored.study.id: stored for stored in self.store.studies()}
        self.report_paths = {f"/studies/{identity}/reports": identity for identity in self.studies}

    async def change(self, action: Callable[[], Value]) -> Value:
        """Change the store, then read the studies again."""
        result = await self.writer.change(action)
        self.reload()
        return result

    def is_admin(self, authorization: str) -> bool:
        """Whether a header holds the token; takes the same time for every wrong one."""
        scheme, _, token = authorization.partition(" ")
        given = hashlib.sha256(token.strip().encode()).digest()
        kept = self._token_hash
        return scheme.lower() == "bearer" and kept is not None and hmac.compare_digest(given, kept)


def planned_for(study: Study, people: int | None) -> int | None:
    """How many people a new study is planned for: as asked for, or as it was made for."""
    return study.people if people is None else people


def otherwise(stored: StoredStudy, people: int | None, needs_code: bool | None) -> str | None:
    """What a study has that was asked for otherwise, as `codes=none`; None asks for nothing."""
    if needs_code not in (None, stored.needs_code):
        return f"codes={'required' if stored.needs_code else 'none'}"
    if people not in (None, stored.planned):
        return f"people={stored.planned or 'none'}"
    return None


def new_admin_token(store: Store) -> str:
    """A fresh token, of which only the hash is kept."""
    token = secrets.token_urlsafe(32)
    store.set_secret(ADMIN_TOKEN, hashlib.sha256(token.encode()).digest())
    return token
