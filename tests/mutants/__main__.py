"""`make mutants`: every mutant against its tests; exit code 1 if one survives."""

import sys
from collections.abc import Sequence
from concurrent.futures import Executor, ThreadPoolExecutor

from tests.mutants.catalogue import MUTANTS
from tests.mutants.mutant import Mutant, Tests, passes, survives

WORKERS = 2


def main(words: list[str]) -> int:
    """Run all mutants, or those whose names hold one of the words; tell each as it ends."""
    chosen = [each for each in MUTANTS if not words or any(word in each.name for word in words)]
    tried = [mutant for mutant in chosen if not mutant.harmless]
    survivors: list[Mutant] = []
    with ThreadPoolExecutor(WORKERS) as pool:
        failing = failing_anyway(tried, pool)
        if failing:
            print(f"these tests fail, or take too long, without any mistake: {failing}")
            return 1
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


def failing_anyway(mutants: Sequence[Mutant], pool: Executor) -> list[Tests]:
    """Tests that fail as the code is: they would seem to notice every mutant."""
    all_tests = sorted({mutant.tests for mutant in mutants})
    right = pool.map(passes, all_tests)
    return [tests for tests, passed in zip(all_tests, right, strict=True) if not passed]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
