"""Sequences out of the steps of a beam search."""

from __future__ import annotations

import numpy as np
from cases import Case, raises
from harness import check
from shape_language import infers

OP = "GatherTree"
WORDS = np.array([[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]], [[-1, -1, -1]]], "i")
PARENTS = np.array([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[-1, -1, -1]]], "i")
CASES = [
    Case(
        OP,
        [WORDS, PARENTS, [3], 10],
        expected=(np.array([[[2, 2, 2]], [[6, 5, 6]], [[7, 8, 9]], [[10, 10, 10]]], "i"),),
    ),
    # What is behind the first end of a sequence is an end.
    Case(
        OP,
        [WORDS, PARENTS, [3], 6],
        expected=(np.array([[[2, 2, 2]], [[6, 5, 6]], [[6, 8, 6]], [[6, 6, 6]]], "i"),),
        id="ended",
    ),
    Case(OP, [WORDS, PARENTS, [0], 9], expected=(np.full((4, 1, 3), 9, "i"),), id="nothing"),
    Case(OP, [WORDS[:0], PARENTS[:0], [3], 9], expected=(WORDS[:0],), id="no steps"),
    Case(
        OP,
        [WORDS, PARENTS, [4], 10],
        expected=raises(r"parent_ids\[3,0,0\] = -1 is not in \[0, 3\)", "run"),
        id="parent",
    ),
    Case(OP, [WORDS, PARENTS[:2], [3], 9], expected=raises("step_ids and parent_ids"), id="steps"),
    Case(OP, [WORDS, PARENTS, [3, 3], 9], expected=raises("max_sequence_lengths"), id="batch"),
    Case(OP, [WORDS, PARENTS, [3], [9]], expected=raises("end_token"), id="end"),
]
test_gather_tree = check(CASES)


def test_shapes() -> None:
    infers(OP, "[t,b,k];[?,b,?];[?];[]", "[t,b,k]")
    infers(OP, "?;?;[b];?", "[?,b,?]")
