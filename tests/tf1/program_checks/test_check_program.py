"""Checking programs: each break is found at its line, and whole programs raise no alarm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import effort
import pytest
from places import EXAMPLES

import tensordraft as td
from tensordraft.tf1.program_checks.program_report import ProgramReport

PROGRAM = """\
import os
import numpy as np
import tensorflow as tf

def never_called():
    return 1

x = tf.placeholder(tf.float32, [None, 784], name="x")
y = tf.placeholder(tf.int64, [None], name="y")
hidden = tf.layers.dense(x, 512, tf.nn.relu)
logits = tf.layers.dense(hidden, 10, name="logits")
loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
step = tf.train.get_or_create_global_step()
train = tf.train.AdamOptimizer().minimize(loss, step)
saver = tf.train.Saver()
os.makedirs("checkpoints")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    if os.path.exists("earlier"):
        saver.restore(session, "earlier/model")
    for i in range(1_000_000):
        feeds = {x: np.random.rand(128, 784), y: np.zeros(128)}
        session.run([train, loss], feeds)
        saver.save(session, "checkpoints/model", i)
    while True:
        scores = session.run(logits, {x: np.zeros([10, 784])})
        assert scores.shape == (10, 10) and not scores.any() and not scores.flags.writeable
    assert session.run(step) == 3
    saver.restore(session, tf.train.latest_checkpoint("checkpoints"))
    found = session.run(tf.argmax(logits, 1), {x: np.zeros([7, 784])})
    assert found.shape == (7,) and found.dtype == np.int64
"""


def checked(folder: Path, text: str, *arguments: str, **options: Any) -> ProgramReport:
    program = folder / "program.py"
    program.write_text(text)
    return td.check_program(program, arguments, **options)


def test_a_training_program_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = checked(tmp_path, PROGRAM)
    assert report.findings == []
    assert report.ok
    assert (report.graphs, report.checked) == (1, 13)
    assert [run.line for run in report.runs] == [18, 23, 24, 26, 28, 29, 30]
    assert report.runs[1].feeds == {"x:0": [128, 784], "y:0": [128]}
    assert [(part.first, part.what) for part in report.unchecked] == [
        (6, "never_called()"),
        (20, "a branch"),
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["program.py"]  # all else was aside
    assert ProgramReport.from_json(report.to_json()) == report
    assert str(report).endswith("nothing wrong was found")


@pytest.mark.parametrize(
    ("line", "old", "new", "text"),
    [
        (23, "np.random.rand(128, 784)", "np.zeros([128, 28, 28])", "Cannot feed value of shape"),
        (23, "y: np.zeros(128)", "y: np.zeros(100)", "InvalidArgumentError"),
        (18, "session.run(tf.glob", "(tf.glob", "FailedPreconditionError: Attempting to use unin"),
        (11, "hidden, 10,", "hiden, 10,", "NameError: name 'hiden'"),
        (12, "(y, logits)", "(y, logits[:5, 0, 0])", "ValueError"),
        (26, "{x: np.zeros([10, 784])}", "{}", "feed a value for placeholder 'x'"),
        (29, '"checkpoints")', '"elsewhere")', "ValueError"),
        (30, "tf.argmax(logits, 1)", "tf.argmax(logits, 2)", "ValueError"),
    ],
)
def test_breaks_are_found_at_their_lines(
    tmp_path: Path, line: int, old: str, new: str, text: str
) -> None:
    broken = PROGRAM.replace(old, new)
    assert broken != PROGRAM
    report = checked(tmp_path, broken)
    [finding] = report.findings
    assert (finding.kind, not report.ok) == ("error", True)
    expected = 23 if line == 18 else line
    assert finding.line == expected
    assert text in finding.text


def test_checkpoints_that_do_not_fit(tmp_path: Path) -> None:
    with td.Graph().as_default(), td.Session() as session:
        td.get_variable("logits/kernel", [512, 12])
        session.run(td.global_variables_initializer())
        td.train.Saver().save(session, str(tmp_path / "earlier"))
    text = f"""\
import tensorflow as tf
kernel = tf.get_variable("logits/kernel", [512, 10])
with tf.Session() as session:
    tf.train.Saver().restore(session, {str(tmp_path / "earlier")!r})
