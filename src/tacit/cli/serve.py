"""`tacit serve`: take reports over the network."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tacit.cli import console
from tacit.cli import options as ask
from tacit.cli.files import load_rows, load_study
from tacit.errors import ConfigurationError, TacitError
from tacit.study import Study

if TYPE_CHECKING:
    from tacit.collector.storage.interface import Store

Studies = Annotated[list[Path], ask.argument("STUDY", "One or more study files.")]
Public = Annotated[
    Path | None,
    ask.option(
        "--public",
        text="Public, unlabelled rows of the study's features; without them nothing is fitted.",
    ),
]
People = Annotated[
    int | None,
    ask.option(
        "--people",
        metavar="N",
        min=1,
        max=ask.MOST_PEOPLE,
        text="How many people are hoped for; those the study was made for otherwise.",
    ),
]
StoreFile = Annotated[
    Path | None, ask.option("--store", text="Where reports are kept; STUDY.db otherwise.")
]
Host = Annotated[str, ask.option("--host", metavar="ADDRESS", text="The address to listen on.")]
Port = Annotated[
    int,
    ask.option(
        "--port", metavar="N", min=0, max=65535, text="The port to listen on; 0 for any free one."
    ),
]
Codes = Annotated[bool, ask.flag("--codes", "Take a report only with a participation code.")]
Rate = Annotated[
    int,
    ask.option(
        "--rate",
        metavar="N",
        min=0,
        text="Reports (and other requests) a second from one client; 0 for any.",
    ),
]
TlsCert = Annotated[
    Path | None, ask.option("--tls-cert", text="Certificate chain in PEM, to speak TLS.")
]
TlsKey = Annotated[Path | None, ask.option("--tls-key", text="Its private key in PEM.")]
BehindProxy = Annotated[
    str | None,
    ask.option(
        "--behind-proxy",
        metavar="ADDRESS",
        text="Trust X-Forwarded-For and X-Forwarded-Proto from this IP address or network.",
    ),
]
NewAdminToken = Annotated[
    bool, ask.flag("--new-admin-token", "Make a new admin token; the old one ends.")
]


def serve(
    study_files: Studies,
    *,
    public: Public = None,
    people: People = None,
    store: StoreFile = None,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    codes: Codes = False,
    rate: Rate = 100,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    behind_proxy: BehindProxy = None,
    new_admin_token: NewAdminToken = False,
) -> None:
    """Take reports over the network.

    One process with everything in one SQLite file. It serves the participants' page, the
    dashboard and the API, and prints their addresses. A report is acknowledged once it is on
    disk. No address of a client is kept, and no time finer than a day.

    \b
    Example:
      tacit serve study.json --public public.parquet --people 100000
    """
    from tacit.collector.web import server
    from tacit.collector.web.service import planned_for

    options = server.Options(host, port, rate, tls_cert, tls_key, behind_proxy)
    server.check(options)
    studies = [_load(path) for path in study_files]
    rows = [_public_rows(study, public) for study in studies]
    file = store or study_files[0].with_suffix(".db")
    with server.bind(options) as bound:
        kept = _open(file)
        try:
            _refuse_other_wishes(kept, studies, people, codes)
            for study, parquet in zip(studies, rows, strict=True):
                kept.create(study, planned=planned_for(study, people), needs_code=codes)
                if parquet is not None:
                    kept.set_public(study.id, parquet)
            lines = _lines(studies, _admin_token(kept, new_admin_token), behind_proxy)
            server.run(kept, options, bound, lambda address: _announce(address, lines))
        finally:
            kept.close()
    console.say("stopped; every acknowledged report is stored")


def _load(path: Path) -> Study:
    study = load_study(path)
    if study.simulation:
        raise ConfigurationError(f"{path} was made for simulation: no device runs it")
    return study


def _public_rows(study: Study, path: Path | None) -> bytes | None:
    """The rows as Parquet, once they are known to fit the study."""
    if path is None:
        return None
    table = load_rows(path, study)
    try:
        study.encode_public(table)
    except TacitError as error:
        raise ConfigurationError(f"{path} does not fit the study: {error}") from error
    if path.suffix.lower() == ".parquet":
        return path.read_bytes()
    from tacit.tables import write_parquet

    return write_parquet({name: table.column(name) for name in table.column_names})


def _open(path: Path) -> "Store":
    from tacit.collector.storage import open_store

    with console.progress(f"reading {path.name}") as advance:
        store = open_store(path, advance)
    found = store.opened
    if found.quarantined:
        console.warning(f"{found.quarantined:,} damaged reports in {path} are set aside")
    if found.missing:
        console.warning(
            f"{found.missing:,} reports that {path} counted are no longer in it; restore a backup"
        )
    elif not found.tallies_agree:
        console.warning(f"a damaged tally in {path} was made again from the reports")
    return store


def _refuse_other_wishes(
    store: "Store", studies: list[Study], people: int | None, codes: bool
) -> None:
    """A study that is in the store already keeps what it was added with."""
    from tacit.collector.web.service import otherwise

    given = {study.id for study in studies}
    for stored in store.studies():
        kept = otherwise(stored, people, codes or None)
        if stored.study.id in given and kept is not None:
            raise ConfigurationError(
                f"study {stored.study.id[:12]}… is in the store already and keeps {kept}; "
                f"leave out --{kept.partition('=')[0]}, or use another --store"
            )


def _admin_token(store: "Store", anew: bool) -> str:
    from tacit.collector.web.service import ADMIN_TOKEN, new_admin_token

    if anew or store.secret(ADMIN_TOKEN) is None:
        return (
            f"{new_admin_token(store)}\n               shown this once; the dashboard asks for it"
        )
    return "as shown at the first start; make another with --new-admin-token"


def _lines(studies: list[Study], token: str, proxy: str | None) -> list[str]:
    """What is printed; an address goes where it says so.

    With the collector in it a link works on a copy of the page too, except that nobody here knows
    under which address a proxy is found.
    """
    from tacit.collector.pages import page

    collector = "&collector={address}" if proxy is None else ""
    return [
        *(f"Participants   {{address}}/join#study={study.id}{collector}" for study in studies),
        f"Their page     SHA-256 {page('join').sha256}",
        "Dashboard      {address}/dashboard",
        "API            {address}/openapi.json",
        f"Admin token    {token}",
        "Press Ctrl-C to stop.",
    ]


def _announce(address: str, lines: list[str]) -> None:
    for line in lines:
        console.out(line.replace("{address}", address))
    sys.stdout.flush()
