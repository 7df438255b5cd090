"""`make mutants`: every mutant against its tests; exit code 1 if one survives."""

import sys
from concurrent.futures import ThreadPoolExecutor

from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import Mutant, survives

WORKERS = 2


def main(words: list[str]) -> int:
    """Run all mutants, or those whose names hold one of the words; tell each as it ends."""
    chosen = [each for each in MUTANTS if not words or any(word in each.name for word in words)]
    tried = [mutant for mutant in chosen if not mutant.harmless]
    survivors: list[Mutant] = []
    with ThreadPoolExecutor(WORKERS) as pool:
        for number, (mutant, alive) in enumerate(
            zip(tried, pool.map(survives, tried), strict=True), start=1
        ):
            print(f"{number:4}/{len(tried)}  {'SURVIVES' if alive else 'killed  '}  {mutant.name}")
            survivors += [mutant] * alive
    for mutant in chosen:
        if mutant.harmless:
            print(f"harmless  {mutant.name}\n          {mutant.harmless}")
    print(f"{len(tried) - len(survivors)} of {len(tried)} mutants killed")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
