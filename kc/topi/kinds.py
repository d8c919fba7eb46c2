"""The kinds of operators' arguments, which are checked before an operator runs.

The annotation of a parameter names its kind. A parameter that accepts several kinds of values is
annotated ``Any``, and its name determines its kind. Every parameter of every operator has a kind.
"""

from __future__ import annotations

import operator
import reprlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from kc.expr.constructors import Const, Expr, as_expr
from kc.expr.dtypes import check_dtype, is_float
from kc.expr.tensor import Tensor
from kc.support.diagnostics import KCError

MISSING = object()
"""The default value of a parameter without a default."""


@dataclass(frozen=True)
class Complaint:
    """The refusal of an argument: the parts of a diagnostic."""

    code: str
    message: str
    why: str | None
    hints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Kind:
    """A kind of arguments."""

    name: str
    complain: Callable[[str, Any], Complaint | None]
    """The refusal of a value of the named parameter; None for a value of the kind."""
    plain: Callable[[Any], Any] | None = None
    """The conversion of the value to the operator's form, if it differs."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operator."""

    name: str
    kind: Kind
    default: Any
    may_be_none: bool
    is_list: bool
    """True for a parameter that takes all further arguments (``*operands``)."""


def shown(value: Any) -> str:
    """A value of a user in one short line."""
    return " ".join(reprlib.repr(value).split())


def number_of(value: Any) -> Any:
    """The Python number of a constant of te; any other value is unchanged."""
    return value.value if isinstance(value, Const) else value


def is_whole(value: Any) -> bool:
    """True if a value is an integer that is known when the program is built."""
    if isinstance(value, Const) and not is_float(value.dtype):
        return True
    if isinstance(value, bool | Expr | Tensor):
        return False
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def _is_number(value: Any) -> bool:
    import numbers  # imported at the call, not at start-up

    return isinstance(value, numbers.Real | Const)


def is_scalar(value: Any) -> bool:
    """True if a value is a number, or a scalar expression."""
    if isinstance(value, Tensor):
        return value.ndim == 0
    if isinstance(value, int | float):
        return True
    try:
        as_expr(value)
    except KCError as error:
        return error.code != "KC2004"
    return True


def items_of(value: Any) -> list[Any] | None:
    """The items of a list, a tuple, a range or an array of one dimension, or else None."""
    if isinstance(value, list | tuple | range):
        return list(value)
    if getattr(value, "ndim", 0) == 1 and hasattr(value, "tolist"):
        return value.tolist()
    return None


def _value(test: Callable[[Any], bool], why: str) -> Callable[[str, Any], Complaint | None]:
    """The refusal (KC2319) of a value that fails a test."""

    def complain(name: str, value: Any) -> Complaint | None:
        return None if test(value) else Complaint("KC2319", f"{name} is {shown(value)}", why)

    return complain


def whole_complaint(name: str, value: Any) -> Complaint | None:
    """The refusal (KC2313) of a value that is no integer, or is unknown when the program is
    built.
    """
    if is_whole(value):
        return None
    text = value if isinstance(value, Expr | str) else shown(value)
    return Complaint(
        "KC2313",
        f"{name} is {text}",
        "it must be an integer that is known when the program is built",
    )


def _wholes(name: str, value: Any) -> Complaint | None:
    """The refusal of a value that is neither an integer nor a list of integers."""
    items = items_of(value)
    return _first(whole_complaint, name, [value] if items is None else items)


def _first(
    complain: Callable[[str, Any], Complaint | None], name: str, items: Iterable[Any]
) -> Complaint | None:
    return next((refusal for item in items if (refusal := complain(name, item))), None)


def _listed(name: str, value: Any, *, none: bool = False) -> Complaint | None:
    """The refusal of an invalid list of integers. A single integer is a list of one item; with
    ``none`` items may be None.
    """
    items = items_of(value)
    if items is None:
        if value is None or isinstance(value, str | bytes | Iterable):
            return Complaint("KC2319", f"{name} is {shown(value)}", "it must be a list of numbers")
        items = [value]
    return _first(whole_complaint, name, (item for item in items if not (none and item is None)))


