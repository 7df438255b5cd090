"""What every test shares: examples that repeat from run to run, and no limit on their time."""

from hypothesis import settings

settings.register_profile("tacit", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("tacit")
