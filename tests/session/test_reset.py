"""Resetting a server: as TensorFlow 2.21 answers, sessions end and containers are emptied."""

from __future__ import annotations

import pytest

import tensordraft as td


def test_a_reset_ends_the_sessions_of_its_target_alone() -> None:
    server = td.train.Server.create_local_server()
    with td.Graph().as_default():
        v = td.Variable(1)
        own, shared = td.Session(), td.Session(server.target)
        for session in own, shared:
            session.run(v.initializer)
        td.Session.reset(server.target)
        with pytest.raises(td.errors.AbortedError, match="its target was reset"):
            shared.run(v)
        assert own.run(v) == 1
        assert not td.Session(server.target).run(v.is_initialized())
        td.Session.reset("", ["some"])
        with pytest.raises(td.errors.CancelledError, match="its target was reset"):
            own.run(v)
    with pytest.raises(td.errors.NotFoundError, match="there is no server of the target 'grpc://x"):
        td.Session.reset("grpc://x:1")


def test_a_reset_empties_the_containers_it_names() -> None:
    server = td.train.Server.create_local_server()
    with td.Graph().as_default():
        with td.container("one"):
            variables = [td.Variable(1), td.Variable(2, use_resource=True)]
            queue = td.FIFOQueue(5, [td.int32], [[]])
        variables.append(td.Variable(3))
        given = [v.is_initialized() for v in variables] + [queue.size()]
        with td.Session(server.target) as session:
            session.run([td.global_variables_initializer(), queue.enqueue(7)])
        assert td.Session(server.target).run(given) == [True, True, True, 1]
        td.Session.reset(server.target, ["one"])
        assert td.Session(server.target).run(given) == [False, False, True, 0]
        td.Session.reset(server.target, ["localhost"])
        assert td.Session(server.target).run(given) == [False, False, False, 0]


def test_the_device_of_a_session() -> None:
    [device] = td.Session(graph=td.Graph()).list_devices()
    assert device.name == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert (device.device_type, device.memory_limit_bytes) == ("CPU", 268435456)
