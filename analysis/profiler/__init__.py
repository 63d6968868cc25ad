"""What a graph costs, told as TensorFlow 1.x tells it."""
