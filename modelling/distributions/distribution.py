"""The Distribution: what is drawn from it, how likely that is, and what it is on average."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, ClassVar

from ...graph.constant_value import constant_value
from ...graph.convert import convert_to_tensor
from ...graph.default_scopes import name_scope
from ...ops.array.broadcasting import broadcast_dynamic_shape, broadcast_static_shape, broadcast_to
from ...ops.array.constants import constant
from ...ops.array.joining import concat
from ...ops.array.reshaping import reshape
from ...ops.array.shapes import shape
from ...ops.math.exponentials import exp, log, log1p, sqrt
from ...ops.math.reductions import reduce_prod
from ...shape_inference.tensor_shape import TensorShape
from .divergences import kl_divergence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...graph.node import Tensor
    from ...protos.dtypes import DType

public = {
    "td.distributions, td.contrib.distributions": (
        "Distribution FULLY_REPARAMETERIZED NOT_REPARAMETERIZED ReparameterizationType"
    )
}


class ReparameterizationType:
    """Whether gradients pass from what is drawn to the parameters.

    Args:
        rep_type: the name.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default():
        ...     td.distributions.Normal(0.0, 1.0).reparameterization_type
        <Reparameterization Type: FULLY_REPARAMETERIZED>
    """

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"


FULLY_REPARAMETERIZED = ReparameterizationType("FULLY_REPARAMETERIZED")
NOT_REPARAMETERIZED = ReparameterizationType("NOT_REPARAMETERIZED")


class Distribution:
    """What distributions have in common; a subclass says how numbers are drawn, and the formulas.

    A distribution is a batch of as many as its parameters have elements, after broadcasting
    (`batch_shape`); what is drawn from each of them has `event_shape`.

    Args:
        dtype: the dtype of what is drawn.
        parameters: the parameters, by name.
        batch_of: the parameters of which each element is for a distribution of its own.
        validate_args: whether runs check the parameters.
        allow_nan_stats: whether what is not defined is NaN; otherwise a run fails.
        name: the name of the scopes of the ops.

    Example:
        >>> import tensordraft as td
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     normal = td.distributions.Normal([0.0, 1.0], 2.0)
        ...     print(normal.batch_shape, normal.sample(3).shape, session.run(normal.mean()))
        (2,) (3, 2) [0. 1.]
    """

    reparameterization_type: ClassVar[ReparameterizationType] = FULLY_REPARAMETERIZED
    _event_rank: ClassVar[int] = 0

    def __init__(
        self,
        dtype: DType,
        parameters: dict[str, Any],
        batch_of: Sequence[Tensor],
        validate_args: bool,
        allow_nan_stats: bool,
        name: str,
    ) -> None:
        self._dtype = dtype
        self._parameters = {
            key: value for key, value in parameters.items() if key not in ("self", "__class__")
        }
        self._batch_of = list(batch_of)
        self._validate_args = validate_args
        self._allow_nan_stats = allow_nan_stats
        self._name = name

    # What it is ----------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The dtype of what is drawn."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that made it."""
        return dict(self._parameters)

    @property
    def validate_args(self) -> bool:
        """Whether runs check the parameters."""
        return self._validate_args

    @property
    def allow_nan_stats(self) -> bool:
        """Whether what is not defined is NaN."""
        return self._allow_nan_stats

    @property
    def batch_shape(self) -> TensorShape:
        """The shape of the batch, as far as it is known."""
        shapes = [self._of_batch(tensor.shape) for tensor in self._batch_of]
        return reduce(broadcast_static_shape, shapes)

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        """The shape of the batch, in a run: an int32 vector."""
        with self._scope(name):
            known = self.batch_shape
            if known.is_fully_defined():
                return constant(known.as_list(), "int32")
            shapes = [shape(tensor) for tensor in self._batch_of]
            if self._event_rank:
                shapes = [sizes[: -self._event_rank] for sizes in shapes]
            return reduce(broadcast_dynamic_shape, shapes)

    def _of_batch(self, sizes: TensorShape) -> TensorShape:
        return sizes[: -self._event_rank] if self._event_rank else sizes

    @property
    def event_shape(self) -> TensorShape:
        """The shape of what is drawn from one distribution of the batch, as far as it is known."""
        return self._batch_of[0].shape[-1:] if self._event_rank else TensorShape([])

    def event_shape_tensor(self, name: str = "event_shape_tensor") -> Tensor:
        """The same in a run: an int32 vector."""
        with self._scope(name):
            return shape(self._batch_of[0])[-1:] if self._event_rank else constant([], "int32")

    def is_scalar_event(self, name: str = "is_scalar_event") -> Tensor:
        """Whether single numbers are drawn: a bool Tensor."""
        return constant(not self._event_rank, name=name)

    def is_scalar_batch(self, name: str = "is_scalar_batch") -> Tensor:
        """Whether the batch is one distribution: a bool Tensor."""
        with self._scope(name):
            return reduce_prod(shape(self.batch_shape_tensor())) < 1

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """A distribution with some parameters changed."""
        return type(self)(**{**self._parameters, **override_parameters_kwargs})

    def __repr__(self) -> str:
        return (
            f"<td.distributions.{type(self).__name__} '{self._name}' batch_shape="
            f"{self.batch_shape} event_shape={self.event_shape} dtype={self._dtype.name}>"
        )

    # What subclasses say -------------------------------------------------------------------------

    def _sample_n(self, n: Tensor, seed: int | None) -> Tensor:
        raise self._absent("sample")

    def _log_prob(self, value: Tensor) -> Tensor:
        raise self._absent("log_prob")

    def _cdf(self, value: Tensor) -> Tensor:
        raise self._absent("cdf")

    def _log_cdf(self, value: Tensor) -> Tensor:
        return log(self._cdf(value))

    def _log_survival(self, value: Tensor) -> Tensor:
        return log1p(-self._cdf(value))

    def _quantile(self, value: Tensor) -> Tensor:
        raise self._absent("quantile")

    def _entropy(self) -> Tensor:
        raise self._absent("entropy")

    def _mean(self) -> Tensor:
        raise self._absent("mean")

    def _mode(self) -> Tensor:
        raise self._absent("mode")

    def _variance(self) -> Tensor:
        raise self._absent("variance")

    def _covariance(self) -> Tensor:
        raise self._absent("covariance")

    def _absent(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{what} is not implemented for {type(self).__name__}")

    # What users ask ------------------------------------------------------------------------------

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Any:
        """Draws numbers.

        Args:
            sample_shape: the shape of what is drawn from each distribution.
            seed: a seed, for the same numbers in each session, which are TensorFlow's.
            name: a name for the scope of the ops.

        Returns:
            A Tensor of shape `sample_shape + batch_shape + event_shape`.
        """
        with self._scope(name):
            sizes = convert_to_tensor(sample_shape, "int32", "sample_shape")
            known = constant_value(sizes)
            drawn = self._sample_n(reduce_prod(sizes), seed)
            rest = shape(drawn)[1:]
            result = reshape(drawn, concat([reshape(sizes, [-1]), rest], 0))
            prefix = TensorShape(None if known is None else known.reshape(-1).tolist())
            result.set_shape(prefix + self.batch_shape + self.event_shape)
            return result

    def log_prob(self, value: Any, name: str = "log_prob") -> Tensor:
        """The logarithm of how likely, or dense, a value is."""
        return self._of_value(self._log_prob, value, name)

    def prob(self, value: Any, name: str = "prob") -> Tensor:
        """How likely, or dense, a value is."""
        return self._of_value(lambda x: exp(self._log_prob(x)), value, name)

    def cdf(self, value: Any, name: str = "cdf") -> Tensor:
        """How likely it is that what is drawn is at most a value."""
        return self._of_value(self._cdf, value, name)

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Tensor:
        """The logarithm of `cdf`."""
        return self._of_value(self._log_cdf, value, name)

    def survival_function(self, value: Any, name: str = "survival_function") -> Tensor:
        """How likely it is that what is drawn is more than a value."""
        return self._of_value(lambda x: 1.0 - self._cdf(x), value, name)

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Tensor:
        """The logarithm of `survival_function`."""
        return self._of_value(self._log_survival, value, name)

    def quantile(self, value: Any, name: str = "quantile") -> Tensor:
        """What is drawn is at most this, as likely as `value` says."""
        return self._of_value(self._quantile, value, name)

    def entropy(self, name: str = "entropy") -> Tensor:
        """The entropy, in nats."""
        return self._of_nothing(self._entropy, name)

    def mean(self, name: str = "mean") -> Tensor:
        """The mean."""
        return self._of_nothing(self._mean, name)

    def mode(self, name: str = "mode") -> Tensor:
        """What is drawn most likely."""
        return self._of_nothing(self._mode, name)

    def variance(self, name: str = "variance") -> Tensor:
        """The variance."""
        return self._of_nothing(self._variance, name)

    def stddev(self, name: str = "stddev") -> Tensor:
        """The standard deviation."""
        return self._of_nothing(lambda: sqrt(self._variance()), name)

    def covariance(self, name: str = "covariance") -> Tensor:
        """The covariances of the components of what is drawn."""
        return self._of_nothing(self._covariance, name)

    def kl_divergence(self, other: Distribution, name: str = "kl_divergence") -> Tensor:
        """How far another distribution is from this one: see `td.distributions.kl_divergence`."""
        with self._scope(name):
            return kl_divergence(self, other, self._allow_nan_stats)

    def cross_entropy(self, other: Distribution, name: str = "cross_entropy") -> Tensor:
        """The entropy, and how far another distribution is from this one."""
        with self._scope(name):
            return self._entropy() + kl_divergence(self, other, self._allow_nan_stats)

    def _scope(self, name: str) -> Any:
        return name_scope(f"{self._name}/{name}")

    def _of_value(self, function: Callable[[Tensor], Tensor], value: Any, name: str) -> Tensor:
        with self._scope(name):
            return function(convert_to_tensor(value, self._dtype_of_values(), "value"))

    def _dtype_of_values(self) -> DType:
        return self._dtype

    def _of_nothing(self, function: Callable[[], Tensor], name: str) -> Tensor:
        with self._scope(name):
            return function()

    # What subclasses call ------------------------------------------------------------------------

    def _sizes(self, n: Tensor) -> Tensor:
        """The shape of n numbers of each distribution."""
        return concat([reshape(n, [1]), self.batch_shape_tensor()], 0)

    def _spread(self, tensor: Any) -> Tensor:
        """A tensor broadcast to the shape of the batch."""
        value = convert_to_tensor(tensor, self._batch_of[0].dtype)
        if value.shape.is_fully_defined() and value.shape == self.batch_shape:
            return value
        return broadcast_to(value, self.batch_shape_tensor())