"""
    [finding] = checked(tmp_path, text).findings
    assert finding.line == 4
    assert "512" in finding.text


def test_what_a_check_does_not_do(tmp_path: Path) -> None:
    network = "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:9/')\n"
    [finding] = checked(tmp_path, network).findings
    assert finding.kind == "refused"
    assert "127.0.0.1" in finding.text
    process = "import subprocess\nsubprocess.run(['ls'])\n"
    report = checked(tmp_path, process)
    assert [(item.kind, item.line) for item in report.findings] == [("refused", 2)]
    assert report.ok  # nothing is known to be wrong


def test_values_that_were_not_computed_are_not_to_blame(tmp_path: Path) -> None:
    text = """\
import numpy as np, tensorflow as tf
x = tf.placeholder(tf.float32)
big = tf.reduce_sum(tf.exp(x), axis=0)
with tf.Session() as session:
    weights = session.run(big, {x: np.zeros([2000, 2000])})
    assert type(weights).__name__ == "StandIn"
    np.random.choice(2000, p=weights)
"""
    [finding] = checked(tmp_path, text).findings
    assert (finding.kind, finding.line) == ("stopped", 7)


def test_modules_beside_the_program_and_its_arguments(tmp_path: Path) -> None:
    (tmp_path / "network.py").write_text(
        "import tensorflow as tf\n"
        "def rounds(session, op):\n"
        "    while True:\n"
        "        session.run(op)\n"
        "def other():\n"
        "    pass\n"
    )
    text = """\
import sys
import tensorflow as tf
from network import rounds
flags = tf.app.flags
flags.DEFINE_integer("size", 1, "")
def main(_):
    with tf.Session() as session:
        rounds(session, tf.ones([flags.FLAGS.size]))
        session.run(tf.ones([3]) + tf.ones([flags.FLAGS.size]))
tf.app.run()
"""
    report = checked(tmp_path, text, "--size", "5", runs=2)
    assert report.checked == 2
    [finding] = report.findings
    assert (Path(finding.file).name, finding.line) == ("program.py", 9)
    assert [(Path(part.file).name, part.what) for part in report.unchecked] == [
        ("network.py", "other()")
    ]


def test_programs_end_by_their_exit_code_and_by_time(tmp_path: Path) -> None:
    assert checked(tmp_path, "raise SystemExit(0)\n").ok
    [finding] = checked(tmp_path, "x = 1\nraise SystemExit(3)\n").findings
    assert (finding.line, finding.text) == (2, "the program exits with 3")
    [finding] = checked(tmp_path, "while True:\n    pass\n", seconds=1).findings
    assert finding.kind == "stopped"
    [finding] = checked(tmp_path, "x = (\n").findings
    assert "SyntaxError" in finding.text
    with pytest.raises(ValueError, match="must be positive"):
        td.check_program(tmp_path / "program.py", runs=0)
    with pytest.raises(FileNotFoundError):
        td.check_program(tmp_path / "none.py")


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="the examples are not in this installation")
@pytest.mark.parametrize(
    "name", effort.sample(sorted(p.stem for p in EXAMPLES.glob("programs/*.py")), 6)
)
def test_no_alarm_on_the_programs_of_the_examples(name: str) -> None:
    report = td.check_program(EXAMPLES / "programs" / f"{name}.py")
    assert [item for item in report.findings if item.kind in ("error", "lint")] == []


GROWING = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [3], name="x")
y = x + 1.0
with tf.Session() as session:
    session.run(y, {x: np.ones(3)})
    for step in range(1_000_000):
        session.run(tf.reduce_sum(y), {x: np.ones(3)})
    while True:
        tf.negative(x)
        session.run(y, {x: np.ones(3)})
"""


def test_a_graph_that_grows_in_a_loop_is_found(tmp_path: Path) -> None:
    report = checked(tmp_path, GROWING)
    assert report.ok
    assert [(item.kind, item.line) for item in report.findings] == [("lint", 9), ("lint", 11)]
    assert all("the graph grows in a loop" in item.text for item in report.findings)
    assert len(report.runs) == 4


LOADING = """\
import numpy as np
import tensorflow as tf

variables = [tf.get_variable(f"v{i}", [2]) for i in range(60)]
with tf.Session() as session:
    session.run(tf.no_op())
    for variable in variables:
        session.run(tf.assign(variable, np.ones(2)))
    session.run(variables)
"""


def test_a_loop_that_loads_variables_goes_to_its_end(tmp_path: Path) -> None:
    report = checked(tmp_path, LOADING)
    assert report.ok, report
    assert [(item.kind, item.line) for item in report.findings] == [("lint", 8)]
