"""Feeds from pictures, sounds, tables and text: `--feed image=photo.jpg`."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cli_harness import Cli, in_folder, save
from png_maker import png_of

import tensordraft as td

PIXELS = np.arange(2 * 4 * 3, dtype=np.uint8).reshape(2, 4, 3) * 10
SAMPLES = np.array([[0.5, -0.5], [0.25, 0.25], [-1.0, 0.0]], np.float32)


def encoded(op: Any, *values: Any) -> bytes:
    with td.Graph().as_default(), td.Session() as session:
        data: bytes = session.run(op(*values))
    return data


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Iterator[Cli]:
    for cli in in_folder(tmp_path, capsys):
        Path("a.png").write_bytes(png_of(PIXELS, 8, 2))
        Path("a.wav").write_bytes(encoded(td.audio.encode_wav, SAMPLES, 8000))
        Path("a.csv").write_text("age,job\n30,x\n41,y\n")
        Path("n.csv").write_text("a,b\r\n1,2.5\r\n\r\n3,-4\r\n")
        yield cli


def graph_of(dtype: Any, shape: Any) -> None:
    with td.Graph().as_default() as graph:
        td.identity(td.placeholder(dtype, shape, name="x"), name="y")
    save(graph)


def value_of(cli: Cli, feed: str, dtype: Any, shape: Any, *options: str) -> Any:
    graph_of(dtype, shape)
    return cli.json("run", "g.pb", "--feed", f"x={feed}", *options)["y:0"]["value"]


def complaint(cli: Cli, feed: str, dtype: Any, shape: Any, *options: str) -> str:
    graph_of(dtype, shape)
    done = cli("run", "g.pb", "--feed", f"x={feed}", *options)
    assert (done.code, done.out) == (1, "")
    return done.err


# pictures


@pytest.mark.parametrize(
    ("dtype", "shape", "expected"),
    [
        (td.uint8, [None, None, None, 3], PIXELS[None]),
        (td.float32, [1, 2, 4, 3], PIXELS[None]),
        (td.float32, None, PIXELS[None]),
        (td.int32, [None, None, 3], PIXELS),
        (td.float32, [None, 3, None, None], PIXELS.transpose(2, 0, 1)[None]),
        (td.float32, [3, None, None], PIXELS.transpose(2, 0, 1)),
    ],
)
def test_a_picture_is_decoded_in_the_layout_of_the_input(
    cli: Cli, dtype: Any, shape: Any, expected: Any
) -> None:
    assert value_of(cli, "a.png", dtype, shape) == expected.tolist()


def test_a_picture_has_the_channels_of_the_input(cli: Cli) -> None:
    grey = np.array(value_of(cli, "a.png", td.uint8, [None, None, None, 1]))
    assert grey.shape == (1, 2, 4, 1)
    np.testing.assert_allclose(grey[0, ..., 0], PIXELS @ [0.299, 0.587, 0.114], atol=1)
    assert value_of(cli, "a.png", td.uint8, [None, None]) == grey[0, ..., 0].tolist()
    opaque = np.array(value_of(cli, "a.png", td.uint8, [None, None, 4]))
    np.testing.assert_array_equal(opaque[..., :3], PIXELS)
    assert set(opaque[..., 3].flat) == {255}


@pytest.mark.parametrize(("op", "name"), [("bmp", "b.BMP"), ("gif", "b.gif"), ("jpeg", "b.jpg")])
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_every_kind_of_picture_has_every_number_of_channels(
    cli: Cli, op: str, name: str, channels: int
) -> None:
    even = np.full([4, 4, 3], [90, 120, 60], np.uint8)
    if op == "jpeg":
        Path(name).write_bytes(encoded(td.image.encode_jpeg, even))
    else:
        image = pytest.importorskip("PIL.Image")
        image.fromarray(even).save(name)
    value = np.array(value_of(cli, name, td.float32, [1, 4, 4, channels]))
    expected = {1: [104], 3: [90, 120, 60], 4: [90, 120, 60, 255]}[channels]
    np.testing.assert_allclose(value, np.broadcast_to(expected, [1, 4, 4, channels]), atol=3)


def test_a_picture_gets_the_size_of_the_input(cli: Cli) -> None:
    small = np.array(value_of(cli, "a.png", td.float32, [None, 1, 2, 3]))
    assert small.shape == (1, 1, 2, 3)
    np.testing.assert_allclose(small.mean(), PIXELS.mean(), rtol=0.02)
    wide = np.array(value_of(cli, "a.png", td.uint8, [None, None, 8, 3]))
    assert wide.shape == (1, 2, 8, 3)
    assert wide.min() == PIXELS.min()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--scale", "1/10"], PIXELS / 10),
        (["--mean", "120", "--scale", "0.5"], (PIXELS - 120.0) * 0.5),
        (["--mean=1,2,3", "--scale", "1,2,1/4"], (PIXELS - [1.0, 2, 3]) * [1, 2, 0.25]),
    ],
)
def test_pixels_are_scaled(cli: Cli, options: list[str], expected: Any) -> None:
    value = value_of(cli, "a.png", td.float32, [None, None, None, 3], *options)
    np.testing.assert_allclose(value, expected[None], rtol=1e-6)


def test_an_input_of_strings_takes_the_file_as_it_is(cli: Cli) -> None:
    with td.Graph().as_default() as graph:
        x = td.placeholder(td.string, [None], name="x")
        td.image.decode_png(td.reshape(x, []), 3, name="y")
    save(graph)
    done = cli.json("run", "g.pb", "--feed", "x=a.png")
    assert done["y:0"]["value"] == PIXELS.tolist()


@pytest.mark.parametrize(
    ("dtype", "shape", "options", "said"),
    [
        (td.float32, [8, None, None, 3], [], "takes 8 pictures at once"),
        (td.float32, [None], [], "takes no picture"),
        (td.float32, [None, None, None, 7], [], "whose channels are not 1 to 4"),
        (td.bool, [None, None, 3], [], "takes no such file"),
        (td.float32, [None, None, 1], ["--mean", "1,2"], "--mean has 2 numbers, where the pic"),
    ],
)
def test_a_picture_that_does_not_fit(
    cli: Cli, dtype: Any, shape: Any, options: list[str], said: str
) -> None:
    assert said in complaint(cli, "a.png", dtype, shape, *options)


def test_a_picture_that_is_none(cli: Cli) -> None:
    Path("bad.jpg").write_bytes(b"<html>")
    assert "bad.jpg: contents is an HTML page" in complaint(
        cli, "bad.jpg", td.float32, [None, None, 3]
    )
    Path("cut.png").write_bytes(Path("a.png").read_bytes()[:40])
    assert "cut.png: " in complaint(cli, "cut.png", td.float32, [None, None, 3])
    assert "absent.png: No such file" in complaint(cli, "absent.png", td.float32, [None, None, 3])


def test_scales_are_for_pictures_and_sounds(cli: Cli) -> None:
    assert "--mean and --scale are for feeds that are pictures" in complaint(
        cli, "1", td.float32, [], "--scale", "2"
    )


# sounds


@pytest.mark.parametrize(
    ("dtype", "shape", "expected"),
    [
        (td.float32, [None], SAMPLES.mean(1)),
        (td.float32, None, SAMPLES.mean(1)),
        (td.float32, [None, None], SAMPLES.mean(1)[None]),
        (td.float32, [1, 2], SAMPLES),
        (td.float32, [None, 2], SAMPLES),
        (td.float32, [None, None, 2], SAMPLES[None]),
        (td.float32, [None, None, None], SAMPLES[None]),
        (td.float32, [None, 1], SAMPLES.mean(1, keepdims=True)),
        (td.float32, [2], SAMPLES.mean(1)[:2]),
        (td.float32, [5], [*SAMPLES.mean(1), 0, 0]),
        (td.int16, [None, 2], SAMPLES * 2**15),
    ],
)
def test_a_sound_is_in_the_layout_of_the_input(
    cli: Cli, dtype: Any, shape: Any, expected: Any
) -> None:
    if shape == [1, 2]:
        expected = SAMPLES[:1]
    assert np.array_equal(value_of(cli, "a.wav", dtype, shape), expected)


def test_sounds_that_do_not_fit(cli: Cli) -> None:
    assert "takes 4 sounds at once" in complaint(cli, "a.wav", td.float32, [4, None])
    assert "takes no sound" in complaint(cli, "a.wav", td.float32, [])
    Path("bad.wav").write_bytes(b"RIFFnothing")
    assert "bad.wav: " in complaint(cli, "bad.wav", td.float32, [None])


# tables


@pytest.mark.parametrize(
    ("feed", "dtype", "shape", "expected"),
    [
        ("n.csv", td.float32, [None, 2], [[1, 2.5], [3, -4]]),
        ("n.csv:a", td.int64, [None], [1, 3]),
        ("n.csv:b,a", td.float64, [None, 2], [[2.5, 1], [-4, 3]]),
        ("n.csv:b", td.float32, [None, 1], [[2.5], [-4]]),
        ("a.csv:job", td.string, [None], ["x", "y"]),
        ("a.csv", td.string, [None, 2], [["age", "job"], ["30", "x"], ["41", "y"]]),
        ("a.csv:age", td.uint8, [None], [30, 41]),
    ],
)
def test_a_table_has_a_row_for_each_line(
    cli: Cli, feed: str, dtype: Any, shape: Any, expected: Any
) -> None:
    assert value_of(cli, feed, dtype, shape) == expected


def test_small_tables(cli: Cli) -> None:
    Path("row.csv").write_text("1,2,3\n")
    assert value_of(cli, "row.csv", td.int32, [3]) == [1, 2, 3]
    Path("one.csv").write_text("true\n")
    assert value_of(cli, "one.csv", td.bool, []) is True
    Path("many.csv").write_text(f"{2**53 + 1}\n1e3\n")
    assert value_of(cli, "many.csv", td.int64, [None]) == [2**53 + 1, 1000]


@pytest.mark.parametrize(
    ("text", "feed", "dtype", "shape", "said"),
    [
        ("", "t.csv", td.float32, [None], "the table is empty"),
        ("1,2\n3\n", "t.csv", td.float32, None, "line 2 has 1 field, the first has 2"),
        ("a\n1\nx\n", "t.csv", td.float32, [None], "line 3: 'x' is not a float32"),
        ("1.5\n", "t.csv", td.int32, [None], "line 1: '1.5' is not a int32"),
        ("300\n", "t.csv", td.uint8, [None], "line 1: '300' is not a uint8"),
        ("inf\n", "t.csv", td.int64, [None], "line 1: 'inf' is not a int64"),
        ("ab,c\n1,2\n", "t.csv:abc", td.float32, [None], "no column 'abc'; did you mean 'ab'?"),
        ("1,2\n3,4\n", "t.csv", td.float32, [None, 2, 2], "a table of 2 rows and 2 columns"),
        ('"a', "t.csv", td.float32, [None], "not a table of comma-separated values"),
    ],
)
def test_a_table_that_does_not_fit(
    cli: Cli, text: str, feed: str, dtype: Any, shape: Any, said: str
) -> None:
    Path("t.csv").write_text(text)
    assert said in complaint(cli, feed, dtype, shape)


# text


@pytest.mark.parametrize(
    ("feed", "shape", "expected"),
    [
        ("good morning", [], "good morning"),
        ("good morning", [None], ["good morning"]),
        ('"random"', [None, 1], [["random"]]),
        ("5", [None], ["5"]),
        ("[1, 2", None, "[1, 2"),
        ('["a", "b"]', [None], ["a", "b"]),
        ("naïve", [None], ["naïve"]),
    ],
)
def test_text_is_fed_to_strings(cli: Cli, feed: str, shape: Any, expected: Any) -> None:
    assert value_of(cli, feed, td.string, shape) == expected


@pytest.mark.parametrize("feed", ["[1, 2", "__import__('os')", "[" * 100_000])
def test_text_is_not_fed_to_numbers(cli: Cli, feed: str) -> None:
    assert "is neither file.npy nor file.npz:key" in complaint(cli, feed, td.float32, None)


def test_chunks_are_read_from_arrays(cli: Cli) -> None:
    graph_of(td.float32, ["batch", None, None, 3])
    for feed, said in (("a.png", "a.png: --along reads .npy"), ("ab", "is neither file.npy")):
        done = cli("run", "g.pb", "--feed", f"x={feed}", "--along", "batch", "--out", "o.npy")
        assert said in done.err


def test_pictures_and_sounds_may_come_on_standard_input(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, shape, expected in (
        ("a.png", [None, None, 3], PIXELS.tolist()),
        ("a.wav", [None, 2], SAMPLES.tolist()),
    ):
        data = SimpleNamespace(buffer=io.BytesIO(Path(name).read_bytes()))
        monkeypatch.setattr(sys, "stdin", data)
        assert value_of(cli, "-", td.float32, shape) == expected
