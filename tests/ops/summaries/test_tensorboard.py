"""TensorBoard's own reader finds in event files what was written. Skipped where there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

LOSSES = [1.5, 0.5, 0.25]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """TensorBoard's reader on a short training run."""
    accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator", reason="no TensorBoard here"
    )
    folder = tmp_path_factory.mktemp("logs")
    _write(folder)
    reader = accumulator.EventAccumulator(
        str(folder), dict.fromkeys(["tensors", "scalars", "histograms"], 0)
    )
    return reader.Reload()


def _write(folder: Path) -> None:
    with td.Graph().as_default() as graph, td.Session() as session:
        loss = td.placeholder(td.float32, [], name="loss_value")
        td.summary.scalar("loss", loss)
        td.summary.histogram("spread", td.constant([1.0, 2.0, 2.0, 3.0]) * loss)
        td.summary.image("picture", td.ones([1, 2, 3, 1]))
        td.summary.audio("sound", td.zeros([1, 8]), sample_rate=8000)
        td.summary.text("words", td.constant("so it goes"))
        merged = td.summary.merge_all()
        metadata = td.RunMetadata()
        options = td.RunOptions(trace_level=td.RunOptions.FULL_TRACE)
        with td.summary.FileWriter(str(folder), graph) as writer:
            for step, value in enumerate(LOSSES):
                written = session.run(merged, {loss: value}, options, metadata)
                writer.add_summary(written, step)
            writer.add_run_metadata(metadata, "last")


def test_scalars(found: Any) -> None:
    events = found.Scalars("loss")
    assert [(event.step, event.value) for event in events] == list(enumerate(LOSSES))


def test_histograms(found: Any) -> None:
    value = found.Histograms("spread")[0].histogram_value
    assert (value.num, value.sum) == (4, 8 * LOSSES[0])


def test_images_and_sounds(found: Any) -> None:
    [picture] = found.Images("picture/image/0")[:1]
    assert (picture.width, picture.height) == (3, 2)
    assert picture.encoded_image_string.startswith(b"\x89PNG")
    assert found.Audio("sound/audio/0")[0].sample_rate == 8000


def test_texts(found: Any) -> None:
    proto = found.Tensors("words")[0].tensor_proto
    assert np.array(proto.string_val).ravel().tolist() == [b"so it goes"]


def test_the_graph_and_what_a_run_took(found: Any) -> None:
    assert "loss_value" in {node.name for node in found.Graph().node}
    assert found.RunMetadata("last").step_stats.dev_stats
