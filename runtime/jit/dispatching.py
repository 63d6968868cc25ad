"""Dispatchers: machine code that calls recorded loops, one after the other or by several threads.

A group of calls has parts, which threads share; it begins when the one before has ended. Numbers
that threads share lie apart from each other, so that each is in a line of the cache of its own.
"""

from __future__ import annotations

from functools import cache

from ..kernel_spec import Loop

APART = 16
"""Distance between shared numbers, in int64."""
DONE, STOPPED, TAKEN = 0, APART, 2 * APART
"""Shared: how many parts are done; 1 if helpers have to end; then how many of a group are taken."""

_CALLS = """
def calls(table, parts, first, last):
    for i in range(parts[first], parts[last]):
        call(table[2 * i], table[2 * i + 1])
"""
_LEAD = (
    _CALLS
    + """
def lead(table, parts, groups, shared, begin, end, resting):
    for g in range(begin, end):
        first = groups[g]
        last = groups[g + 1]
        if last == first + 1:
            calls(table, parts, first, last)
            add_shared(shared, 0, 1)
        else:
            p = first + add_shared(shared, 32 + 16 * g, 1)
            while p < last:
                calls(table, parts, p, p + 1)
                add_shared(shared, 0, 1)
                p = first + add_shared(shared, 32 + 16 * g, 1)
            turns = 0
            while read_shared(shared, 0) < last:
                relax()
                turns += 1
                if turns > 2000:
                    turns = 0
                    call(resting, 0)
"""
)
_HELP = (
    _CALLS
    + """
def help_along(table, parts, groups, shared, begin, end, resting):
    g = begin
    while g < end:
        first = groups[g]
        last = groups[g + 1]
        if last > first + 1:
            turns = 0
            while read_shared(shared, 0) < first and read_shared(shared, 16) == 0:
                relax()
                turns += 1
                if turns > 2000:
                    turns = 0
                    call(resting, 0)
            if read_shared(shared, 16) != 0:
                g = end
            else:
                p = first + add_shared(shared, 32 + 16 * g, 1)
                while p < last:
                    calls(table, parts, p, p + 1)
                    add_shared(shared, 0, 1)
                    p = first + add_shared(shared, 32 + 16 * g, 1)
        g += 1
"""
)


@cache
def single() -> Loop:
    """The loop that makes the calls of parts `first` to `last`, one after the other.

    `table` holds the address of each call, and that of its arguments; `parts` the number of the
    first call of each part.
    """
    return Loop("calls", ("int64*", "int64*", "int64", "int64"), _CALLS)


@cache
def lead() -> Loop:
    """The loop that makes the calls of groups `begin` to `end`, with what helpers leave of them.

    Beside `table` and `parts`, as of `single`, it takes the number of the first part of each group
    and shared numbers; and the address of a function that lets another thread run.
    """
    return Loop("lead", ("int64*",) * 4 + ("int64",) * 3, _LEAD)


@cache
def help_along() -> Loop:
    """The loop that helps `lead`, in another thread: it takes parts of groups that have several."""
    return Loop("help_along", ("int64*",) * 4 + ("int64",) * 3, _HELP)
