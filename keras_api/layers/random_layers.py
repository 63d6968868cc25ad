"""Augmentations of later Keras, which outside of training leave images as they are."""

from __future__ import annotations

from typing import Any

from .base_layer import KerasStyle
from .preprocessing_layers import Resizing


class Augmentation(KerasStyle):
    """Base of layers that change images in training, which is not supported, and not otherwise.

    Args:
        args: settings of the changes.
        kwargs: settings of the changes, and further arguments of a layer.

    Raises:
        NotImplementedError: it is called with `training=True`.
    """

    other_names = (
        *("AugMix", "AutoContrast", "CutMix", "Equalization", "MixUp", "RandAugment"),
        *("RandomBrightness", "RandomColorDegeneration", "RandomColorJitter", "RandomContrast"),
        *("RandomElasticTransform", "RandomErasing", "RandomFlip", "RandomGaussianBlur"),
        *("RandomGrayscale", "RandomHeight", "RandomHue", "RandomInvert", "RandomPerspective"),
        *("RandomPosterization", "RandomRotation", "RandomSaturation", "RandomSharpness"),
        *("RandomShear", "RandomTranslation", "RandomWidth", "RandomZoom", "Solarization"),
    )
    supports_masking = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        base = ("name", "dtype", "trainable", "batch_input_shape", "input_shape")
        super().__init__(**{key: kwargs[key] for key in base if key in kwargs})
        self.settings = args, kwargs

    def call(self, inputs: Any, *args: Any, training: Any = None, **kwargs: Any) -> Any:
        """The images."""
        if training is True:
            raise NotImplementedError(f"{self.name}: augmentation is not supported in training")
        return inputs


class RandomCrop(Resizing):
    """Outside of training the largest window of images of an aspect ratio, resized.

    Args:
        height: the rows.
        width: the columns.
        kwargs: further arguments of `Resizing`.
    """

    def __init__(self, height: int, width: int, seed: int | None = None, **kwargs: Any) -> None:
        super().__init__(height, width, crop_to_aspect_ratio=True, **kwargs)
