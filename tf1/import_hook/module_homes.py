"""TensorFlow's inner modules, and where in tensordraft the names are that they hold."""

from __future__ import annotations

from ...graph.api.namespaces import NAMESPACES

_INNER = "tf1.private_modules"
_GENERATED = f"{_INNER}.generated_ops"
# Below each package its modules. `nn_ops=nn` says that the names of the module are looked for in
# `td.nn`, then in `td`, as for all. One that is called as a namespace is, such as `gfile`, has that
# home if none is stated; one all of whose homes are absent is absent. `~devices` is a module of the
# package for what is public nowhere, `/protos.messages` any other one, and `*` the package of
# TensorFlow's itself.
_TABLE = """
client:
    client_lib device_lib=~devices session timeline
contrib.crf.python.ops:
    crf=contrib.crf
contrib.cudnn_rnn.python.layers:
    cudnn_rnn=contrib.cudnn_rnn
contrib.cudnn_rnn.python.ops:
    cudnn_rnn_ops=contrib.cudnn_rnn
contrib.data.python.ops:
    *=contrib.data batching=contrib.data dataset_ops=contrib.data grouping=contrib.data
    interleave_ops=contrib.data readers=contrib.data shuffle_ops=contrib.data
contrib.distribute.python:
    *=contrib.distribute
contrib.distributions.python.ops:
    *=contrib.distributions
contrib.eager.python:
    tfe=~eager_context
contrib.framework.python:
    *=contrib.framework
contrib.framework.python.framework:
    checkpoint_utils=contrib.framework,train tensor_util=contrib.framework,contrib.util
contrib.framework.python.ops:
    *=contrib.framework arg_scope=contrib.framework audio_ops=audio,~generated_ops
    ops=contrib.framework variables=contrib.framework
contrib.image.python.ops:
    dense_image_warp=contrib.image image_ops=contrib.image
contrib.layers.python:
    *
contrib.layers.python.layers:
    *=contrib.layers embedding_ops=contrib.layers encoders=contrib.layers
    feature_column=contrib.layers feature_column_ops=contrib.layers
    initializers=contrib.layers layers=contrib.layers,contrib.framework
    normalization=contrib.layers optimizers=contrib.layers regularizers=contrib.layers
    summaries=contrib.layers utils=contrib.layers.utils,contrib.layers
contrib.layers.python.ops:
    sparse_ops
contrib.learn.python:
    *=contrib.learn
contrib.learn.python.learn:
    *=contrib.learn learn_runner=contrib.learn metric_spec=contrib.learn
    monitors=contrib.learn.monitors,contrib.learn
contrib.learn.python.learn.datasets:
    *=contrib.learn.datasets base=contrib.learn.datasets.base
    mnist=contrib.learn.datasets.mnist
contrib.learn.python.learn.estimators:
    *=contrib.learn dnn=contrib.learn estimator=contrib.learn linear=contrib.learn
    model_fn=contrib.learn run_config=contrib.learn
contrib.learn.python.learn.preprocessing:
    *=contrib.learn.preprocessing categorical_vocabulary=contrib.learn.preprocessing
    text=contrib.learn.preprocessing
contrib.legacy_seq2seq.python.ops:
    seq2seq=contrib.legacy_seq2seq
contrib.lookup:
    lookup_ops=contrib.lookup
contrib.losses.python.losses:
    *=contrib.losses loss_ops=contrib.losses
contrib.metrics.python.ops:
    *=contrib.metrics metric_ops=contrib.metrics
contrib.opt.python.training:
    *=contrib.opt external_optimizer=contrib.opt lazy_adam_optimizer=contrib.opt
    moving_average_optimizer=contrib.opt nadam_optimizer=contrib.opt
    weight_decay_optimizers=contrib.opt
contrib.rnn.python.ops:
    core_rnn=contrib.rnn core_rnn_cell=~cells,contrib.rnn
    core_rnn_cell_impl=~cells,contrib.rnn fused_rnn_cell=contrib.rnn gru_ops=contrib.rnn
    lstm_ops=contrib.rnn rnn=contrib.rnn rnn_cell=~cells,contrib.rnn
contrib.seq2seq.python.ops:
    *=contrib.seq2seq attention_wrapper=contrib.seq2seq basic_decoder=contrib.seq2seq
    beam_search_decoder=contrib.seq2seq beam_search_ops=contrib.seq2seq
    decoder=~cells,contrib.seq2seq helper=contrib.seq2seq loss=contrib.seq2seq
contrib.slim.python.slim:
    *=contrib.slim evaluation=contrib.slim.evaluation learning=contrib.slim.learning
    model_analyzer=contrib.slim.model_analyzer queues=contrib.slim.queues
    summaries=contrib.slim.summaries
contrib.slim.python.slim.data:
    data_decoder=contrib.slim.data_decoder data_provider=contrib.slim.data_provider
    dataset=contrib.slim.dataset dataset_data_provider=contrib.slim.dataset_data_provider
    parallel_reader=contrib.slim.parallel_reader
    tfexample_decoder=contrib.slim.tfexample_decoder
contrib.slim.python.slim.nets:
    *=contrib.slim.nets alexnet=contrib.slim.nets.alexnet
    inception=contrib.slim.nets.inception inception_v1=contrib.slim.nets.inception_v1
    inception_v2=contrib.slim.nets.inception_v2 inception_v3=contrib.slim.nets.inception_v3
    overfeat=contrib.slim.nets.overfeat resnet_utils=contrib.slim.nets.resnet_utils
    resnet_v1=contrib.slim.nets.resnet_v1 resnet_v2=contrib.slim.nets.resnet_v2
    vgg=contrib.slim.nets.vgg
contrib.tpu.python.tpu:
    *=contrib.tpu tpu_config=contrib.tpu tpu_estimator=contrib.tpu tpu_optimizer=contrib.tpu
contrib.training.python.training:
    *=contrib.training evaluation=contrib.training hparam=contrib.training
    training=contrib.training
contrib.util.python:
    *=contrib.util
core.example:
    example_pb2=train feature_pb2=train
core.framework:
    attr_value_pb2 graph_pb2 node_def_pb2 op_def_pb2 step_stats_pb2 summary_pb2 tensor_pb2
    tensor_shape_pb2 types_pb2=/protos.messages variable_pb2 versions_pb2
core.protobuf:
    cluster_pb2=train config_pb2 meta_graph_pb2 rewriter_config_pb2=/session.options saved_model_pb2
    saver_pb2=train tensorflow_server_pb2=train
core.util:
    event_pb2 saved_tensor_slice_pb2
examples:
    *
examples.tutorials:
    *
examples.tutorials.mnist:
    input_data=contrib.learn.datasets.mnist mnist=~mnist_network
models.rnn:
    rnn=nn rnn_cell=~first_cells,~cells,nn.rnn_cell seq2seq=nn.seq2seq
models.rnn.ptb:
    reader=~ptb_reader
python:
    *=nn,train tf2=~eager_context pywrap_tensorflow=train,~devices,~events_writer
    pywrap_tensorflow_internal=train
python.client:
    client_lib device_lib=~devices session timeline
python.data:
    *=data
python.data.experimental:
    *=data.experimental
python.data.experimental.ops:
    batching=data.experimental grouping=data.experimental interleave_ops=data.experimental
    iterator_ops=data.experimental random_ops=data.experimental readers=data.experimental
    scan_ops=data.experimental shuffle_ops=data.experimental unique=data.experimental
python.data.ops:
    dataset_ops=data iterator_ops=data readers=data
python.data.util:
    nest=nest
python.debug:
    *=~debug
python.distribute:
    *=distribute cross_device_ops=distribute distribute_lib=distribute
    distribution_strategy_context=distribute mirrored_strategy=distribute
    one_device_strategy=distribute reduce_util=distribute
python.eager:
    backprop context=~eager_context
python.estimator:
    *=estimator estimator=estimator estimator_lib=estimator exporter=estimator
    model_fn=estimator run_config=estimator training=estimator
    util=~decorators
python.estimator.canned:
    dnn=estimator linear=estimator
python.estimator.export:
    *=estimator.export export=estimator.export
python.estimator.inputs:
    *=estimator.inputs inputs=estimator.inputs numpy_io=estimator.inputs
    pandas_io=estimator.inputs
python.feature_column:
    *=feature_column feature_column=feature_column feature_column_lib=feature_column
    feature_column_v2=feature_column
python.framework:
    common_shapes constant_op device device_spec dtypes errors errors_impl=errors
    framework_lib function=contrib.framework graph_io=train,io graph_util
    graph_util_impl=graph_util importer indexed_slices load_library meta_graph=train
    op_def_registry ops=~framework_ops,errors random_seed registry
    smart_cond=contrib.framework sparse_tensor tensor_shape=~shapes tensor_spec
    tensor_util=contrib.util test_util=~test_tools,test versions
python.keras.engine:
    base_layer=keras.layers input_layer=keras.layers input_spec=keras.layers network=keras
    sequential=keras training=keras
python.keras.layers:
    advanced_activations=keras.layers convolutional=keras.layers core=keras.layers
    embeddings=keras.layers local=keras.layers merge=keras.layers noise=keras.layers
    normalization=keras.layers pooling=keras.layers recurrent=keras.layers
    wrappers=keras.layers
python.keras.utils:
    conv_utils=~layer_tools data_utils=keras.utils generic_utils=keras.utils
    layer_utils=keras.utils np_utils=keras.utils
python.layers:
    base=layers convolutional=layers,~layer_tools core=layers layers maxout=contrib.layers
    normalization=layers pooling=layers utils=~layer_tools,contrib.framework,contrib.util
python.lib:
    *
python.lib.io:
    file_io=~file_io python_io tf_record=python_io,io
python.module:
    module
python.ops:
    array_grad array_ops=~array_parts,~generated_ops audio_ops=audio,~generated_ops
    bitwise_ops=bitwise candidate_sampling_ops=nn check_ops clip_ops
    confusion_matrix=math,~weights_broadcast control_flow_ops=~control_flow,~generated_ops
    control_flow_util=~control_flow
    ctc_ops=nn custom_gradient data_flow_ops=queue,contrib.staging,~generated_ops
    embedding_ops=nn functional_ops gen_array_ops=~generated_ops
    gen_audio_ops=~generated_ops
    gen_bitwise_ops=~generated_ops gen_candidate_sampling_ops=~generated_ops
    gen_control_flow_ops=~generated_ops gen_ctc_ops=~generated_ops
    gen_data_flow_ops=~generated_ops gen_image_ops=~generated_ops gen_io_ops=~generated_ops
    gen_linalg_ops=~generated_ops gen_list_ops=~generated_ops gen_logging_ops=~generated_ops
    gen_lookup_ops=~generated_ops gen_manip_ops=~generated_ops gen_math_ops=~generated_ops
    gen_nn_ops=~generated_ops gen_parsing_ops=~generated_ops gen_random_ops=~generated_ops
    gen_resource_variable_ops=~generated_ops gen_script_ops=~generated_ops
    gen_set_ops=~generated_ops gen_sparse_ops=~generated_ops gen_spectral_ops=~generated_ops
    gen_state_ops=~generated_ops gen_stateless_random_ops=~generated_ops
    gen_string_ops=~generated_ops gen_summary_ops=~generated_ops
    gen_training_ops=~generated_ops gradient_checker=test gradients gradients_impl
    image_ops=image image_ops_impl=image init_ops=~initializer_classes,initializers
    initializers_ns=initializers inplace_ops io_ops=io,~generated_ops linalg_ops=linalg
    logging_ops=summary
    lookup_ops=lookup,contrib.lookup manip_ops=manip map_fn math_grad
    math_ops=math,~generated_ops metrics metrics_impl=metrics,~weights_broadcast
    nn nn_grad nn_impl=nn
    nn_ops=nn,~generated_ops numerics parsing_ops=io partitioned_variables random_ops=random
    resource_variable_ops=~resource_variables,~generated_ops resources=~resources rnn=~cells,nn
    rnn_cell=nn.rnn_cell
    rnn_cell_impl=~cells,nn.rnn_cell script_ops sdca_ops seq2seq=nn.seq2seq session_ops sets
    sets_impl=sets sort_ops sparse_ops=sparse special_math_ops=math spectral_ops=spectral
    standard_ops state_ops=~generated_ops stateless_random_ops=random string_ops=strings
    summary_op_util=~summary_op_util summary_ops=summary template tensor_array_ops
    variable_scope=~scopes variables weights_broadcast_ops=~weights_broadcast
    control_flow_grad critical_section_ops cudnn_rnn_grad data_flow_grad gradients_util
    gen_batch_ops=~generated_ops gen_clustering_ops=~generated_ops
    gen_cudnn_rnn_ops=~generated_ops gen_dataset_ops=~generated_ops
    gen_functional_ops=~generated_ops gen_ragged_array_ops=~generated_ops
    gen_ragged_conversion_ops=~generated_ops gen_ragged_math_ops=~generated_ops
    gen_rnn_ops=~generated_ops gen_stateful_random_ops=~generated_ops
    histogram_ops image_grad init_ops_v2=initializers linalg_grad linalg_ops_impl=linalg
    manip_grad parsing_grad random_grad rnn_grad sparse_grad state_grad
    stateful_random_ops=random tensor_array_grad unconnected_gradients
python.ops.distributions:
    bernoulli=distributions beta=distributions categorical=distributions
    dirichlet=distributions dirichlet_multinomial=distributions distribution=distributions
    distributions=distributions exponential=distributions gamma=distributions
    kullback_leibler=distributions laplace=distributions multinomial=distributions
    normal=distributions student_t=distributions uniform=distributions
python.ops.linalg:
    linalg linalg_impl=linalg
python.ops.losses:
    losses=losses losses_impl=losses util=losses
python.ops.ragged:
    ragged_array_ops=ragged ragged_factory_ops=ragged ragged_string_ops=strings,ragged
    ragged_tensor=ragged
python.ops.signal:
    dct_ops=signal fft_ops=signal mel_ops=signal mfcc_ops=signal reconstruction_ops=signal
    shape_ops=signal signal=signal spectral_ops=signal window_ops=signal
python.platform:
    app benchmark=test flags gfile googletest=test,app logging resource_loader sysconfig
    test tf_logging=logging
python.profiler:
    *=profiler model_analyzer=profiler option_builder=profiler
python.saved_model:
    *=saved_model builder=saved_model.builder builder_impl=saved_model.builder
    constants=saved_model.constants loader=saved_model.loader loader_impl=saved_model.loader
    main_op=saved_model.main_op main_op_impl=saved_model.main_op
    signature_constants=saved_model.signature_constants
    signature_def_utils=saved_model.signature_def_utils
    signature_def_utils_impl=saved_model.signature_def_utils simple_save=saved_model
    tag_constants=saved_model.tag_constants utils=saved_model.utils
    utils_impl=saved_model.utils
python.summary:
    plugin_asset summary summary_iterator=train
python.summary.writer:
    event_file_writer=summary writer=summary writer_cache=summary
python.tools:
    freeze_graph=~freeze_graph import_pb_to_tensorboard=~import_pb_to_tensorboard
    inspect_checkpoint=~inspect_checkpoint optimize_for_inference=~optimize_for_inference
    optimize_for_inference_lib=~optimize_for_inference saved_model_utils=~saved_model_utils
    strip_unused=~strip_unused strip_unused_lib=~strip_unused
python.training:
    adadelta=train adagrad=train adagrad_da=train adam=train basic_loops=train
    basic_session_run_hooks=train checkpoint_management=train checkpoint_ops=train
    checkpoint_utils=train coordinator=train device_setter=~device_setter,train
    evaluation=~evaluation,contrib.training
    ftrl=train gradient_descent=train input=train learning_rate_decay=train
    learning_rate_decay_v2=train momentum=train monitored_session=~hooked_sessions,train
    moving_averages=~moving_averages optimizer=train proximal_adagrad=train
    proximal_gradient_descent=train queue_runner=train queue_runner_impl=train rmsprop=train
    saver=train server_lib=train session_manager=train session_run_hook=train
    slot_creator=~slot_creator summary_io=train supervisor=train
    sync_replicas_optimizer=train training=train training_ops=~generated_ops
    training_util=train warm_starting_util=train
python.user_ops:
    user_ops
python.util:
    compat deprecation=~decorators function_utils=~decorators lazy_loader=~decorators
    nest=nest,contrib.framework.nest all_util=~decorators
    tf_contextlib=~decorators tf_decorator=~decorators tf_export=~decorators
    tf_inspect=~tf_inspect tf_should_use=~decorators
tools:
    *
tools.graph_transforms:
    *=graph_util
"""


