"""Processors: what a control group leaves to the process."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tensordraft.runtime import thread_pools
from tensordraft.runtime.thread_pools import processors, quotas

TWO = "12:cpu,cpuacct:/docker/x\n3:memory:/\n0::/docker/y\n"


@pytest.mark.parametrize(
    ("groups", "files", "wanted"),
    [
        ("0::/a/b\n", {}, []),
        ("0::/a/b\n", {"a/b/cpu.max": "150000 100000"}, [1.5]),
        ("0::/a/b\n", {"a/b/cpu.max": "max 100000", "a/cpu.max": "50000 100000"}, [0.5]),
        ("0::/\n", {"cpu.max": "200000 100000"}, [2.0]),
        ("0::/../outside\n", {"cpu.max": "200000 100000"}, [2.0]),
        ("0::/on/the/host\n", {"cpu.max": "400000 100000"}, [4.0]),
        ("0::/\n", {"cpu.max": "nonsense"}, []),
        ("", {"cpu.max": "100000 100000"}, []),
        (
            TWO,
            {
                "cpu/docker/x/cpu.cfs_quota_us": "300000",
                "cpu/docker/x/cpu.cfs_period_us": "100000",
                "cpu/cpu.cfs_quota_us": "-1",
                "cpu/cpu.cfs_period_us": "100000",
                "docker/y/cpu.max": "max 100000",
            },
            [3.0],
        ),
    ],
)
def test_quotas(groups: str, files: dict[str, str], wanted: list[float], tmp_path: Path) -> None:
    proc, mounted = tmp_path / "cgroup", tmp_path / "fs"
    proc.write_text(groups)
    for name, text in files.items():
        path = mounted / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert [*quotas(proc, mounted)] == wanted


@pytest.mark.parametrize(
    ("allowed", "quota", "wanted"),
    [(8, [], 8), (8, [1.5], 2), (8, [0.25], 1), (2, [16.0], 2), (8, [6.0, 3.0], 3)],
)
def test_processors(
    allowed: int, quota: list[float], wanted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(allowed), raising=False)
    monkeypatch.setattr(thread_pools, "quotas", lambda *_: iter(quota))
    assert processors.__wrapped__() == wanted
