"""`tensorflow.models.rnn.rnn_cell`: cells from before 0.7, whose states are single tensors."""

from __future__ import annotations

from functools import partial

from ...training.rnn import lstm_cells, wrappers

BasicLSTMCell = partial(lstm_cells.BasicLSTMCell, state_is_tuple=False)
LSTMCell = partial(lstm_cells.LSTMCell, state_is_tuple=False)
MultiRNNCell = partial(wrappers.MultiRNNCell, state_is_tuple=False)
