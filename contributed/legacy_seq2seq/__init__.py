"""From lists of inputs to lists of outputs, each step with ops of its own: `legacy_seq2seq`."""
