"""scikit-learn faces over the simulated protocol: every row of X plays one device."""

from tacit.estimators.linear import LinearRegression
from tacit.estimators.logistic import LogisticRegression
from tacit.estimators.poisson import PoissonRegressor

__all__ = ["LinearRegression", "LogisticRegression", "PoissonRegressor"]
