"""What `import tacit` costs and loads, in a fresh interpreter."""

import json
import subprocess
import sys

from benchmarks.measure import Measured

_REPEATS = 5
_NOT_LOADED = (
    "matplotlib",
    "pandas",
    "pyarrow",
    "rich",
    "sklearn",
    "starlette",
    "typer",
    "uvicorn",
)
_PROGRAM = f"""
import json, sys, time
import numpy, scipy.special, scipy.optimize, scipy.linalg
start = time.process_time()
import tacit
took = time.process_time() - start
print(json.dumps([took, [name for name in {_NOT_LOADED!r} if name in sys.modules]]))
"""


def measure() -> list[Measured]:
    """Time beyond numpy and scipy, and how many heavy libraries came along."""
    runs = [_import() for _ in range(_REPEATS)]
    unwanted = {name for _, names in runs for name in names}
    listed = f" ({', '.join(sorted(unwanted))})" if unwanted else ""
    took = min(took for took, _ in runs)
    return [
        Measured("import tacit, beyond numpy and scipy", took, "s", at_most=0.5),
        Measured(f"heavy libraries it loads{listed}", len(unwanted), "", at_most=0.0),
    ]


def _import() -> tuple[float, list[str]]:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, check=True)
    took, names = json.loads(done.stdout)
    return float(took), [str(name) for name in names]
