"""Editing graphs: cutting, renaming, folding, freezing and comparing them."""
