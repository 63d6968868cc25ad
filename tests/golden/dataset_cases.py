"""Pipelines of datasets whose elements TensorFlow has recorded; each is a function of `tf`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CASES: dict[str, Callable[[Any], Any]] = {}


def case(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    CASES[function.__name__] = function
    return function


def numbers(tf: Any, *args: Any) -> Any:
    return tf.data.Dataset.range(*args)


@case
def range_down(tf: Any) -> Any:
    return numbers(tf, 7, -2, -3)


@case
def range_empty(tf: Any) -> Any:
    return numbers(tf, 5, 2)


@case
def tensors(tf: Any) -> Any:
    return tf.data.Dataset.from_tensors({"a": [1.0, 2.0], "b": (3, "x")})


@case
def slices(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(([1, 2, 3], {"s": ["x", "y", "z"]}))


@case
def sparse_slices(tf: Any) -> Any:
    sparse = tf.SparseTensor([[0, 1], [2, 0], [2, 3]], [1.0, 2.0, 3.0], [3, 4])
    return tf.data.Dataset.from_sparse_tensor_slices(sparse)


@case
def zipped(tf: Any) -> Any:
    return tf.data.Dataset.zip((numbers(tf, 5), {"b": numbers(tf, 10, 13)}))


@case
def concatenated(tf: Any) -> Any:
    return numbers(tf, 2).concatenate(numbers(tf, 7, 9))


@case
def mapped(tf: Any) -> Any:
    pairs = tf.data.Dataset.zip((numbers(tf, 4), numbers(tf, 10, 20)))
    return pairs.map(lambda x, y: {"sum": x + y, "list": tf.stack([x, y])})


@case
def mapped_by_threads(tf: Any) -> Any:
    return numbers(tf, 9).map(lambda x: x * x, num_parallel_calls=3)


@case
def mapped_in_rows(tf: Any) -> Any:
    table = np.arange(3, dtype=np.float32)
    data = tf.data.Dataset.from_tensor_slices(np.linspace(-1, 1, 7).astype(np.float32))
    return data.map(lambda x: (x * 2 + table, tf.exp(x), table)).batch(3)


@case
def mapped_of_ranks(tf: Any) -> Any:
    data = tf.data.Dataset.from_tensor_slices(
        (np.arange(5.0, dtype=np.float32), np.arange(30.0, dtype=np.float32).reshape(5, 2, 3))
    )
    return data.map(lambda x, y: x + y * [1.0, 0.5, 2.0]).batch(2)


@case
def flat(tf: Any) -> Any:
    data = tf.data.Dataset.from_tensor_slices([[1, 2, 3], [4, 5, 6]])
    return data.flat_map(tf.data.Dataset.from_tensor_slices)


@case
def flat_of_lengths(tf: Any) -> Any:
    return numbers(tf, 4).flat_map(tf.data.Dataset.range).batch(4)


@case
def interleaved(tf: Any) -> Any:
    return numbers(tf, 1, 6).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle_length=2, block_length=3
    )


@case
def interleaved_long(tf: Any) -> Any:
    return numbers(tf, 1, 4).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(4 - x), cycle_length=5, block_length=2
    )


@case
def interleaved_by_threads(tf: Any) -> Any:
    return numbers(tf, 1, 6).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(x),
        cycle_length=3,
        block_length=2,
        num_parallel_calls=2,
    )


@case
def parallel_interleaved(tf: Any) -> Any:
    return numbers(tf, 1, 5).apply(
        tf.data.experimental.parallel_interleave(
            lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2
        )
    )


@case
def filtered(tf: Any) -> Any:
    return numbers(tf, 10).filter(lambda x: tf.equal(x % 3, 1))


@case
def batched(tf: Any) -> Any:
    return numbers(tf, 10).batch(4)


@case
def batched_whole(tf: Any) -> Any:
    return numbers(tf, 10).batch(4, drop_remainder=True)


@case
def batched_twice(tf: Any) -> Any:
    return numbers(tf, 12).batch(3).batch(2)


@case
def padded(tf: Any) -> Any:
    return numbers(tf, 1, 6).map(lambda x: tf.fill([x], x)).padded_batch(2, padded_shapes=[None])


@case
def padded_with(tf: Any) -> Any:
    data = numbers(tf, 3).map(lambda x: (tf.fill([x], "ab"), tf.fill([x, 1], 1.5)))
    return data.padded_batch(
        2, padded_shapes=([4], [-1, 2]), padding_values=("-", np.float32(7.0)), drop_remainder=True
    )


@case
def unbatched(tf: Any) -> Any:
    return tf.data.Dataset.from_tensors(([[1, 2], [3, 4]], ["a", "b"])).apply(
        tf.data.experimental.unbatch()
    )


def shuffling(name: str, *settings: Any, **more: Any) -> None:
    def shuffled(tf: Any) -> Any:
        return numbers(tf, 10).shuffle(*settings, **more).repeat(2)

    CASES[name] = shuffled


shuffling("shuffled", 4, seed=7)
shuffling("shuffled_whole", 100, seed=1)
shuffling("shuffled_alike", 5, seed=3, reshuffle_each_iteration=False)
shuffling("shuffled_one", 1, seed=3)


@case
def shuffled_by_both_seeds(tf: Any) -> Any:
    tf.set_random_seed(11)
    return numbers(tf, 10).shuffle(5, seed=2).repeat(2)


@case
def shuffled_repeatedly(tf: Any) -> Any:
    return numbers(tf, 6).apply(tf.data.experimental.shuffle_and_repeat(4, 3, seed=5))


@case
def shuffled_without_end(tf: Any) -> Any:
    return numbers(tf, 3).apply(tf.data.experimental.shuffle_and_repeat(20, seed=5)).take(30)


@case
def shuffled_batches(tf: Any) -> Any:
    return numbers(tf, 20).repeat(2).shuffle(8, seed=9).batch(3)


@case
def repeated(tf: Any) -> Any:
    return numbers(tf, 3).repeat(3).batch(4)


@case
def repeated_not(tf: Any) -> Any:
    return numbers(tf, 3).repeat(0)


@case
def repeated_without_end(tf: Any) -> Any:
    return numbers(tf, 3).repeat().skip(2).take(7)


@case
def repeated_nothing(tf: Any) -> Any:
    return numbers(tf, 0).repeat()


@case
def taken_more(tf: Any) -> Any:
    return numbers(tf, 3).take(5)


@case
def taken_all(tf: Any) -> Any:
    return numbers(tf, 3).take(-1)


@case
def skipped(tf: Any) -> Any:
    return numbers(tf, 9).skip(4).batch(2)


@case
def cached(tf: Any) -> Any:
    return numbers(tf, 3).map(lambda x: x + 1).cache().repeat(2)


@case
def sharded(tf: Any) -> Any:
    return numbers(tf, 10).shard(3, 1)


@case
def enumerated(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(["a", "b"]).apply(
        tf.data.experimental.enumerate_dataset(start=5)
    )


def windowing(name: str, *settings: Any, **more: Any) -> None:
    def windowed(tf: Any) -> Any:
        return numbers(tf, 8).window(*settings, **more).flat_map(lambda part: part.batch(10))

    CASES[name] = windowed


windowing("windows", 3)
windowing("windows_whole", 3, drop_remainder=True)
windowing("windows_over", 4, shift=2)
windowing("windows_apart", 2, shift=3)
windowing("windows_far_apart", 2, 5, 2)
windowing("windows_strided", 3, 1, 2)
windowing("windows_strided_whole", 3, 1, 2, True)


@case
def windows_of_pairs(tf: Any) -> Any:
    pairs = tf.data.Dataset.zip((numbers(tf, 5), numbers(tf, 5, 10)))
    return pairs.window(2).flat_map(lambda x, y: tf.data.Dataset.zip((x.batch(2), y)))


@case
def grouped(tf: Any) -> Any:
    return numbers(tf, 17).apply(
        tf.data.experimental.group_by_window(
            lambda x: x % 3, lambda key, part: part.batch(4), window_size=4
        )
    )


@case
def grouped_by_size(tf: Any) -> Any:
    return numbers(tf, 17).apply(
        tf.data.experimental.group_by_window(
            lambda x: x % 2,
            lambda key, part: part.map(lambda x: (key, x)).batch(5),
            window_size_func=lambda key: 2 + key,
        )
    )


@case
def bucketed(tf: Any) -> Any:
    data = numbers(tf, 1, 16).map(lambda x: tf.fill([x * 7 % 11], x))
    return data.apply(
        tf.data.experimental.bucket_by_sequence_length(
            lambda x: tf.shape(x)[0], [4, 8], [3, 2, 2], padded_shapes=[None]
        )
    )


@case
def bucketed_to_boundary(tf: Any) -> Any:
    data = numbers(tf, 1, 12).map(lambda x: (tf.fill([x % 5 + 1], x), x))
    return data.apply(
        tf.data.experimental.bucket_by_sequence_length(
            lambda x, _: tf.shape(x)[0], [4, 8], [3, 2, 2], pad_to_bucket_boundary=True
        )
    )


@case
def scanned(tf: Any) -> Any:
    return numbers(tf, 6).apply(
        tf.data.experimental.scan(np.int64(0), lambda state, x: (state + x, state * 10 + x))
    )


@case
def mapped_and_batched(tf: Any) -> Any:
    return numbers(tf, 7).apply(
        tf.data.experimental.map_and_batch(lambda x: (x, x * 2), 3, drop_remainder=True)
    )


@case
def errors_ignored(tf: Any) -> Any:
    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0])
    return data.map(lambda x: tf.check_numerics(1.0 / x, "wrong")).apply(
        tf.data.experimental.ignore_errors()
    )


@case
def sampled(tf: Any) -> Any:
    sources = [numbers(tf, 0, 5), numbers(tf, 100, 105), numbers(tf, 200, 205)]
    return tf.data.experimental.sample_from_datasets(sources, [0.5, 0.3, 0.2], seed=4)


@case
def sampled_evenly(tf: Any) -> Any:
    sources = [numbers(tf, 0, 5), numbers(tf, 100, 105)]
    return tf.data.experimental.sample_from_datasets(sources, seed=4)


@case
def chosen(tf: Any) -> Any:
    sources = [numbers(tf, 0, 3), numbers(tf, 100, 103), numbers(tf, 200, 203)]
    choice = numbers(tf, 3).repeat(2)
    return tf.data.experimental.choose_from_datasets(sources, choice)


@case
def sparse_elements(tf: Any) -> Any:
    sparse = tf.SparseTensor([[0, 1], [1, 0], [2, 2]], [1.0, 2.0, 3.0], [3, 4])
    data = tf.data.Dataset.from_tensor_slices((sparse, [10, 20, 30]))
    return data.map(lambda part, x: (part, x + 1)).batch(2)


@case
def taken_while(tf: Any) -> Any:
    return numbers(tf, 10).apply(tf.data.experimental.take_while(lambda x: x < 4))


@case
def sparse_batches(tf: Any) -> Any:
    data = numbers(tf, 5).map(lambda x: tf.fill([x], x))
    return data.apply(tf.data.experimental.dense_to_sparse_batch(2, [6]))


@case
def generated(tf: Any) -> Any:
    def pairs() -> Any:
        for i in range(4):
            yield i, [1.5] * i

    return tf.data.Dataset.from_generator(pairs, (tf.int32, tf.float32), ([], [None]))


@case
def generated_of_arguments(tf: Any) -> Any:
    data = tf.data.Dataset.from_generator(lambda n: iter(range(n)), tf.int64, [], args=(3,))
    return data.repeat(2)


@case
def counted(tf: Any) -> Any:
    return tf.data.experimental.Counter(4, 2).take(3)


@case
def numbers_at_random(tf: Any) -> Any:
    return tf.data.experimental.RandomDataset(seed=7).take(5)
