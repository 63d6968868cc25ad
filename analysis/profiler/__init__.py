"""`td.profiler`, as TensorFlow 1.x reports costs."""
