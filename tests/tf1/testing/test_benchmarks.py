"""Benchmarks of programs report the same values as TensorFlow's, under the same names."""

from __future__ import annotations

import json

import pytest

import tensordraft as td


class Sums(td.test.Benchmark):
    def benchmark_sum(self) -> None:
        pass

    def measured(self) -> dict[str, object]:
        with td.Graph().as_default(), td.Session(config=td.test.benchmark_config()) as session:
            x = td.placeholder(td.float32)
            return self.run_op_benchmark(
                *(session, [x + 1.0]),
                feed_dict={x: 1.0},
                min_iters=3,
                store_trace=True,
                extras={"k": 1},
                mbs=2,
            )


def test_what_a_benchmark_tells(capsys: pytest.CaptureFixture[str]) -> None:
    report = Sums().measured()
    assert sorted(report) == ["extras", "iters", "name", "throughput", "wall_time"]
    assert (report["iters"], report["name"]) == (3, "measured")
    extras = report["extras"]
    assert isinstance(extras, dict)
    names = ["full_trace_chrome_format", "k", "wall_time_mean", "wall_time_stdev"]
    assert sorted(extras) == names
    assert json.loads(extras["full_trace_chrome_format"])["traceEvents"]
    assert capsys.readouterr().out.startswith("Sums.measured: ")


def test_kinds_of_benchmarks() -> None:
    assert td.test.Benchmark.is_abstract()
    assert not Sums.is_abstract()
    with td.Graph().as_default(), td.Session():
        assert Sums().evaluate(td.constant(3)) == 3
    with pytest.raises(ValueError, match="no default session"):
        Sums().evaluate([])