# Functions in here have the names of functions of `td` itself, and are others: they are never
# looked for there.
_APART = (
    "tensorflow.python.data",
    "tensorflow.python.distribute",
    "tensorflow.python.estimator",
    "tensorflow.python.feature_column",
    "tensorflow.python.keras",
    "tensorflow.python.layers",
    "tensorflow.python.ops.distributions",
    "tensorflow.python.ops.losses",
    "tensorflow.python.ops.ragged",
    "tensorflow.python.ops.signal",
    "tensorflow.python.ops.stateless_random_ops",
    "tensorflow.python.profiler",
    "tensorflow.python.saved_model",
)


def _homes() -> dict[str, tuple[str, ...]]:
    """Of each inner module the places to look for its names."""
    homes: dict[str, tuple[str, ...]] = {}
    package = ""
    for line in _TABLE.strip().splitlines():
        if not line.startswith(" "):
            package = "tensorflow." + line.removesuffix(":")
            homes.setdefault(package, ("",))
            continue
        for entry in line.split():
            name, _, stated = entry.partition("=")
            own = stated or (name if f"td.{name}" in NAMESPACES else "")
            found = tuple(home.replace("~", f"{_INNER}.") for home in own.split(",") if home)
            there = tuple(
                home.removeprefix("/")
                for home in found
                if f"td.{home}" in NAMESPACES or home.startswith(("/", _INNER))
            )
            if there or not found:
                module = package if name == "*" else f"{package}.{name}"
                if name.startswith("gen_"):
                    homes[module] = (_GENERATED,)
                    continue
                both = there if module.startswith(_APART) and there else (*there, "")
                # Names of generated functions are also those of functions with other arguments.
                homes[module] = tuple(sorted(both, key=_GENERATED.__eq__))
    for module in [*homes]:  # the packages around them are modules, too
        while "." in (module := module.rpartition(".")[0]):
            homes.setdefault(module, ("",))
    return homes


HOMES = _homes()
"""Of each inner module, by its full name, the modules of this package that have its names."""

HIDDEN_BY_FUNCTIONS = frozenset({"tensorflow.contrib.framework.python.ops.arg_scope"})
"""Modules whose package imports a function of the same name over them: it is found first."""
