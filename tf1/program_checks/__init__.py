"""`td.check_program`: a program run on shapes only."""