def _pairs(name: str, value: Any) -> Complaint | None:
    """The refusal of an invalid number of axes, or pair of lists of axes."""
    items = items_of(value)
    if items is None:
        return whole_complaint(name, value)
    return _first(_wholes, name, items)


def _padding(name: str, value: Any) -> Complaint | None:
    return None if isinstance(value, str) else _wholes(name, value)


def _is_size(value: Any) -> bool:
    if isinstance(value, Expr):
        return not is_float(value.dtype)
    return isinstance(value, bool) or is_whole(value)


def _sizes(name: str, value: Any) -> Complaint | None:
    items = items_of(value)
    for item in [value] if items is None else items:
        if not _is_size(item):
            return Complaint(
                "KC2012",
                f"{name} has the dimension {shown(item)}",
                "a dimension must be an integer from 0 to 2^63 - 1, or a size made with te.var",
            )
    return None


def _numbers(name: str, value: Any) -> Complaint | None:
    items = items_of(value)
    return _first(_number, name, [value] if items is None else items)


_number = _value(_is_number, "it must be a number")


def _roi(name: str, value: Any) -> Complaint | None:
    """The refusal of an invalid region: a tensor, or the fractions of begins and ends."""
    if value is None or isinstance(value, Tensor):
        return None
    items = items_of(value)
    if items is None:
        return Complaint(
            "KC2319", f"{name} is {shown(value)}", "it must be a list of numbers, a tensor or None"
        )
    return _first(_number, f"a share of {name}", items)


def _is_switch(value: Any) -> bool:
    # numpy's booleans are not numbers; C's booleans are 0 and 1.
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return True
    return is_whole(value) and not isinstance(value, Const) and operator.index(value) in (0, 1)


def _element_type(name: str, value: Any) -> Complaint | None:
    """The refusal of an invalid element type, by kc's or numpy's name; "" and None mean no type."""
    if value is None or (isinstance(value, str) and not value):
        return None
    if not (
        isinstance(value, str | type) or (hasattr(value, "itemsize") and hasattr(value, "kind"))
    ):
        return Complaint("KC2319", f"{name} is {shown(value)}", "it must be a text")
    try:
        check_dtype(value)  # pyright: ignore[reportArgumentType]  (numpy's types, too)
    except KCError as error:
        return Complaint(error.code, f"{name}: {error.message}", error.why, tuple(error.hints))
    return None


def tensor_complaint(name: str, value: Any) -> Complaint | None:
    """The refusal (KC2300) of a value that is not a tensor."""
    if isinstance(value, Tensor):
        return None
    return Complaint(
        "KC2300",
        f"{name} is {shown(value)}, not a tensor",
        "operators of topi take tensors of te",
        ("te.placeholder((2, 3)), or the result of another operator",),
    )


def _tensors(name: str, value: Any) -> Complaint | None:
    if not isinstance(value, list | tuple) or not value:
        return Complaint(
            "KC2300",
            f"{name} is {shown(value)}",
            "it must be a list of one or more tensors",
            (f"{name}=[A, B]",),
        )
    items = enumerate(value)
    return next(
        (complaint for n, item in items if (complaint := tensor_complaint(f"{name}[{n}]", item))),
        None,
    )


def _tensors_or_list(name: str, value: Any) -> Complaint | None:
    """The refusal of an argument that is neither a tensor nor a list of tensors. None for a legal
    argument.
    """
    if isinstance(value, list | tuple):
        return _tensors(name, value)
    return tensor_complaint(name, value)


def _matrix(name: str, value: Any) -> Complaint | None:
    """The refusal of invalid parts of a sparse matrix."""
    if not isinstance(value, list | tuple) or len(value) != 3:
        return Complaint(
            "KC2300",
            f"{name} is {shown(value)}",
            "a sparse matrix must be (data, indices, indptr)",
            (
                "(te.placeholder((nnz,)), te.placeholder((nnz,), 'int32'), "
                "te.placeholder((rows + 1,), 'int32'))",
            ),
        )
    return _tensors(name, value)


