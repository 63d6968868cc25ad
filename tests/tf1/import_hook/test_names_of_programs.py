"""The names that public programs of TensorFlow 1.x use most work, or say what to write instead.

Facts: the names that 3 or more of 64 repositories use, by module.
"""

from __future__ import annotations

import pytest

from tensordraft.tf1.import_hook.name_check import check_names

NAMES = {
    "": (
        "FIFOQueue FixedLenFeature FixedLenSequenceFeature RandomShuffleQueue Summary "
        "TFRecordReader TensorArray TextLineReader VarLenFeature WholeFileReader decode_csv "
        "decode_raw flags gradients histogram_summary image_summary keras logging "
        "merge_all_summaries merge_summary parse_single_example parse_single_sequence_example "
        "read_file scalar_summary tables_initializer"
    ),
    "app": "flags run",
    "app.flags": "DEFINE_boolean DEFINE_float DEFINE_integer DEFINE_string FLAGS",
    "contrib": "layers learn rnn slim",
    "contrib.data": "Dataset",
    "contrib.distributions": "Normal",
    "contrib.framework": "arg_scope get_global_step",
    "contrib.layers": (
        "batch_norm convolution2d dropout flatten fully_connected l2_regularizer layer_norm "
        "linear optimize_loss real_valued_column variance_scaling_initializer "
        "xavier_initializer"
    ),
    "contrib.learn": "DNNRegressor Estimator Experiment RunConfig",
    "contrib.learn.ModeKeys": "INFER TRAIN",
    "contrib.learn.preprocessing": "VocabularyProcessor",
    "contrib.legacy_seq2seq": "sequence_loss_by_example",
    "contrib.rnn": (
        "BasicLSTMCell BasicRNNCell DropoutWrapper GRUCell LSTMCell LSTMStateTuple "
        "MultiRNNCell static_bidirectional_rnn static_rnn"
    ),
    "contrib.seq2seq": "AttentionWrapper BahdanauAttention",
    "contrib.slim": (
        "add_arg_scope arg_scope assign_from_checkpoint_fn avg_pool2d batch_norm conv2d "
        "conv2d_transpose dropout flatten fully_connected get_model_variables l2_regularizer "
        "max_pool2d repeat separable_conv2d softmax variance_scaling_initializer"
    ),
    "contrib.slim.initializers": "xavier_initializer",
    "contrib.slim.learning": "train",
    "contrib.slim.tfexample_decoder": "Image TFExampleDecoder Tensor",
    "contrib.tensor_forest.python": "tensor_forest",
    "contrib.tensor_forest.python.tensor_forest": "ForestHParams RandomForestGraphs",
    "contrib.tensorboard.plugins": "projector",
    "contrib.tensorboard.plugins.projector": "ProjectorConfig visualize_embeddings",
    "contrib.tpu": "RunConfig TPUConfig TPUEstimator",
    "contrib.training": "HParams",
    "data": "Dataset Iterator TFRecordDataset TextLineDataset",
    "data.experimental": "parallel_interleave",
    "estimator": "DNNClassifier Estimator EstimatorSpec RunConfig",
    "estimator.ModeKeys": "EVAL PREDICT TRAIN",
    "estimator.inputs": "numpy_input_fn",
    "feature_column": "numeric_column",
    "flags": "DEFINE_bool DEFINE_boolean DEFINE_float DEFINE_integer DEFINE_string FLAGS",
    "image": (
        "central_crop convert_image_dtype crop_to_bounding_box decode_image decode_jpeg "
        "decode_png draw_bounding_boxes encode_jpeg encode_png flip_left_right "
        "grayscale_to_rgb non_max_suppression pad_to_bounding_box per_image_standardization "
        "random_brightness random_contrast random_flip_left_right random_hue "
        "random_saturation resize_image_with_crop_or_pad resize_images rgb_to_grayscale "
        "sample_distorted_bounding_box"
    ),
    "image.ResizeMethod": "AREA BICUBIC BILINEAR NEAREST_NEIGHBOR",
    "keras.layers": "Dense",
    "layers": (
        "average_pooling2d batch_normalization conv2d conv2d_transpose dense dropout "
        "max_pooling1d max_pooling2d max_pooling3d separable_conv2d"
    ),
    "logging": "DEBUG INFO debug error fatal info set_verbosity warn warning",
    "losses": (
        "add_loss get_total_loss mean_squared_error softmax_cross_entropy "
        "sparse_softmax_cross_entropy"
    ),
    "metrics": "accuracy mean precision recall root_mean_squared_error",
    "nn": (
        "bidirectional_dynamic_rnn conv3d_transpose deconv2d dynamic_rnn nce_loss "
        "sampled_softmax_loss"
    ),
    "nn.rnn_cell": (
        "BasicLSTMCell BasicRNNCell DropoutWrapper GRUCell LSTMCell MultiRNNCell RNNCell"
    ),
    "nn.seq2seq": "embedding_attention_seq2seq model_with_buckets sequence_loss_by_example",
    "profiler": "ProfileOptionBuilder",
    "python": "debug pywrap_tensorflow",
    "python.client": "device_lib timeline",
    "python.client.device_lib": "list_local_devices",
    "python.client.timeline": "Timeline",
    "python.framework": "constant_op dtypes graph_util importer ops tensor_shape tensor_util",
    "python.framework.dtypes": "int32",
    "python.framework.graph_util": "convert_variables_to_constants",
    "python.framework.importer": "import_graph_def",
    "python.framework.ops": "convert_to_tensor name_scope",
    "python.framework.tensor_shape": "scalar",
    "python.lib.io": "file_io",
    "python.lib.io.file_io": "file_exists",
    "python.ops": (
        "array_ops control_flow_ops math_ops random_ops standard_ops state_ops variable_scope "
        "variables"
    ),
    "python.ops.array_ops": "shape",
    "python.ops.control_flow_ops": "cond merge switch",
    "python.ops.random_ops": "random_uniform",
    "python.platform": "app gfile",
    "python.platform.app": "run",
    "python.platform.gfile": "Exists FastGFile GFile Glob Open",
    "python.pywrap_tensorflow": "NewCheckpointReader",
    "python.training": "moving_averages",
    "python.training.moving_averages": "assign_moving_average",
    "python.util": "compat nest",
    "python.util.compat": "as_bytes",
    "python.util.nest": "map_structure",
    "python_io": "TFRecordWriter tf_record_iterator",
    "saved_model.builder": "SavedModelBuilder",
    "saved_model.signature_constants": "DEFAULT_SERVING_SIGNATURE_DEF_KEY",
    "saved_model.tag_constants": "SERVING",
    "summary": "FileWriter histogram image merge merge_all scalar",
    "test": "TestCase get_temp_dir is_built_with_cuda main",
    "train": (
        "AdadeltaOptimizer AdagradOptimizer AdamOptimizer BytesList ClusterSpec Coordinator "
        "Example Feature Features FloatList FtrlOptimizer GradientDescentOptimizer Int64List "
        "LoggingTensorHook MomentumOptimizer MonitoredSession MonitoredTrainingSession "
        "Optimizer QueueRunner RMSPropOptimizer Scaffold Server StopAtStepHook SummaryWriter "
        "Supervisor batch batch_join exponential_decay match_filenames_once "
        "piecewise_constant polynomial_decay replica_device_setter shuffle_batch "
        "slice_input_producer start_queue_runners string_input_producer"
    ),
    "train.queue_runner": "QueueRunner add_queue_runner",
}


@pytest.mark.parametrize("module", NAMES)
def test_a_name_works_or_says_why_not(module: str) -> None:
    home = ".".join(part for part in ("tf", module) if part)
    uses = "\n".join(f"{home}.{name}" for name in NAMES[module].split())
    report = check_names(f"import tensorflow as tf\n{uses}\n")
    unexplained = [
        missing
        for missing in report.missing
        if missing.reason == "there is none" or missing.reason.startswith("did you mean")
    ]
    assert unexplained == []


def test_most_of_them_work() -> None:
    names = [f"tf.{m}.{n}" if m else f"tf.{n}" for m, found in NAMES.items() for n in found.split()]
    report = check_names("import tensorflow as tf\n" + "\n".join(names))
    assert len(names) > 280
    assert len({missing.name for missing in report.missing}) < 0.1 * len(report.names)
