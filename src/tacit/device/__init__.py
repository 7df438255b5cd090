"""The device side: the one place where a person's record is seen."""

from tacit.device.preview import Preview, preview
from tacit.device.randomize import randomize, randomize_rows

__all__ = ["Preview", "preview", "randomize", "randomize_rows"]
