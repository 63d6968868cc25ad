"""Configuration of programs for TPUs: accepted, and without effect on the CPU."""

from __future__ import annotations

from typing import Any, NamedTuple, NoReturn

from ...training.optimizers.optimizer import Optimizer
from ..estimator.run_config import RunConfig

public = {
    "td.contrib.tpu, td.estimator.tpu": "InputPipelineConfig RunConfig=TPURunConfig TPUConfig",
    "td.contrib.tpu": "CrossShardOptimizer",
    "td.contrib.cluster_resolver": "TPUClusterResolver",
}


class InputPipelineConfig:
    """Input distribution over the hosts of a TPU; a single host has all of it.

    Example:
        >>> td.contrib.tpu.InputPipelineConfig.PER_HOST_V2
        3
    """

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


class TPUConfig(NamedTuple):
    """TPU options of a RunConfig. On the CPU a loop has one step.

    Args:
        iterations_per_loop: the number of steps of a TPU before it returns.
        num_shards: the number of devices that share a batch.
        num_cores_per_replica: the number of devices of a model.
        per_host_input_for_training: an InputPipelineConfig, or whether each machine has one input.
        tpu_job_name: the job of TPUs.
        initial_infeed_sleep_secs: how long the first input waits.
        input_partition_dims: how inputs are cut.
        eval_training_input_configuration: how inputs of both are shared.
        experimental_host_call_every_n_steps: the interval of host calls.

    Example:
        >>> td.contrib.tpu.TPUConfig(iterations_per_loop=100).iterations_per_loop
        100
    """

    iterations_per_loop: int = 2
    num_shards: int | None = None
    num_cores_per_replica: int | None = None
    per_host_input_for_training: Any = True
    tpu_job_name: str | None = None
    initial_infeed_sleep_secs: int | None = None
    input_partition_dims: Any = None
    eval_training_input_configuration: Any = InputPipelineConfig.PER_HOST_V1
    experimental_host_call_every_n_steps: int = 1


class TPURunConfig(RunConfig):
    """A RunConfig with a TPUConfig.

    Args:
        tpu_config: a TPUConfig.
        evaluation_master: the target of sessions that evaluate; by default `master`.
        master: the target of sessions: none or empty for this process.
        cluster: None: there are no TPUs.
        kwargs: as for `td.estimator.RunConfig`.

    Raises:
        ValueError: a cluster is given.

    Example:
        >>> config = td.contrib.tpu.RunConfig(save_checkpoints_steps=5)
        >>> config.tpu_config.iterations_per_loop, config.save_checkpoints_steps
        (2, 5)
    """

    def __init__(
        self,
        tpu_config: TPUConfig | None = None,
        evaluation_master: str | None = None,
        master: str | None = None,
        cluster: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if cluster is not None:
            raise ValueError(f"cluster must be None, as there are no TPUs here, got {cluster!r}")
        self.master = master or ""
        self.evaluation_master = evaluation_master or self.master
        self._given |= {
            "tpu_config": tpu_config or TPUConfig(),
            "cluster": None,
            "master": self.master,
            "evaluation_master": self.evaluation_master,
        }

    @property
    def tpu_config(self) -> TPUConfig:
        """The TPUConfig."""
        return self._given["tpu_config"]

    @property
    def cluster(self) -> None:
        """There is none."""
        return


class CrossShardOptimizer(Optimizer):
    """An optimizer as it is: over one shard, the sum of gradients is the gradient.

    Args:
        opt: the optimizer.
        reduction: accepted for TensorFlow's sake.
        name: of the optimizer.
        group_assignment: accepted for TensorFlow's sake.

    Raises:
        TypeError: `opt` has the wrong type.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     x = td.Variable(1.0)
        ...     sgd = td.train.GradientDescentOptimizer(0.5)
        ...     step = td.contrib.tpu.CrossShardOptimizer(sgd).minimize(x * x)
        ...     session.run(td.global_variables_initializer())
        ...     session.run(step)
        ...     session.run(x)
        np.float32(0.0)
    """

    def __init__(
        self,
        opt: Optimizer,
        reduction: Any = "weighted_mean",
        name: str = "CrossShardOptimizer",
        group_assignment: Any = None,
    ) -> None:
        if not isinstance(opt, Optimizer):
            raise TypeError(f"opt must be an Optimizer, got {opt!r}")
        super().__init__(False, name)
        self._opt = opt

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients of the optimizer."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """The step of the optimizer."""
        return self._opt.apply_gradients(*args, **kwargs)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        """A slot of the optimizer."""
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self) -> list[str]:
        """The names of the slots of the optimizer."""
        return self._opt.get_slot_names()

    def variables(self) -> Any:
        """The variables of the optimizer."""
        return self._opt.variables()


class TPUClusterResolver:
    """Cluster resolver for TPUs, of which there are none.

    Args:
        tpu: the name of a TPU.
        args: accepted for TensorFlow's sake.
        kwargs: accepted for TensorFlow's sake.

    Raises:
        ValueError: always.

    Example:
        >>> td.contrib.cluster_resolver.TPUClusterResolver("mine")
        Traceback (most recent call last):
        ValueError: TPUClusterResolver: there are no TPUs: run without use_tpu
    """

    def __init__(self, tpu: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
        raise ValueError("there are no TPUs: run without use_tpu")
