"""Models for the tests of serving, and plain HTTP."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from typing import Any

import tensordraft as td


def save_scaled(folder: Path, factor: float = 2.0) -> Path:
    """A SavedModel with `y = factor * x` for a batch of numbers; the factor is a variable."""
    with td.Graph().as_default(), td.Session() as session:
        x = td.placeholder(td.float32, [None], name="x")
        v = td.Variable(factor, name="v")
        session.run(td.global_variables_initializer())
        td.saved_model.simple_save(session, str(folder), {"x": x}, {"y": x * v})
    return folder


def save_several(folder: Path) -> Path:
    """A SavedModel with inputs of several dtypes and two outputs."""
    with td.Graph().as_default(), td.Session() as session:
        a = td.placeholder(td.int32, [None, 2], name="a")
        s = td.placeholder(td.string, [None], name="s")
        total = td.reduce_sum(a, 1)
        td.saved_model.simple_save(
            session,
            str(folder),
            {"a": a, "s": s},
            {"total": total, "text": td.string_join([s, td.as_string(total)]), "raw_bytes": s},
        )
    return folder


def save_examples(folder: Path) -> Path:
    """A SavedModel with signatures to classify and regress, and one to predict."""
    with td.Graph().as_default(), td.Session() as session:
        serialized = td.placeholder(td.string, [None], name="examples")
        features = {
            "x": td.FixedLenFeature([1], td.float32),
            "n": td.FixedLenFeature([1], td.int64, default_value=[0]),
        }
        parsed = td.parse_example(serialized, features)
        number = td.reshape(parsed["x"] + td.cast(parsed["n"], td.float32), [-1])
        scores = td.stack([number, -number], 1)
        classes = td.as_string(td.cast(scores, td.int32))
        signatures = {
            "serving_default": td.saved_model.predict_signature_def(
                {"examples": serialized}, {"number": number}
            ),
            "classify": td.saved_model.classification_signature_def(serialized, classes, scores),
            "classify_scores": td.saved_model.classification_signature_def(
                serialized, None, scores
            ),
            "regress": td.saved_model.regression_signature_def(serialized, number),
        }
        builder = td.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.save()
    return folder


def save_graph(path: Path) -> Path:
    """A GraphDef whose outputs have no batch: a scalar, and numbers that are not finite."""
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.float32, [], name="x")
        td.identity(x, name="same")
        td.stack([x / 0.0, -x / 0.0, 0.0 * (x / 0.0)], name="odd")
    td.save_graph(graph, str(path))
    return path


def save_endless(folder: Path) -> Path:
    """A SavedModel whose loop counts up to its input, however large."""
    with td.Graph().as_default(), td.Session() as session:
        n = td.placeholder(td.int64, [], name="n")
        count = td.while_loop(lambda i: i < n, lambda i: i + 1, [td.constant(0, td.int64)])
        td.saved_model.simple_save(session, str(folder), {"n": n}, {"count": td.identity(count)})
    return folder


class Rest:
    """A client of plain HTTP.

    Args:
        port: the port.
    """

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)

    def send(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[int, bytes]:
        """The status and body of an answer."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request(method, path, body, named)
        response = self._connection.getresponse()
        return response.status, response.read()

    def get(self, path: str) -> Any:
        """The answer to a GET, which must be 200 and JSON."""
        status, data = self.send("GET", path)
        assert status == 200, data
        return json.loads(data)

    def post(self, path: str, body: Any) -> Any:
        """The answer to a POST of JSON, which must be 200."""
        status, data = self.send("POST", path, json.dumps(body).encode())
        assert status == 200, data
        return json.loads(data)

    def error(self, path: str, body: Any, method: str = "POST") -> tuple[int, str]:
        """The status and text of an answer that is an error."""
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        status, answer = self.send(method, path, data)
        content = json.loads(answer)
        assert content.keys() == {"error"}
        return status, content["error"]

    def close(self) -> None:
        """Closes the connection."""
        self._connection.close()