def _tensor_or_matrix(name: str, value: Any) -> Complaint | None:
    return None if isinstance(value, Tensor) else _matrix(name, value)


def _operator(name: str, value: Any) -> Complaint | None:
    if callable(value):
        return None
    return Complaint(
        "KC2300",
        f"{name} is {shown(value)}",
        "it must be an operator, or None",
        (f"{name}=topi.tanh",),
    )


def _function(name: str, value: Any) -> Complaint | None:
    if callable(value):
        return None
    return Complaint(
        "KC2300",
        f"{name} is {shown(value)}",
        "it must be a function of two elements",
        ("lambda total, element: total + element",),
    )


def _wholes_plain(value: Any) -> Any:
    if isinstance(value, Const):
        return value.value
    if isinstance(value, list | tuple) and any(isinstance(item, Const) for item in value):
        return [number_of(item) for item in value]
    return value


def _is_tensor_or_scalar(value: Any) -> bool:
    return isinstance(value, Tensor) or is_scalar(value)


SWITCH = Kind("True or False", _value(_is_switch, "it must be True or False"))
TEXT = Kind("a text", _value(lambda value: value is None or isinstance(value, str),
                             "it must be a text"))  # fmt: skip
TYPE = Kind("an element type", _element_type)
WHOLE = Kind("an integer", whole_complaint, number_of)
WHOLES = Kind("an integer, or a list of them", _wholes, _wholes_plain)
PAIRS = Kind("a number of axes, or two lists of axes", _pairs, number_of)
LIST = Kind("a list of integers", _listed, _wholes_plain)
ENDS = Kind("a list of integers and None",
            lambda name, value: _listed(name, value, none=True), _wholes_plain)  # fmt: skip
PADDING = Kind('an integer, a list of them, "SAME" or "VALID"', _padding, _wholes_plain)
SIZES = Kind("a dimension, or a list of them", _sizes)
SIZES_OR_TENSOR = Kind(
    "a dimension, a list of them, or a tensor of them",
    lambda name, value: None if isinstance(value, Tensor) else _sizes(name, value),
)
NUMBER = Kind("a number", _value(_is_number, "it must be a number that is known when the program "
                                 "is built"), number_of)  # fmt: skip
NUMBERS = Kind("a number, or a list of them", _numbers, _wholes_plain)
NUMBER_OR_TENSOR = Kind(
    "a number, or a tensor without dimensions",
    _value(lambda value: _is_number(value) or isinstance(value, Tensor),
           "it must be a number, or a tensor without dimensions"),
    number_of,
)  # fmt: skip
SCALAR = Kind(
    "a number, or a scalar expression",
    _value(is_scalar, "it must be a number or a scalar expression"),
)
OPERAND = Kind(
    "a tensor, a number, or a scalar expression",
    _value(_is_tensor_or_scalar, "it must be a tensor, a number or a scalar expression"),
)
TENSOR = Kind("a tensor", tensor_complaint)
TENSORS = Kind("a list of tensors", _tensors)
TENSORS_OR_LIST = Kind("tensors, or a list of them", _tensors_or_list)
MATRIX = Kind("a sparse matrix", _matrix)
TENSOR_OR_MATRIX = Kind("a tensor, or a sparse matrix", _tensor_or_matrix)
REGION = Kind("the shares of a region", _roi)
OPERATOR = Kind("an operator", _operator)
FUNCTION = Kind("a function of two elements", _function)
WORD_OR_NUMBER = Kind(
    "a text or its number",
    _value(lambda value: isinstance(value, str | bytes) or is_whole(value)
           or isinstance(value, bool), "it must be a text or its number"),
    number_of,
)  # fmt: skip
WORD_OR_TENSOR = Kind(
    "a text, or a tensor without dimensions",
    _value(lambda value: isinstance(value, str | Tensor), "it must be a text, or a tensor"),
)
SECTIONS = Kind("a number of parts, or the places between them", _wholes, _wholes_plain)
ATTRIBUTES = Kind("attributes by name", _value(lambda value: isinstance(value, dict),
                                               "it must be a dict"))  # fmt: skip

