"""Data as slim reads it: from files of examples to batches of items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td
from tensordraft.tf1.contrib.slim.data_queues import (
    NestedQueueRunnerError,
    prefetch_queue,
    queue_runners,
)
from tensordraft.tf1.contrib.slim.datasets import (
    DataProvider,
    Dataset,
    DatasetDataProvider,
    parallel_read,
    single_pass_read,
)
from tensordraft.tf1.contrib.slim.model_analyzer import (
    analyze_ops,
    analyze_vars,
    tensor_description,
)
from tensordraft.tf1.contrib.slim.tfexample_decoder import (
    BackupHandler,
    BoundingBox,
    DataDecoder,
    Image,
    ItemHandler,
    ItemHandlerCallback,
    LookupTensor,
    SparseTensor,
    Tensor,
    TFExampleDecoder,
)

PIXELS = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
BYTES = td.FixedLenFeature([], td.string)
INT = td.FixedLenFeature([], td.int64)


def feature(values: Any) -> Any:
    if isinstance(values[0], bytes):
        return td.train.Feature(bytes_list=td.train.BytesList(value=values))
    if isinstance(values[0], int):
        return td.train.Feature(int64_list=td.train.Int64List(value=values))
    return td.train.Feature(float_list=td.train.FloatList(value=values))


def example(**values: Any) -> bytes:
    features = {name.replace("__", "/"): feature(value) for name, value in values.items()}
    message = td.train.Example(features=td.train.Features(feature=features))
    serialized: bytes = message.SerializeToString()
    return serialized


def decoded(handler: ItemHandler, features: dict[str, Any], **values: Any) -> Any:
    with td.Graph().as_default(), td.Session() as session:
        decoder = TFExampleDecoder(features, {"item": handler})
        assert decoder.list_items() == ["item"]
        (item,) = decoder.decode(td.constant(example(**values)))
        return session.run(item)


@pytest.mark.parametrize("kind", [b"png", b"raw"])
def test_images(kind: bytes) -> None:
    with td.Graph().as_default(), td.Session() as session:
        encoded = PIXELS.tobytes() if kind == b"raw" else session.run(td.image.encode_png(PIXELS))
    given: dict[str, Any] = {"image__encoded": [encoded], "image__format": [kind]}
    features = {"image/encoded": BYTES, "image/format": BYTES}
    image = decoded(Image(shape=[2, 4, 3]), features, **given)
    np.testing.assert_array_equal(image, PIXELS)
    several = {"image/encoded": td.FixedLenFeature([2], td.string), "image/format": BYTES}
    given["image__encoded"] *= 2
    images = decoded(Image(shape=[2, 4, 3], repeated=True), several, **given)
    np.testing.assert_array_equal(images, [PIXELS, PIXELS])


def test_boxes_are_rows() -> None:
    sides = {key: td.VarLenFeature(td.float32) for key in ("ymin", "xmin", "ymax", "xmax")}
    values = {"ymin": [0.0, 0.5], "xmin": [0.1, 0.2], "ymax": [1.0, 0.75], "xmax": [0.3, 0.4]}
    box = decoded(BoundingBox(), sides, **values)
    np.testing.assert_allclose(box, [[0, 0.1, 1, 0.3], [0.5, 0.2, 0.75, 0.4]], rtol=1e-6)
    with pytest.raises(ValueError, match="are not four"):
        BoundingBox(["a"])


def test_tensors_get_shapes_and_defaults() -> None:
    ragged = {"a": td.VarLenFeature(td.int64), "n": td.VarLenFeature(td.int64)}
    found = decoded(Tensor("a", shape_keys="n"), ragged, a=[1, 2, 3, 4], n=[2, 2])
    assert found.tolist() == [[1, 2], [3, 4]]
    found = decoded(Tensor("a", shape=[2, 1]), {"a": td.FixedLenFeature([2], td.int64)}, a=[5, 6])
    assert found.tolist() == [[5], [6]]
    words = {"w": td.VarLenFeature(td.string)}
    assert decoded(Tensor("w"), words, w=[b"x", b"y"]).tolist() == [b"x", b"y"]
    with pytest.raises(ValueError, match="cannot both be given"):
        Tensor("a", "n", [1])


def test_other_handlers() -> None:
    sparse = {"i": td.VarLenFeature(td.int64), "v": td.VarLenFeature(td.float32)}
    dense = decoded(SparseTensor("i", "v", shape=[4], densify=True), sparse, i=[1, 3], v=[2.0, 4.0])
    assert dense.tolist() == [0, 2, 0, 4]
    double = ItemHandlerCallback(["n"], lambda found: found["n"] * 2)
    assert decoded(double, {"n": INT}, n=[4]) == 8
    backup = BackupHandler(Tensor("a"), Tensor("b"))
    both = {"a": td.VarLenFeature(td.int64), "b": td.VarLenFeature(td.int64)}
    assert decoded(backup, both, b=[7]).tolist() == [7]
    assert decoded(backup, both, a=[1], b=[7]).tolist() == [1]
    with td.Graph().as_default(), td.Session() as session:
        table = td.contrib.lookup.index_table_from_tensor(["no", "yes"])
        decoder = TFExampleDecoder({"w": BYTES}, {"word": LookupTensor("w", table)})
        (found,) = decoder.decode(td.constant(example(w=[b"yes"])), ["word"])
        session.run(td.tables_initializer())
        assert session.run(found) == 1
    for call in (DataDecoder().list_items, lambda: DataDecoder().decode(b"", [])):
        with pytest.raises(NotImplementedError):
            call()
    with pytest.raises(NotImplementedError):
        ItemHandler("a").tensors_to_item({})


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    for part in range(2):
        with td.python_io.TFRecordWriter(str(tmp_path / f"part-{part}.rec")) as writer:
            for i in range(3):
                writer.write(example(n=[3 * part + i]))
    features = {"n": td.FixedLenFeature([1], td.int64)}
    decoder = TFExampleDecoder(features, {"number": Tensor("n", shape=[])})
    described = {"number": "which one"}
    return Dataset(
        str(tmp_path / "part-*"), td.TFRecordReader, decoder, 6, described, num_classes=2
    )


@pytest.mark.parametrize("shuffle", [False, True])
def test_all_examples_come(dataset: Dataset, shuffle: bool) -> None:
    with td.Graph().as_default(), td.Session() as session:
        provider = DatasetDataProvider(
            dataset, num_readers=1, shuffle=shuffle, common_queue_min=2, seed=1
        )
        number, key = provider.get(["number", "record_key"])
        assert number.shape.as_list() == []
        assert (provider.num_samples(), dataset.num_classes) == (6, 2)
        with queue_runners(session):
            found = [int(session.run([number, key])[0]) for _ in range(12)]
            with pytest.raises(NestedQueueRunnerError), queue_runners(session):
                pass
    assert set(found) <= {*range(6)}
    if not shuffle:
        assert found == [*range(6), *range(6)]
    with pytest.raises(AttributeError, match="no attribute 'classes'"):
        dataset.classes  # noqa: B018


def test_records_come_once(dataset: Dataset) -> None:
    with td.Graph().as_default(), td.Session() as session:
        _, value = single_pass_read(dataset.data_sources, dataset.reader)
        session.run(td.local_variables_initializer())
        with queue_runners(session):
            for _ in range(6):
                session.run(value)
            with pytest.raises(td.errors.OutOfRangeError):
                session.run(value)
    with pytest.raises(ValueError, match="match no file"):
        parallel_read([dataset.data_sources + "x"], td.TFRecordReader)


def test_items_are_known() -> None:
    provider = DataProvider({"a": 1}, None)
    with pytest.raises(ValueError, match=r"there is no item 'b'; there are \['a'\]"):
        provider.get(["b"])


@pytest.mark.parametrize("dynamic_pad", [False, True])
def test_batches_are_there_before(dynamic_pad: bool) -> None:
    with td.Graph().as_default(), td.Session() as session:
        size = None if dynamic_pad else 2
        x = td.placeholder_with_default(td.constant([1.0, 2.0]), [size])
        queue = prefetch_queue({"x": x, "n": td.constant(3)}, dynamic_pad=dynamic_pad)
        batch = queue.dequeue()
        with queue_runners(session):
            found = session.run(batch)
        assert (found["x"].tolist(), found["n"]) == ([1.0, 2.0], 3)
        assert len(td.get_collection(td.GraphKeys.SUMMARIES)) == 1


def test_models_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None, 2], name="x")
        v = td.get_variable("v", [2, 3])
        td.matmul(x, v, name="y")
        odd = td.placeholder(td.float32, name="odd")
    assert tensor_description(x) == "(float32 ?x2)"
    assert tensor_description(odd) == "(float32 ?)"
    assert analyze_vars([v]) == (6, 24)
    assert capsys.readouterr().out == ""
    assert analyze_ops(graph, print_info=True) > 6
    assert "y\t-> (float32 ?x3)" in capsys.readouterr().out
