"""WAV files and the spectra of sounds, as ops."""

from __future__ import annotations

import struct

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers, refuses

AUDIO = np.array([[0.5, -0.5], [1.2, -1.5], [0.25, 0.1]], np.float32)
# As TensorFlow 2.21 encodes it, at 8,000 hertz.
FILE = (
    b"RIFF0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x02\0@\x1f\0\0\0}\0\0\x04\0\x10\0data\x0c\0\0\0"
    b"\0@\0\xc0\xff\x7f\0\x80\0 \xcd\x0c"
)
HEARD = [[0.5, -0.5], [0.999969482421875, -1.0], [0.25, 0.100006103515625]]
SPECTRA = np.ones((1, 2, 9), np.float32)


def decoded(id: str, expected: object, contents: bytes = FILE, **attrs: int) -> Case:
    if isinstance(expected, list):
        expected = (np.array(expected, np.float32), np.array(8000, np.int32))
    return Case("DecodeWav", [contents], attrs, expected, id=id, dynamic=True)


def damaged(id: str, contents: bytes, clause: str) -> Case:
    return decoded(id, raises(clause, at="run"), contents)


def with_format(*fields: int) -> bytes:
    return FILE[:20] + struct.pack("<HHIIHH", *fields) + FILE[36:]


test_wave_files = check(
    [
        Case("EncodeWav", [AUDIO, 8000], expected=FILE),
        Case(
            "EncodeWav",
            [np.array([[1.5], [-2.5], [2.5], [40000]], np.float32) / 32768, 8000],
            expected=FILE[:4]
            + b",\0\0\0"
            + FILE[8:22]
            + b"\x01\0@\x1f\0\0\x80>\0\0\x02\0\x10\0data\x08\0\0\0"
            + struct.pack("<4h", 2, -3, 3, 32767),
            id="rounded",
        ),
        Case("EncodeWav", [AUDIO[:0], 8000], expected=raises("hold some", "run"), id="silence"),
        Case("EncodeWav", [AUDIO, 0], expected=raises("must be positive", "run"), id="rate"),
        Case("EncodeWav", [AUDIO[0], 8000], expected=raises("rank|must have shape"), id="rank"),
        decoded("whole", HEARD),
        decoded("mono", [row[:1] for row in HEARD], desired_channels=1),
        decoded("three", [[*row, row[1]] for row in HEARD], desired_channels=3),
        decoded("long", [*HEARD, [0, 0], [0, 0]], desired_samples=5),
        decoded("short", HEARD[:2], desired_samples=2),
        decoded("other-chunks", HEARD, FILE[:36] + b"LIST\x04\0\0\0abcd" + FILE[36:]),
        decoded("no-channels", raises("desired_channels must be positive"), desired_channels=0),
        damaged("nothing", b"", "expected at least 12 bytes, got 0"),
        damaged("kind", b"x" * 60, "not a WAV file: it begins with"),
        damaged("cut", FILE[:-1], "states 12 bytes, of which there are 11"),
        damaged("head", FILE[:40], "no chunk of samples"),
        damaged("order", FILE[:12] + FILE[36:], "before it says how they are written"),
        damaged("form", FILE[:16] + b"\x04\0\0\0" + FILE[20:24] + FILE[36:], "has 4 bytes of 16"),
        damaged("float", with_format(3, 2, 8000, 32000, 4, 16), "got format 3 of 16 bits"),
        damaged("mute", with_format(1, 0, 8000, 0, 0, 16), "a channel or more, got 0"),
        damaged("rates", with_format(1, 2, 8000, 31999, 4, 16), "contradicts itself"),
    ]
)

test_spectrograms = check(
    [
        Case(
            "AudioSpectrogram",
            [np.ones((6, 1), np.float32)],
            {"window_size": 4, "stride": 2},
            np.array([[[2, 1, 0], [2, 1, 0]]], np.float32),
            atol=1e-6,
        ),
        Case(
            "AudioSpectrogram",
            [np.ones((3, 2), np.float32)],
            {"window_size": 4, "stride": 2},
            np.zeros((2, 0, 3), np.float32),
            id="short",
        ),
        Case(
            "AudioSpectrogram",
            [np.ones((6, 1), np.float32)],
            {"window_size": 1, "stride": 2},
            raises("window_size must be in"),
            id="window",
        ),
        Case(
            "AudioSpectrogram",
            [np.ones((6, 1), np.float32)],
            {"window_size": 2, "stride": 0},
            raises("stride must be at least 1"),
            id="stride",
        ),
        Case("Mfcc", [SPECTRA, 0], expected=raises("a positive scalar", "run"), id="rate"),
        Case(
            "Mfcc", [SPECTRA[..., :1], 8000], expected=raises("two frequencies", "run"), id="line"
        ),
        Case(
            "Mfcc",
            [SPECTRA, 8000],
            {"dct_coefficient_count": 41},
            raises("must be at most filterbank_channel_count = 40"),
            id="coefficients",
        ),
        Case(
            "Mfcc",
            [SPECTRA, 8000],
            {"lower_frequency_limit": 4000.0},
            raises("below upper_frequency_limit"),
            id="limits",
        ),
        Case("Mfcc", [SPECTRA, 100], expected=np.zeros((1, 2, 13), np.float32), id="beyond"),
    ]
)


def test_shapes() -> None:
    infers("DecodeWav", "[]", "[?,?];[]")
    infers("DecodeWav", "[]", "[?,2];[]", desired_channels=2)
    infers("AudioSpectrogram", "[n,2]", "[2,max(n - 7, 0),5]", window_size=8, stride=1)
    infers("Mfcc", "[c,t,9];[]", "[c,t,13]")
    refuses("Mfcc", "[t,9];[]", "rank")
