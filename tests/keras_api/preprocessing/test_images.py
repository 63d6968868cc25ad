"""Images for models of Keras: changed at random, in batches of arrays and of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensordraft as td

image, keras = td.keras.preprocessing.image, td.keras
X = np.random.RandomState(1).rand(10, 6, 7, 3).astype(np.float32) * 255
SQUARE = np.arange(16.0).reshape(4, 4, 1)

# scipy.ndimage.affine_transform (1.17.1), whose corners and edges Keras's are.
MOVED = [
    ({"theta": 30}, "nearest", [[3.804, 2.121], [11.183, 10.049], [12.951, 13.817]]),
    ({"tx": 1.5}, "reflect", [[6, 7], [12, 13], [10, 11]]),
    ({"tx": 1.5}, "wrap", [[6, 7], [2, 3], [6, 7]]),
    ({"ty": -1}, "constant", [[-1, 0], [-1, 8], [-1, 12]]),
    ({"zx": 0.5, "zy": 2}, "nearest", [[3, 3.5], [7, 7.5], [9, 9.5]]),
]


@pytest.mark.parametrize(("change", "mode", "expected"), MOVED)
def test_images_are_moved_as_scipy_does(change: Any, mode: str, expected: Any) -> None:
    found = image.apply_affine_transform(SQUARE, fill_mode=mode, cval=-1, **change)
    assert found.shape == SQUARE.shape
    np.testing.assert_allclose(found[[0, 2, 3], :2, 0], expected, atol=2e-3)


def test_what_stays_as_it_is() -> None:
    assert image.apply_affine_transform(SQUARE) is SQUARE
    turned = image.apply_affine_transform(SQUARE.astype(np.uint8), theta=90)
    np.testing.assert_array_equal(turned[..., 0], np.rot90(SQUARE[..., 0], -1))
    assert turned.dtype == np.uint8
    first = image.apply_affine_transform(
        SQUARE.transpose(2, 0, 1), 0, 1, row_axis=1, col_axis=2, channel_axis=0
    )
    assert first[0, :, 0].tolist() == [4, 8, 12, 12]
    nearest = image.apply_affine_transform(SQUARE, tx=0.4, order=0)
    np.testing.assert_array_equal(nearest, SQUARE)
    with pytest.raises(ValueError, match=r"rank 3, got shape \(4, 4\)"):
        image.apply_affine_transform(SQUARE[..., 0], 1)
    with pytest.raises(ValueError, match="fill_mode must be one of"):
        image.apply_affine_transform(SQUARE, 1, fill_mode="mirror")


def test_colours_are_changed() -> None:
    image_enhance = pytest.importorskip("PIL.ImageEnhance")
    pixels = image.array_to_img(X[0])
    for factor in (0.3, 1.0, 1.7):
        expected = np.asarray(image_enhance.Brightness(pixels).enhance(factor), np.float32)
        np.testing.assert_array_equal(image.apply_brightness_shift(X[0], factor), expected)
    assert image.apply_brightness_shift(np.zeros((2, 2, 1)), 2.0).max() == 0
    shifted = image.apply_channel_shift(X[0], 20.0)
    np.testing.assert_allclose(shifted, np.clip(X[0] + 20, X[0].min(), X[0].max()))


def test_numbers_are_drawn_in_the_order_of_keras() -> None:
    # Keras 3.15's ImageDataGenerator(…).get_random_transform((6, 7, 3), seed=0)
    made = image.ImageDataGenerator(width_shift_range=[-2, 1], height_shift_range=2)
    reported = made.get_random_transform((6, 7, 3), seed=1)
    assert (reported["tx"], reported["ty"]) == (1, 2)
    made = image.ImageDataGenerator(zoom_range=(0.5, 1.2))
    reported = made.get_random_transform((6, 7, 3), seed=0)
    assert (reported["zx"], reported["zy"]) == pytest.approx(
        (0.8841694527491273, 1.0006325564606935)
    )
    assert reported["flip_horizontal"] == reported["theta"] == 0
    assert reported["brightness"] is None


def test_batches_come_in_the_order_of_keras() -> None:
    # Keras 3.15: flow(x, y, batch_size=4, seed=3), the labels of five batches
    batches = image.ImageDataGenerator(horizontal_flip=True).flow(X, np.arange(10), 4, seed=3)
    found = [next(batches) for _ in range(5)]
    order = np.random.RandomState(3).permutation(10)
    assert [len(x) for x, _ in found] == [4, 4, 2, 4, 4]
    assert np.concatenate([y for _, y in found[:3]]).tolist() == order.tolist()
    again = np.random.RandomState(6).permutation(10)  # seed 3, and three batches before it
    assert found[3][1].tolist() == again[:4].tolist()
    pairs = [pair for batch in found for pair in zip(*batch, strict=True)]
    flipped = [np.array_equal(x[:, ::-1], X[n]) for x, n in pairs]
    assert flipped == [not np.array_equal(x, X[n]) for x, n in pairs]
    assert 0 < sum(flipped) < len(pairs)
    assert len(batches) == 3
    with pytest.raises(ValueError, match="3 batches, and none of number 3"):
        batches[3]


def test_numbers_are_made_alike() -> None:
    whole = image.ImageDataGenerator(featurewise_std_normalization=True)
    whole.fit(X)
    means = X.mean((0, 1, 2))
    expected = (X[0] - means) / ((X - means).std((0, 1, 2)) + 1e-6)
    np.testing.assert_allclose(whole.standardize(X[0]), expected, rtol=1e-5)
    each = image.ImageDataGenerator(samplewise_std_normalization=True, rescale=1 / 255)
    found = each.standardize(X[0])
    assert found.mean() == pytest.approx(0, abs=1e-5)
    assert found.std() == pytest.approx(1, rel=1e-3)
    with pytest.warns(UserWarning, match=r"call fit\(images\) first"):
        image.ImageDataGenerator(featurewise_center=True).standardize(X[0])
    white = image.ImageDataGenerator(zca_whitening=True, zca_epsilon=0.1, dtype="float64")
    many = np.random.RandomState(0).randn(500, 2, 2, 1) @ np.ones((1, 1))
    many[:, 0] += many[:, 1]
    white.fit(many)
    flat = np.array([white.standardize(one) for one in many]).reshape(500, 4)
    assert abs(np.corrcoef(flat.T) - np.eye(4)).max() < 0.1
    assert abs(np.corrcoef(many.reshape(500, 4).T) - np.eye(4)).max() > 0.6


def test_parts_of_data_go_together(tmp_path: Path) -> None:
    made = image.ImageDataGenerator(validation_split=0.3, preprocessing_function=lambda x: -x)
    held = next(made.flow(X, shuffle=False, subset="validation"))
    np.testing.assert_array_equal(held, -X[:3])
    (images, beside), labels, weights = next(
        made.flow((X, np.arange(10)), np.ones(10), 4, sample_weight=np.zeros(10), seed=1)
    )
    assert images.shape == (4, 6, 7, 3)
    np.testing.assert_array_equal(images, -X[beside])
    assert (labels.sum(), weights.sum()) == (4, 0)
    pytest.importorskip("PIL")
    next(made.flow(X, batch_size=2, save_to_dir=tmp_path, save_prefix="seen"))
    assert len([*tmp_path.glob("seen_*.png")]) == 2


def test_a_model_learns_from_images_that_are_changed() -> None:
    with td.Graph().as_default():
        model = keras.Sequential(
            [keras.layers.Flatten(input_shape=(6, 7, 3)), keras.layers.Dense(1)]
        )
        model.compile("sgd", "mse")
        made = image.ImageDataGenerator(rescale=1 / 255, rotation_range=10)
        reported = model.fit_generator(
            made.flow(X, np.ones(10), 4), steps_per_epoch=10 / 4, epochs=3, verbose=0
        )
        assert reported.history["loss"][2] < reported.history["loss"][0]
        assert model.predict_generator(made.flow(X, batch_size=4)).shape == (10, 1)


def test_files_in_folders_are_batches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("PIL")
    for name, value in (("b", 200), ("a", 100)):
        (tmp_path / name / "deep").mkdir(parents=True)
        pixels = np.full((4, 6, 3), value)
        for place in ("1.png", "deep/2.jpg", "deep/notes.txt"):
            path = tmp_path / name / place
            if place.endswith("txt"):
                path.write_text("no image")
            else:
                image.save_img(path, pixels, scale=False)
    made = image.ImageDataGenerator(rescale=0.5)
    batches = made.flow_from_directory(str(tmp_path), (2, 3), class_mode="binary", shuffle=False)
    assert capsys.readouterr().out == "Found 4 images belonging to 2 classes.\n"
    x, y = next(batches)
    assert x.shape == (4, 2, 3, 3)
    np.testing.assert_allclose(x[:, 0, 0, 0], [50, 50, 100, 100], atol=1)
    assert y.tolist() == [0, 0, 1, 1]
    assert batches.class_indices == {"a": 0, "b": 1}
    assert batches.filenames[0] == "a/1.png"
    assert batches.samples == 4
    for mode, shape in (("categorical", (4, 2)), ("sparse", (4,)), ("input", (4, 2, 3, 1))):
        found = made.flow_from_directory(
            tmp_path, (2, 3), class_mode=mode, color_mode="grayscale", classes=["b", "a"]
        )
        assert next(found)[1].shape == shape
    assert next(made.flow_from_directory(tmp_path, (2, 3), class_mode=None)).shape == (4, 2, 3, 3)
    split = image.ImageDataGenerator(validation_split=0.5)
    assert split.flow_from_directory(tmp_path, subset="training").filenames == [
        "a/deep/2.jpg",
        "b/deep/2.jpg",
    ]
    (tmp_path / "a" / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    with pytest.raises(ValueError, match=r"bad.png file is damaged"):
        next(made.flow_from_directory(tmp_path, shuffle=False))


def test_images_become_arrays_and_back(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    image.save_img(tmp_path / "x.png", np.arange(12.0).reshape(2, 2, 3), scale=False)
    loaded = image.load_img(tmp_path / "x.png")
    np.testing.assert_array_equal(image.img_to_array(loaded).ravel(), np.arange(12))
    assert image.img_to_array(loaded, "channels_first").shape == (3, 2, 2)
    assert image.load_img(tmp_path / "x.png", grayscale=True).mode == "L"
    assert image.load_img(tmp_path / "x.png", color_mode="rgba").mode == "RGBA"
    with pytest.raises(FileNotFoundError):
        image.load_img(tmp_path / "none.png")


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: image.ImageDataGenerator(zoom_range=(1, 2, 3)), "zoom_range must be a pair"),
        (lambda: image.ImageDataGenerator(brightness_range=0.5), "brightness_range must be a pair"),
        (lambda: image.ImageDataGenerator(fill_mode="none"), "fill_mode must be one of"),
        (lambda: image.ImageDataGenerator(data_format="last"), "data_format must be"),
        (lambda: image.ImageDataGenerator(validation_split=2), r"must be in \(0, 1\), got 2"),
        (lambda: image.ImageDataGenerator().fit(X[0]), r"got shape \(6, 7, 3\)"),
        (lambda: image.ImageDataGenerator().flow(X[0]), r"got shape \(6, 7, 3\)"),
        (lambda: image.ImageDataGenerator().flow(X, np.ones(3)), r"differ in rows: \[10, 3\]"),
        (lambda: image.ImageDataGenerator().flow(X, batch_size=0), "at least 1, got 0"),
        (lambda: image.ImageDataGenerator().flow(X, subset="test"), "subset must be"),
        (lambda: image.img_to_array(1.0), "rank 2 or 3"),
        (lambda: image.array_to_img(np.ones((2, 2, 5))), "1, 3 or 4 channels"),
        (lambda: image.random_zoom(X[0], [1.0]), "must be a pair"),
        (lambda: image.load_img("x", color_mode="cmyk"), "color_mode must be one of"),
        (lambda: image.load_img("x", interpolation="best"), "interpolation must be one of"),
    ],
)
def test_mistakes_are_named(act: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        act()
