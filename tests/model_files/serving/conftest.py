"""A server with several small models, for all tests of protocols."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from served_models import Rest, save_examples, save_graph, save_scaled, save_several

import tensordraft as td


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of models: versions of `scaled`, and others by name."""
    folder = tmp_path_factory.mktemp("models")
    for version, factor in ((1, 2.0), (2, 3.0), (10, 5.0)):
        save_scaled(folder / "scaled" / str(version), factor)
    save_several(folder / "several")
    save_examples(folder / "examples")
    save_graph(folder / "numbers.pb")
    config = """model_config_list {
        config { name: "scaled" base_path: "scaled" model_platform: "tensorflow"
                 model_version_policy { specific { versions: 2 versions: 10 } }
                 version_labels { key: "stable" value: 2 } }
        config { name: "several" base_path: "several" }
        config { name: "examples" base_path: "examples" }
        config { name: "numbers" base_path: "numbers.pb" }
    }"""
    (folder / "models.config").write_text(config)
    return folder


@pytest.fixture(scope="session")
def server(models: Path) -> Iterator[td.serving.Server]:
    path = models / "models.config"
    limits = td.serving.Limits(request_bytes=1 << 20, tensor_bytes=1 << 20)
    with td.serving.Server(path, limits=limits, poll_seconds=0, allow_reload=True) as server:
        assert server.is_ready
        yield server


@pytest.fixture
def rest(server: td.serving.Server) -> Iterator[Rest]:
    client = Rest(server.rest_port or 0)
    yield client
    client.close()
