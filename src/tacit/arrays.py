"""Names for the arrays that signatures speak of."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Seeds = NDArray[np.uint8]
