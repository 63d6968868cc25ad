"""Sorting, searching in what is sorted, the greatest elements, and unique ones."""
