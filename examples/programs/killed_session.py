"""A session that is killed, and resumes from its checkpoint in a new process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile

import numpy as np

import tensordraft as tf

BATCH, BATCHES = 20, 5
SAVE_STEPS, KILLED_AT, LAST_STEP = 10, 25, 40


def sample_curve() -> tuple[np.ndarray, np.ndarray]:
    """Places, each by its first waves; and a noisy curve there."""
    rng = np.random.RandomState(5)
    x = rng.uniform(-1.0, 1.0, BATCH * BATCHES)
    waves = np.cos(np.outer(x, np.arange(6)) - 0.5)
    y = np.exp(x) * np.sin(3.0 * x) + 0.05 * rng.randn(len(x))
    return waves.astype(np.float32), y[:, None].astype(np.float32)


def train(folder: str, killed_at: int) -> None:
    """Trains from the latest checkpoint in the folder, and prints each step and its loss."""
    waves, y = sample_curve()
    features, targets = tf.placeholder(tf.float32, [None, 6]), tf.placeholder(tf.float32, [None, 1])
    weights = tf.get_variable("weights", [6, 1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(features, weights) - targets))
    global_step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.05, global_step, 10, 0.9)
    with tf.control_dependencies([loss]):
        update = tf.train.MomentumOptimizer(rate, 0.9).minimize(loss, global_step)
    scaffold = tf.train.Scaffold()
    saving = tf.train.CheckpointSaverHook(folder, save_steps=SAVE_STEPS, scaffold=scaffold)
    hooks = [tf.train.StopAtStepHook(last_step=LAST_STEP), saving]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder, scaffold=scaffold, hooks=hooks, save_checkpoint_secs=None
    ) as session:
        step = int(session.run(global_step))
        while not session.should_stop():
            some = np.arange(BATCH) + BATCH * (step % BATCHES)
            value, _ = session.run([loss, update], {features: waves[some], targets: y[some]})
            step += 1
            print(step, float(value), flush=True)
            if step == killed_at:
                os.kill(os.getpid(), signal.SIGKILL)  # nothing is closed or written


def started(folder: str, killed_at: int, ends: int) -> dict[int, float]:
    """The losses by step of a process that trains, and that has to end in a certain way."""
    command = [sys.executable, __file__, folder, str(killed_at)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)  # noqa: PLW1510, S603
    if done.returncode != ends:
        raise RuntimeError(f"the process ended with {done.returncode}")
    lines = [line.split() for line in done.stdout.splitlines()]
    return {int(step): float(loss) for step, loss in lines}


def main() -> tuple[list[float], dict[int, float]]:
    """Trains in two processes; the losses at all steps, and those of the one that was killed."""
    with tempfile.TemporaryDirectory() as folder:
        lost = started(folder, KILLED_AT, -signal.SIGKILL)
        rest = started(folder, 0, 0)
    losses = {**lost, **rest}
    print(f"killed after step {max(lost)}; went on after step {min(rest) - 1}")
    print("done again:", " ".join(f"{rest[step]:.4f}" for step in rest if step in lost))
    print("losses:    ", " ".join(f"{losses[i]:.4f}" for i in range(5, LAST_STEP + 1, 5)))
    return [losses[step] for step in sorted(losses)], lost


if __name__ == "__main__":
    if len(sys.argv) > 1:
        train(sys.argv[1], int(sys.argv[2]))
    else:
        main()
