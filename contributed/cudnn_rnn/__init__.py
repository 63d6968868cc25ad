"""The recurrent layers of cuDNN under their names in `td.contrib.cudnn_rnn`, on the CPU."""
