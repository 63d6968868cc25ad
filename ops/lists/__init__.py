"""TensorArrays and tensor lists."""
