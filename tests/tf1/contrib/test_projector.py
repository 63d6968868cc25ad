"""The configuration of TensorBoard's projector, in the folder of a writer."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensordraft as td

projector = td.contrib.tensorboard.plugins.projector


def test_a_config_in_the_folder_of_a_writer(tmp_path: Path) -> None:
    config = projector.ProjectorConfig(model_checkpoint_path="model-7")
    shown = config.embeddings.add(tensor_name="words", metadata_path="words.tsv")
    shown.sprite.image_path = "all.png"
    shown.sprite.single_image_dim.extend([28, 28])
    writer = td.summary.FileWriter(str(tmp_path))
    projector.visualize_embeddings(writer, config)
    writer.close()
    assert (tmp_path / "projector_config.pbtxt").read_text() == (
        'model_checkpoint_path: "model-7"\n'
        "embeddings {\n"
        '  tensor_name: "words"\n'
        '  metadata_path: "words.tsv"\n'
        "  sprite {\n"
        '    image_path: "all.png"\n'
        "    single_image_dim: 28\n"
        "    single_image_dim: 28\n"
        "  }\n"
        "}\n"
    )
    with pytest.raises(ValueError, match="must have a logdir"):
        projector.visualize_embeddings(None, config)
