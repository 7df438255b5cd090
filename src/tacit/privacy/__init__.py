"""Everything a privacy proof rests on. Nothing outside this folder draws privacy noise."""

from tacit.privacy.audit import Audit, Check
from tacit.privacy.entropy import Entropy, SeededEntropy, SystemEntropy
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.mechanism import Mechanism, StudyMechanism
from tacit.privacy.sphere import Sphere

__all__ = [
    "Audit",
    "Check",
    "Entropy",
    "Guarantee",
    "Mechanism",
    "SeededEntropy",
    "Sphere",
    "StudyMechanism",
    "SystemEntropy",
]
