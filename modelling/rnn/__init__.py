"""Recurrent networks: cells, what wraps them, and what runs them along time: `td.nn.rnn_cell`."""
