"""A forecaster with a rolling window: every sample moves the window, and a line is fitted to it."""

from __future__ import annotations

import math

import tensordraft as tf

WINDOW = 8


def main() -> list[float]:
    """Forecasts a drifting wave one step ahead; the errors, once the window is full."""
    sample = tf.placeholder(tf.float32, [], name="sample")
    window = tf.Variable(tf.zeros([WINDOW]), trainable=False, name="window")
    seen = tf.Variable(0, trainable=False, name="seen")

    # The line through the window by least squares: weights that do not depend on the samples.
    times = tf.linspace(-1.0, 1.0, WINDOW)
    slope = tf.reduce_sum(times * window) / tf.reduce_sum(tf.square(times))
    step = 2.0 / (WINDOW - 1)
    forecast = tf.reduce_mean(window) + slope * (1.0 + step)
    error = sample - forecast

    with tf.control_dependencies([error]):  # judged before the sample is let in
        moved = window.assign(tf.concat([window[1:], [sample]], 0))
        counted = tf.assign_add(seen, 1)
    advance = tf.group(moved, counted)

    errors = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for t in range(40):
            value = 0.1 * t + math.sin(t / 3.0)
            error_now, _ = session.run([error, advance], {sample: value})
            if session.run(seen) > WINDOW:
                errors.append(float(error_now))
        latest = session.run(window[-1:])
    print("latest sample:", latest)
    print(f"largest error: {max(map(abs, errors)):.4f}")
    return errors


if __name__ == "__main__":
    main()
