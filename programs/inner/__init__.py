"""What programs reach into TensorFlow for, and no public namespace has."""
