"""Speed and memory, on one core, as ratios against peers in the same run where there is a peer."""

import os

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_threads] = "1"  # read when numpy loads, so before anything else is imported
