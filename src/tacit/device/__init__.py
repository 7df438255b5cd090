"""The device side: the one place where a person's record is seen."""

from tacit.device.device import Device
from tacit.device.ledger import Ledger
from tacit.device.preview import Preview, preview
from tacit.device.randomize import randomize, randomize_rows
from tacit.device.upload import Delivery, fetch_study

__all__ = [
    "Delivery",
    "Device",
    "Ledger",
    "Preview",
    "fetch_study",
    "preview",
    "randomize",
    "randomize_rows",
]
