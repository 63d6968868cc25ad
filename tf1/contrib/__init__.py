"""`td.contrib`, the parts that most programs use."""
