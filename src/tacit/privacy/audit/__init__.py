"""Attempts to refute a claimed guarantee by running the device's own code."""

from tacit.privacy.audit.outcome import Audit, Check, OnProgress

__all__ = ["Audit", "Check", "OnProgress"]
