"""Sounds in files: WAV, of 16 bits a sample."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...graph.api.tensor_like import TensorLike
from ...graph.node import Tensor
from ...graph.op_def import OpDef
from ...shape_inference.context import KernelContext, ShapeContext
from ...shape_inference.protocols import Array, Kernel
from ...shape_inference.rules import SCALAR
from ...shape_inference.symbolic.symbolic import dim_symbol
from ...shape_inference.tensor_shape import TensorShape
from ..common.allocation import new_zeros

if TYPE_CHECKING:
    from ...graph.op_def import Results

public = {
    "td.audio": "decode_wav encode_wav",
}

DECODE_WAV: OpDef[Results] = OpDef(
    "DecodeWav",
    "contents: string -> audio: float32, sample_rate: int32",
    "desired_channels: int = -1, desired_samples: int = -1",
)
ENCODE_WAV = OpDef("EncodeWav", "audio: float32, sample_rate: int32 -> contents: string")

_LOUDEST = 32768  # a sample of 16 bits is a fraction of this
_FORMAT = struct.Struct("<HHIIHH")


@DECODE_WAV.shape
def _decode_wav_shape(c: ShapeContext) -> list[TensorShape]:
    c.shape("contents", rank=0)
    sizes = []
    for name in ("desired_samples", "desired_channels"):
        wanted = c.attr(name)
        if wanted == 0 or wanted < -1:
            raise ValueError(f"{name} must be positive, or -1 for what the file has, got {wanted}")
        sizes.append(dim_symbol() if wanted == -1 else wanted)
    return [TensorShape.of(tuple(sizes)), SCALAR]


@DECODE_WAV.fresh_kernel
def _decode_wav_kernel(c: KernelContext) -> Kernel:
    channels, samples = c.attr("desired_channels"), c.attr("desired_samples")

    def decode(contents: Array) -> tuple[Array, Array]:
        frames, rate = _frames_in(contents.item())
        wanted = (
            len(frames) if samples == -1 else samples,
            frames.shape[1] if channels == -1 else channels,
        )
        audio = new_zeros(wanted, np.dtype(np.float32))
        taken = frames[: wanted[0], : wanted[1]].astype(np.float32) / np.float32(_LOUDEST)
        audio[: len(taken), : taken.shape[1]] = taken
        if wanted[1] > taken.shape[1]:  # the last channel stands for those that there are not
            audio[: len(taken), taken.shape[1] :] = taken[:, -1:]
        return audio, np.array(rate, np.int32)

    return decode


def _frames_in(data: bytes) -> tuple[Array, int]:
    """The samples of a file, of shape [samples, channels], and how many there are a second."""
    if len(data) < 12:
        raise ValueError(f"contents is not a WAV file: expected at least 12 bytes, got {len(data)}")
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise ValueError(f"contents is not a WAV file: it begins with {data[:12]!r}")
    form: tuple[int, ...] | None = None
    place = 12
    while place + 8 <= len(data):
        kind, size = data[place : place + 4], int.from_bytes(data[place + 4 : place + 8], "little")
        place += 8
        if size > len(data) - place:
            raise ValueError(
                f"the chunk {kind!r} of the WAV file states {size} bytes, of which there are "
                f"{len(data) - place}"
            )
        if kind == b"fmt ":
            form = _checked_format(data[place : place + size])
        elif kind == b"data":
            if form is None:
                raise ValueError("the WAV file has samples before it says how they are written")
            count = size // (2 * form[1])
            samples = np.frombuffer(data, "<i2", count * form[1], place)
            return samples.reshape(count, form[1]), form[2]
        place += size
    raise ValueError("the WAV file has no chunk of samples, b'data'")


def _checked_format(chunk: bytes) -> tuple[int, ...]:
    """Format, channels, rate, bytes a second, bytes a frame, and bits a sample."""
    if len(chunk) < _FORMAT.size:
        raise ValueError(f"the chunk b'fmt ' of the WAV file has {len(chunk)} bytes of 16")
    form = _FORMAT.unpack_from(chunk)
    code, channels, rate, rate_in_bytes, frame, bits = form
    if code != 1 or bits != 16:
        raise ValueError(
            f"a WAV file must hold samples of 16 bits (format 1), got format {code} of {bits} bits"
        )
    if channels < 1:
        raise ValueError(f"a WAV file must have a channel or more, got {channels}")
    if frame != 2 * channels or rate_in_bytes != rate * frame or rate >= 2**31:
        raise ValueError(
            f"the WAV file contradicts itself: {channels} channels of 2 bytes at {rate} hertz, "
            f"{frame} bytes a frame and {rate_in_bytes} a second"
        )
    return form


@ENCODE_WAV.shape
def _encode_wav_shape(c: ShapeContext) -> TensorShape:
    c.shape("audio", rank=2)
    c.shape("sample_rate", rank=0)
    return SCALAR


@ENCODE_WAV.fresh_kernel
def _encode_wav_kernel(c: KernelContext) -> Kernel:
    def encode(audio: Array, sample_rate: Array) -> Array:
        if audio.ndim != 2 or 0 in audio.shape:
            raise ValueError(
                f"audio must have shape [samples, channels] and hold some, got {list(audio.shape)}"
            )
        rate, channels = int(sample_rate), audio.shape[1]
        if rate <= 0:
            raise ValueError(f"sample_rate must be positive, got {rate}")
        if channels > 2**15 or rate * 2 * channels >= 2**32 or audio.size * 2 + 36 >= 2**32:
            raise ValueError(
                f"{channels} channels of {len(audio)} samples at {rate} hertz exceed the "
                "limits of a WAV file"
            )
        loud = audio * np.float32(_LOUDEST)
        loud = np.trunc(loud + np.copysign(np.float32(0.5), loud))  # as C's round
        samples = np.clip(loud, -_LOUDEST, _LOUDEST - 1).astype("<i2").tobytes()
        form = _FORMAT.pack(1, channels, rate, rate * 2 * channels, 2 * channels, 16)
        head = b"RIFF" + struct.pack("<I", 36 + len(samples)) + b"WAVEfmt \x10\0\0\0"
        data = b"data" + struct.pack("<I", len(samples)) + samples
        return np.array(head + form + data, object)

    return encode


class Audio(NamedTuple):
    """Result of `td.audio.decode_wav`.

    Args:
        audio: float32, of shape [samples, channels].
        sample_rate: a scalar of int32: samples a second.
    """

    audio: Tensor
    sample_rate: Tensor


def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> Audio:
    """The sound in a WAV file of 16 bits a sample.

    Args:
        contents: a scalar string: the file.
        desired_channels: how many channels to return; the last one stands for those that there are
            not. By default those of the file.
        desired_samples: how many samples to return, with silence for what lacks. By default those
            of the file.
        name: a name for the op.

    Returns:
        The Tensors audio, of shape [samples, channels] and in [-1, 1), and sample_rate.

    Raises:
        ValueError: `contents` is statically known not to be a scalar; errors at run time, such as a
            damaged file, are an InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     file = td.audio.encode_wav([[0.5], [-1.0]], 8000)
        ...     print(session.run(td.audio.decode_wav(file).audio))
        [[ 0.5]
         [-1. ]]
    """
    counts = {"desired_channels": desired_channels, "desired_samples": desired_samples}
    return Audio(*DECODE_WAV(contents, **counts, name=name))


def encode_wav(audio: TensorLike, sample_rate: Any, name: str | None = None) -> Tensor:
    """A WAV file of 16 bits a sample.

    Args:
        audio: a float32 tensor of shape [samples, channels]; what is beyond -1 and 1 is cut off.
        sample_rate: a scalar int32: samples a second.
        name: a name for the op.

    Returns:
        A Tensor of a scalar string.

    Raises:
        ValueError: the shapes are known to be others; if detected at run time, an
            InvalidArgumentError.

    Example:
        >>> with td.Graph().as_default(), td.Session() as session:
        ...     len(session.run(td.audio.encode_wav([[0.5], [-1.0]], 8000)))
        48
    """
    return ENCODE_WAV(audio, sample_rate, name=name)
