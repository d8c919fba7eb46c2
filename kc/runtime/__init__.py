"""Running compiled kernels: arrays, devices, calls and modules. Knows no IR."""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from kc.support.absent_names import no_attribute as _no_attribute

if _TYPE_CHECKING:
    # The names below, for type checkers and editors.
    from kc.runtime.array import NDArray as NDArray
    from kc.runtime.data_type import DataType as DataType
    from kc.runtime.data_type import DataTypeCode as DataTypeCode
    from kc.runtime.data_type import TypeCode as TypeCode
    from kc.runtime.device import Device as Device
    from kc.runtime.device import cpu as cpu
    from kc.runtime.device import cuda as cuda
    from kc.runtime.device import enabled as enabled
    from kc.runtime.function import CompiledFunction as CompiledFunction
    from kc.runtime.function import DeferredFunction as DeferredFunction
    from kc.runtime.global_functions import convert as convert
    from kc.runtime.global_functions import convert_to_object as convert_to_object
    from kc.runtime.global_functions import get_global_func as get_global_func
    from kc.runtime.global_functions import list_global_func_names as list_global_func_names
    from kc.runtime.global_functions import register_func as register_func
    from kc.runtime.global_functions import remove_global_func as remove_global_func
    from kc.runtime.loading import load_module as load_module
    from kc.runtime.metadata import ModuleRecord as ModuleRecord
    from kc.runtime.module import Module as Module
    from kc.runtime.object_path import ObjectPath as ObjectPath
    from kc.runtime.parallel import num_threads as num_threads
    from kc.runtime.parallel import set_num_threads as set_num_threads
    from kc.runtime.param_dict import load_param_dict as load_param_dict
    from kc.runtime.param_dict import load_param_dict_from_file as load_param_dict_from_file
    from kc.runtime.param_dict import save_param_dict as save_param_dict
    from kc.runtime.param_dict import save_param_dict_to_file as save_param_dict_to_file
    from kc.runtime.python_function import PythonFunction as PythonFunction
    from kc.runtime.signature import ArgSpec as ArgSpec
    from kc.runtime.signature import Signature as Signature
    from kc.runtime.timing import BenchmarkResult as BenchmarkResult

# Public name -> defining module, imported at first use.
_LAZY = {
    "load_param_dict": "kc.runtime.param_dict",
    "load_param_dict_from_file": "kc.runtime.param_dict",
    "save_param_dict": "kc.runtime.param_dict",
    "save_param_dict_to_file": "kc.runtime.param_dict",
    "ArgSpec": "kc.runtime.signature",
    "BenchmarkResult": "kc.runtime.timing",
    "CompiledFunction": "kc.runtime.function",
    "DataType": "kc.runtime.data_type",
    "DataTypeCode": "kc.runtime.data_type",
    "Device": "kc.runtime.device",
    "Module": "kc.runtime.module",
    "DeferredFunction": "kc.runtime.function",
    "ModuleRecord": "kc.runtime.metadata",
    "NDArray": "kc.runtime.array",
    "Object": "kc.tvm.nodes.node_objects",
    "ObjectPath": "kc.runtime.object_path",
    "PackedFunc": "kc.tvm.nodes.node_objects",
    "PythonFunction": "kc.runtime.python_function",
    "Signature": "kc.runtime.signature",
    "String": "kc.tvm.nodes.node_objects",
    "TypeCode": "kc.runtime.data_type",
    "convert": "kc.runtime.global_functions",
    "convert_to_object": "kc.runtime.global_functions",
    "cpu": "kc.runtime.device",
    "cuda": "kc.runtime.device",
    "enabled": "kc.runtime.device",
    "get_global_func": "kc.runtime.global_functions",
    "list_global_func_names": "kc.runtime.global_functions",
    "load_module": "kc.runtime.loading",  # loading needs a linker, and textual IR the compiler
    "num_threads": "kc.runtime.parallel",
    "register_func": "kc.runtime.global_functions",
    "remove_global_func": "kc.runtime.global_functions",
    "set_num_threads": "kc.runtime.parallel",
}


def __getattr__(name: str) -> _Any:
    if name == "ndarray":  # TVM's module of arrays
        return _import_module("kc.runtime.ndarray")
    if name not in _LAZY:
        raise _no_attribute("runtime", name)
    value = getattr(_import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_LAZY)
