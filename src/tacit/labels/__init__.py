"""What is to be predicted: one file for each kind of label."""

from typing import Any, get_args

from tacit.errors import ConfigurationError
from tacit.labels.binary import Binary
from tacit.labels.bounded import Bounded
from tacit.labels.categorical import Categorical
from tacit.labels.count import Count

Label = Binary | Categorical | Count | Bounded
KINDS: tuple[type[Label], ...] = get_args(Label)

__all__ = ["KINDS", "Binary", "Bounded", "Categorical", "Count", "Label", "checked", "parse"]


def checked(label: Any) -> Label:
    """Refuse what is not a label, such as a bare column name."""
    if not isinstance(label, Label):
        raise ConfigurationError(
            f"label must be {', '.join(kind.__name__ for kind in KINDS)}, such as "
            f'Binary("churned", positive="yes"), got label={label!r}'
        )
    return label


def parse(spec: str) -> Label:
    """A label from one argument of the command line."""
    column, _, rest = spec.partition(":")
    name, *parts = (part.strip() for part in rest.split(":"))
    forms = ", ".join(kind.form for kind in KINDS)
    try:
        found = [k.parse(column.strip(), parts) for k in KINDS if k.__struct_config__.tag == name]
    except ValueError as error:
        raise ConfigurationError(f"label {spec!r}: {error}. Forms: {forms}") from error
    if not found or found[0] is None:
        raise ConfigurationError(f"label must have one of the forms {forms}; got {spec!r}")
    return found[0]
