"""`tensordraft serve`."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_harness import Cli, in_folder
from places import ROOT
from served_models import Rest, save_scaled

import tensordraft as td


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Cli]:
    yield from in_folder(tmp_path, capsys)


def test_a_server_that_is_asked_to_end(tmp_path: Path) -> None:
    save_scaled(tmp_path / "m" / "1", 3.0)
    command = [
        *(sys.executable, "-m", "tensordraft", "serve", str(tmp_path), "--port", "0"),
        *("--rest-port", "0", "--log-requests", "--batching", "--memory", "1G", "--grace", "5"),
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT.parent
    ) as server:
        assert server.stderr is not None
        assert server.stdout is not None
        lines = []
        for line in server.stderr:
            lines.append(line)
            if line.startswith("REST at "):
                break
        port = re.search(r":(\d+)/v1/models", lines[-1])
        assert port is not None
        rest = Rest(int(port[1]))
        assert rest.post("/v1/models/m:predict", {"inputs": [2.0]}) == {"outputs": [6.0]}
        rest.close()
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        assert '"api": "Predict"' in server.stdout.read()
        assert "model m version 1 serves" in lines[0]
        assert "is unloaded" in server.stderr.read()


def test_a_report_without_serving(cli: Cli, tmp_path: Path) -> None:
    save_scaled(tmp_path / "models" / "good" / "1")
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [None], name="x")
        td.subtract(x, td.reduce_mean(x), name="y")
    td.save_graph(graph, str(tmp_path / "models" / "centered.pb"))
    done = cli("serve", "models", "--check", "--batching")
    assert done.code == 0
    assert "good version 1: ready\n  serving_default(x: float32[?]) -> (y: float32[?])" in done.out
    assert "requests run one by one: " in done.out
    broken = save_scaled(tmp_path / "models" / "bad" / "7") / "saved_model.pb"
    broken.write_bytes(b"none")
    (tmp_path / "batching.txt").write_text("max_batch_size { value: 3 }")
    done = cli("serve", "models", "--check", "--batching", "batching.txt")
    assert done.code == 1
    assert "bad version 7: " in done.out
    answer = cli("serve", "models", "--check", "--json")
    assert '"bad": {"7": {"status": "DATA_LOSS", "signatures": {}}}' in answer.out


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["nowhere"], 1, "there is no file or folder"),
        ([".", "--client-authority", "x"], 1, "--client-authority goes with --tls"),
        ([".", "--port", "x"], 2, "expected a port or 'off', got 'x'"),
        ([".", "--memory", "x"], 2, "expected bytes, such as 512M or 2G, got 'x'"),
        ([".", "--port", "off", "--rest-port", "off"], 1, "there would be no server"),
        ([".", "--batching", "nowhere"], 1, "nowhere"),
    ],
)
def test_errors(cli: Cli, arguments: list[str], code: int, text: str) -> None:
    done = cli("serve", *arguments)
    assert (done.code, text in done.err) == (code, True), done.err
