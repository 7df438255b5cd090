"""`python -m tacit.protocol` runs a small study on made-up people, every role in turn."""

import sys

import numpy as np

from tacit.labels import Binary
from tacit.protocol.round import Round
from tacit.protocol.run import reports, run
from tacit.protocol.study import StudyRound, records_of
from tacit.study import Study

_PEOPLE, _PUBLIC = 3000, 1000


def main() -> None:
    """Three thousand people, whose answers depend on how much they sleep."""
    generator = np.random.default_rng(0)
    sleep, public = generator.normal(7.0, 1.0, _PEOPLE), generator.normal(7.0, 1.0, _PUBLIC)
    rested = generator.random(_PEOPLE) < 1.0 / (1.0 + np.exp(-1.5 * (sleep - 7.0)))

    study = Study.from_public(
        {"sleep": public},
        label=Binary("rested", positive=True, negative=False),
        epsilon=4.0,
        source="made up",
    )
    first: Round = StudyRound(study, {"sleep": public})
    records = records_of(study, {"sleep": sleep}, rested)
    say = sys.stdout.write
    say(f"The server publishes study {study.id[:12]}. {study.guarantee}\n")
    one = reports(first, tuple(column[:1] for column in records))
    say(f"\nA device sends {one.nbytes} bytes: {one.tobytes().hex()}\n")
    say(f"\nWhat the server learns of {_PEOPLE} people:\n{run(first, records).summary()}\n")


if __name__ == "__main__":
    main()