BY_ANNOTATION = {
    "bool": SWITCH, "str": TEXT, "int": WHOLE, "float": NUMBER, "Tensor": TENSOR,
    "Sequence[Tensor]": TENSORS, "Sequence[int]": LIST, "dict[str, Any]": ATTRIBUTES,
    "Callable[[Any, Any], Any]": FUNCTION,
}  # fmt: skip
"""Kinds by annotations, without "| None"; a text whose name ends with "dtype" is a type."""

BY_NAME: dict[str, Kind] = {}
"""Kinds of parameters whose annotation is Any, by name, or by the names of operator and
parameter.
"""


def _enter(kind: Kind, names: str) -> None:
    BY_NAME.update(dict.fromkeys(names.split(), kind))


_enter(OPERAND, """lhs rhs x y low high mean scale
    output_scale output_zero_point input_scale input_zero_point""")  # fmt: skip
_enter(SCALAR, """a_min a_max fill_value on_value off_value pad_value dilation_value default_value
    identity_value slice_scatter.start nn.elu.alpha nn.selu.alpha nn.selu.gamma nn.celu.alpha
    nn.hardsigmoid.alpha nn.hardsigmoid.beta nn.attention.scale image.resize1d.bicubic_alpha
    image.resize2d.bicubic_alpha image.resize3d.bicubic_alpha nn.lrn.alpha
    image.resize1d.extrapolation_value image.resize2d.extrapolation_value
    image.resize3d.extrapolation_value""")  # fmt: skip
_enter(PAIRS, "tensordot.axes")
_enter(WHOLES, """axis stride strides dilation dilations kernel size output_size
    pooled_size crop_size target_shape output_padding pad_before pad_after k block_shape image_shape
    window_shape reps crop_begin_list crop_end_list output_shape new_shape_shape
    new_sparse_indices_shape""")  # fmt: skip
_enter(LIST, "axes begin")
_enter(ENDS, "end")
_enter(PADDING, "padding")
_enter(SIZES, """shape newshape n m out_shape prev_shape new_shape oshape ishape fshape
    sparse_to_dense.output_shape one_hot.depth""")  # fmt: skip
_enter(SIZES_OR_TENSOR, "unravel_index.shape")
_enter(NUMBER, "start stop step vision.proposal.rpn_min_size")
_enter(NUMBERS, "ratios sizes scales steps offsets variances")
_enter(NUMBER_OR_TENSOR, "vision.get_valid_counts.score_threshold")
_enter(SECTIONS, "indices_or_sections")
_enter(TENSORS_OR_LIST, "operands")
_enter(MATRIX, "sparse.csrmm.a sparse.csrmv.a")
_enter(TENSOR_OR_MATRIX, "sparse.dense.data sparse.dense.weight")
_enter(REGION, "roi")
_enter(OPERATOR, "f_act g_act h_act")
_enter(WORD_OR_NUMBER, "vision.roi_align_nchw.mode vision.roi_align_nhwc.mode")
_enter(WORD_OR_TENSOR, "nn.simulated_quantize.out_dtype nn.simulated_dequantize.in_dtype")
_enter(SWITCH, """sort.is_ascend argsort.is_ascend image.resize1d.bicubic_exclude
    image.resize2d.bicubic_exclude image.resize3d.bicubic_exclude""")  # fmt: skip


def kind_of(operator_name: str, name: str, annotation: str) -> Kind | None:
    """The kind of a parameter, or None if the tables have none for it."""
    own = BY_NAME.get(f"{operator_name}.{name}")
    if own is not None:
        return own
    kind = BY_ANNOTATION.get(annotation.removesuffix(" | None"))
    if kind is TEXT and name.endswith("dtype"):
        return TYPE
    return BY_NAME.get(name) if kind is None else kind
