"""What is known before a graph runs: shapes, symbolic sizes, and the rules that compute them."""
