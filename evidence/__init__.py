"""What tacit can and cannot do, measured: every number of docs/evidence.md comes from here."""
