"""Message classes of TensorFlow Serving, and of gRPC's health checking.

As in `messages`, each message, enum and enum value of the files is an attribute, and the
descriptors are in a pool of the project's own: they share a process with TensorFlow's.
`serving_messages.pyi` lists them all.
"""

from __future__ import annotations

from .messages import members_of

for _file in ("serving_config.proto", "serving_apis.proto", "health.proto"):
    globals().update(members_of(_file, __name__))
