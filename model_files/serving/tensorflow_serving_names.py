"""TensorFlow Serving's modules in this process: `import tensorflow_serving.apis`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ...protos import serving_messages
from .grpc_services import MODEL_SERVICE, PREDICTION_SERVICE, SERVICES
from .packages import grpc

_ROOT = "tensorflow_serving"
_MESSAGES = {
    "apis.classification_pb2": (
        "Class Classifications ClassificationResult ClassificationRequest ClassificationResponse"
    ),
    "apis.get_model_metadata_pb2": (
        "SignatureDefMap GetModelMetadataRequest GetModelMetadataResponse"
    ),
    "apis.get_model_status_pb2": (
        "GetModelStatusRequest GetModelStatusResponse ModelVersionStatus"
    ),
    "apis.inference_pb2": (
        "InferenceTask InferenceResult MultiInferenceRequest MultiInferenceResponse"
    ),
    "apis.input_pb2": "ExampleList ExampleListWithContext Input",
    "apis.logging_pb2": "LogMetadata",
    "apis.model_management_pb2": "Metric ReloadConfigRequest ReloadConfigResponse",
    "apis.model_pb2": "ModelSpec",
    "apis.model_service_pb2": "",
    "apis.predict_pb2": "PredictRequest PredictResponse",
    "apis.prediction_log_pb2": (
        "ClassifyLog MultiInferenceLog PredictLog PredictionLog RegressLog"
    ),
    "apis.prediction_service_pb2": "",
    "apis.regression_pb2": "Regression RegressionResult RegressionRequest RegressionResponse",
    "apis.status_pb2": "StatusProto",
    "config.file_system_storage_path_source_pb2": "FileSystemStoragePathSourceConfig",
    "config.log_collector_config_pb2": "LogCollectorConfig",
    "config.logging_config_pb2": "LoggingConfig SamplingConfig",
    "config.model_server_config_pb2": (
        "MODEL_TYPE_UNSPECIFIED ModelConfig ModelConfigList ModelServerConfig ModelType OTHER "
        "TENSORFLOW"
    ),
}
_SERVICES = {
    "apis.model_service_pb2_grpc": MODEL_SERVICE,
    "apis.prediction_service_pb2_grpc": PREDICTION_SERVICE,
}
_PACKAGES = ("", "apis", "config")


def as_tensorflow_serving() -> None:
    """From now on, `import tensorflow_serving.apis` gives the messages and stubs of this project.

    So a client that was written for TensorFlow Serving runs as it is.
    """
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    """Finds TensorFlow Serving's modules here, before any that may be installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        root, _, name = fullname.partition(".")
        if root != _ROOT:
            return None
        if name not in (*_PACKAGES, *_MESSAGES, *_SERVICES):
            there = ", ".join(sorted({*_MESSAGES, *_SERVICES}))
            raise ModuleNotFoundError(
                f"tensordraft has no {fullname}; of {_ROOT} it has {there}", name=fullname
            )
        return ModuleSpec(fullname, _Loader(), is_package=name in _PACKAGES)


class _Loader(Loader):
    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__.partition(".")[2]
        for message in _MESSAGES.get(name, "").split():
            setattr(module, message, getattr(serving_messages, message))
        service = _SERVICES.get(name) or _SERVICES.get(f"{name}_grpc")
        if service is None:
            return
        members = _members(service)
        stub = members[f"{service.rpartition('.')[2]}Stub"]
        if not name.endswith("_grpc"):
            # The interface of the years before 2018.
            def beta_stub(channel: Any) -> Any:
                return stub(channel if hasattr(channel, "unary_unary") else channel._channel)

            members = {f"beta_create_{service.rpartition('.')[2]}_stub": beta_stub}
        vars(module).update(members)


def _members(service: str) -> dict[str, Any]:
    """The stub and the servicer of a service, as generated code has them."""
    title, methods = service.rpartition(".")[2], SERVICES[service]

    class Stub:
        def __init__(self, channel: Any) -> None:
            for name, (request, response) in methods.items():
                call = channel.unary_unary(
                    f"/{service}/{name}",
                    request_serializer=request.SerializeToString,
                    response_deserializer=response.FromString,
                )
                setattr(self, name, call)

    def unimplemented(self: Any, request: Any, context: Any) -> None:
        context.set_code(grpc().StatusCode.UNIMPLEMENTED)
        context.set_details("Method not implemented!")
        raise NotImplementedError("Method not implemented!")

    servicer = type(f"{title}Servicer", (), dict.fromkeys(methods, unimplemented))

    def add_to_server(servicer: Any, server: Any) -> None:
        library = grpc()
        handlers = {
            name: library.unary_unary_rpc_method_handler(
                getattr(servicer, name), request.FromString, response.SerializeToString
            )
            for name, (request, response) in methods.items()
        }
        handler = library.method_handlers_generic_handler(service, handlers)
        server.add_generic_rpc_handlers((handler,))

    Stub.__name__ = Stub.__qualname__ = f"{title}Stub"
    return {
        f"{title}Stub": Stub,
        f"{title}Servicer": servicer,
        f"add_{title}Servicer_to_server": add_to_server,
    }
