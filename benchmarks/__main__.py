"""Run every benchmark, print the table, exit 1 if a target was missed: `python -m benchmarks`."""

import sys

from benchmarks import collector, device, fitting, importing, tallying


def main() -> int:
    """Each line is printed as soon as it is known."""
    missed = 0
    for benchmark in (importing, tallying, device, fitting, collector):
        for one in benchmark.measure():
            value = f"{one.value:,.4g}" if one.value < 1e4 else f"{one.value:,.0f}"
            print(f"{one.name:<62} {value:>12} {one.unit:<18} {one.target:<18} {one.verdict}")
            sys.stdout.flush()
            missed += one.missed
    print("all targets met" if not missed else f"{missed} targets MISSED")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
