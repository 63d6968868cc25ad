"""From sequences to sequences: attention, decoders and what drives them: `td.contrib.seq2seq`."""
