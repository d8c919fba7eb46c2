"""The programs in TVMScript that are refused, and their whole messages."""

# ruff: noqa: E501

import re

import pytest

import kc
from kc.error import KCError

HEAD = """\
from tvm.script import tir as T

@T.prim_func
def f(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16,), "int32")):
"""


def without_number(message: str) -> str:
    """A message without the number of the text, which every text has another of."""
    number = re.search(r"<tvmscript( \d+)>", message)
    assert number is not None
    lines = message.replace(number[0], "<tvmscript>", 1).split("\n")
    shift = len(number[1])
    return "\n".join(line[shift:] if line.strip() == "^" else line for line in lines)


def refused(body: str, head: str = HEAD) -> str:
    """The message about ``body``, whose first line is line 5 of the text."""
    with pytest.raises(KCError) as caught:
        kc.script.from_source(head + body)
    return without_number(str(caught.value))


REFUSALS = {
    "spread_number": (
        "    for i in T.grid(*4):\n        B[i] = 1\n",
        """\
error[KC2110]: kc.script does not have *4
  --> <tvmscript>:5:21  for i in T.grid(*4):
                                        ^
  try: write the arguments one by one""",
    ),
    "text_that_is_no_number": (
        "    B[0] = T.int32('four')\n",
        """\
error[KC2003]: T.int32 of the text 'four'
  --> <tvmscript>:5:12  B[0] = T.int32('four')
                               ^
  why: text is accepted only for a number without a literal
  try: T.float32("inf"), T.float32("-inf"), T.float32("nan")""",
    ),
    "extent_that_is_no_integer": (
        '    with T.block("b"):\n        v = T.axis.spatial(2.5, 0)\n        B[v] = 1\n',
        """\
error[KC2119]: the extent of v of block b is a float32
  --> <tvmscript>:6:13  v = T.axis.spatial(2.5, 0)
                            ^
  why: the variables of a block must be integers""",
    ),
    "unknown_buffer": (
        "    C[0] = 1.0\n",
        """\
error[KC2111]: the name C is undefined here
  --> <tvmscript>:5:5  C[0] = 1.0
  why: a script can use its own names, those of the enclosing scopes, and the words of scripts
  try: its own names are: A, B""",
    ),
    "wrong_arity": (
        "    A[0, 0] = A[1, 2, 3]\n",
        """\
error[KC2010]: A has 2 dimensions, indexed with 3
  --> <tvmscript>:5:15  A[0, 0] = A[1, 2, 3]
                                  ^
  why: A has the shape (16, 16)""",
    ),
    "wrong_type": (
        "    B[0] = A[0, 0]\n",
        """\
error[KC2103]: a value of type float32 is stored to B, whose elements are int32
  --> <tvmscript>:5:5  B[0] = A[0, 0]
  why: int32 cannot represent every value of float32
  try: convert it: (...).astype("int32")""",
    ),
    "a_result": (
        "    return A[0, 0]\n",
        """\
error[KC2114]: f returns a value
  --> <tvmscript>:5:5  return A[0, 0]
  why: a kernel writes its results into its parameters
  try: store to a buffer that is a parameter""",
    ),
    "a_word_of_single_instructions": (
        "    for i in range(16):\n        A[i, 0] = T.tvm_warp_shuffle(T.uint32(1), A[i, 0], 0, 4, 4)\n",
        """\
error[KC2133]: TVMScript in kc has no T.tvm_warp_shuffle
  --> <tvmscript>:6:19  A[i, 0] = T.tvm_warp_shuffle(T.uint32(1), A[i, 0], 0, 4, 4)
                                  ^
  why: the lanes of a warp exchange values by memory of the scope warp (lower-warp-memory)
  try: X = T.alloc_buffer((32,), "float32", scope="warp")
  try: X[(lane + 1) % 32]""",
    ),
    "nothing_to_realize": (
        "    with T.realize():\n        A[0, 0] = 0\n",
        """\
error[KC2116]: T.realize() names no buffer
  --> <tvmscript>:5:10  with T.realize():
                             ^
  why: the first argument must be a buffer, or a part of a buffer
  try: with T.realize(A[0:16], "global"):""",
    ),
    "unknown_word": (
        "    for i in T.seriall(16):\n        B[i] = 0\n",
        """\
error[KC2111]: TVMScript has no T.seriall; did you mean 'serial' or 'all' or 'ceil'?
  --> <tvmscript>:5:14  for i in T.seriall(16):
                                 ^""",
    ),
    "reads_too_little": (
        """\
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            T.reads(A[vi, 0:15])
            T.writes(B[vi])
            for j in range(16):
                B[vi] = B[vi] + T.cast(A[vi, j], "int32")
""",
        """\
error[KC2128]: block b reads A 1 element behind the region that T.reads declares
  --> <tvmscript>:8:21  T.reads(A[vi, 0:15])
                                ^
  why: along dimension 1 T.reads declares a start of 0 and a size of 15
  try: leave T.reads out: kc derives the regions from the statements of the block""",
    ),
    "writes_before": (
        """\
    for i in range(15):
        with T.block("b"):
            vi = T.axis.spatial(15, i)
            T.writes(B[vi + 1])
            B[vi] = 0
""",
        """\
error[KC2128]: block b writes B 1 element before the region that T.writes declares
  --> <tvmscript>:8:22  T.writes(B[vi + 1])
                                 ^
  why: along dimension 0 T.writes declares a start of vi + 1 and a size of 1
  try: leave T.writes out: kc derives the regions from the statements of the block""",
    ),
    "reads_nothing": (
        """\
    for i in range(16):
        with T.block("b"):
            vi = T.axis.spatial(16, i)
            T.reads()
            B[vi] = T.cast(A[vi, 0], "int32")
""",
        """\
error[KC2128]: block b reads A, which T.reads does not declare
  --> <tvmscript>:9:13  B[vi] = T.cast(A[vi, 0], "int32")
  why: T.reads says nothing
  try: add A[...] to T.reads
  try: leave T.reads out: it follows""",
    ),
    "a_variable_outside_of_its_domain": (
        '    for i in range(16):\n        with T.block("B"):\n'
        "            vi = T.axis.spatial(8, i)\n            A[vi, 0] = T.float32(0)\n",
        """\
error[KC1202]: tir.block: block B runs for vi = 8, outside of its domain
  --> <tvmscript>:6:9  with T.block("B"):
   |  vi is in 0 <= vi < 8
  why: the loops take it there at (i=8)""",
    ),
    "reads_outside_of_a_block": (
        "    for i in range(16):\n        T.reads(A[i, 0])\n",
        """\
error[KC2119]: T.reads outside of a block
  --> <tvmscript>:6:9  T.reads(A[i, 0])
  try: with block("C"):""",
    ),
    "a_part_of_another_shape": (
        "    P = T.match_buffer(A[0:4, 0:8], (4, 4))\n",
        """\
error[KC2130]: match_buffer: P of shape (4, 4) is a part of A of shape (4, 8)
  --> <tvmscript>:5:5  P = T.match_buffer(A[0:4, 0:8], (4, 4))
  why: the buffer must have the shape of the part; only dimensions of extent 1 may be omitted""",
    ),
    "a_part_that_is_larger": (
        "    P = T.match_buffer(A[8:24, 0:8], (16, 8))\n",
        """\
error[KC2130]: match_buffer: P is A[8:24] along dimension 0
  --> <tvmscript>:5:5  P = T.match_buffer(A[8:24, 0:8], (16, 8))
  why: A has 16 elements there""",
    ),
    "a_part_of_symbolic_size": (
        "    for i in range(16):\n        P = T.match_buffer(A[0:i, 0], (i,))\n"
        '        T.call_packed("f", P.access_ptr("r"))\n',
        """\
error[KC2130]: match_buffer: P of shape (i,) is passed to a packed function
  --> <tvmscript>:7:9  T.call_packed("f", P.access_ptr("r"))
  why: a part of a buffer can be passed as an array only if its shape is constant
  try: P = T.match_buffer(A[i * 16 : i * 16 + 16], (16,))
  try: T.call_extern("int32", "f", P.access_ptr("rw"))""",
    ),
    "a_part_of_another_symbolic_size": (
        "    for i in range(16):\n        P = T.match_buffer(A[0:i, 0], (i + 1,))\n",
        """\
error[KC2130]: match_buffer: P of shape (i + 1,) is a part of A of shape (i, 1)
  --> <tvmscript>:6:9  P = T.match_buffer(A[0:i, 0], (i + 1,))
  why: the buffer must have the shape of the part; only dimensions of extent 1 may be omitted""",
    ),
    "a_part_with_other_strides": (
        "    P = T.match_buffer(A[0:4, 0:8], (4, 8), strides=[8, 1])\n",
        """\
error[KC2129]: match_buffer: neighbours of P along dimension 0 are 8 elements apart, and 16 in A
  --> <tvmscript>:5:5  P = T.match_buffer(A[0:4, 0:8], (4, 8), strides=[8, 1])
  why: a part must have the strides of the buffer
  try: s0 = T.int32(); ... strides=[s0, 1]""",
    ),
    "memory_of_another_type": (
        '    P = T.Buffer((16,), "float32", data=B.data)\n',
        """\
error[KC2129]: P, float32 of shape (16,), is declared in the memory of B, int32 of shape (16,)
  --> <tvmscript>:5:5  P = T.Buffer((16,), "float32", data=B.data)
  why: a buffer in the memory of another must have its element type and a constant shape of which it is not the larger one""",
    ),
    "an_argument_of_a_word": (
        "    C = T.alloc_buffer((4,), layout=1)\n",
        """\
error[KC2116]: T.alloc_buffer has no argument 'layout', or it is given twice
  --> <tvmscript>:5:9  C = T.alloc_buffer((4,), layout=1)
                           ^
  why: its arguments are shape, dtype, data, strides, elem_offset, scope, align, offset_factor, buffer_type, axis_separators, annotations""",
    ),
    "match_of_no_buffer": (
        "    C = T.match_buffer(3, (4,))\n",
        """\
error[KC2129]: match_buffer: 3 is int
  --> <tvmscript>:5:5  C = T.match_buffer(3, (4,))
  why: the source must be a parameter of type T.handle, or a part of a buffer
  try: A = T.match_buffer(a, (128, 128))
  try: B = T.match_buffer(A[0:16, 0:16], (16, 16))""",
    ),
    "an_unknown_attribute": (
        '    T.attr(B, "layout", 1)\n',
        """\
error[KC2129]: attr: layout of B
  --> <tvmscript>:5:5  T.attr(B, "layout", 1)
  why: thread_extent and virtual_thread apply to threads, pragma_... to the next loop
  try: with T.attr(T.env_thread("threadIdx.x"), "thread_extent", 64):""",
    ),
    "an_attribute_of_python": (
        "    B[0] = T.__dict__\n",
        """\
error[KC2111]: TVMScript has no T.__dict__
  --> <tvmscript>:5:12  B[0] = T.__dict__
                               ^""",
    ),
    "an_attribute_of_a_function": (
        "    B[0] = T.exp.__globals__\n",
        """\
error[KC2110]: kc.script does not have .__globals__ of function
  --> <tvmscript>:5:12  B[0] = T.exp.__globals__
                               ^
  try: text is read, not executed""",
    ),
    "a_function_of_python": (
        '    B[0] = open("file")\n',
        """\
error[KC2110]: kc.script does not have Python's open
  --> <tvmscript>:5:12  B[0] = open("file")
                               ^
  try: a kernel computes numbers""",
    ),
    "an_operation_of_other_types": (
        '    B[0] = T.scalar_op("arith.divsi", A[0, 0], A[0, 1], dtype="int32")\n',
        """\
error[KC2129]: scalar_op: arith.divsi of (f32, f32) with the result i32
  --> <tvmscript>:5:12  B[0] = T.scalar_op("arith.divsi", A[0, 0], A[0, 1], dtype="int32")
                               ^
  why: an operation of the IR takes the types that MLIR defines it for
  try: T.Cast("int32", x) converts""",
    ),
    "an_unknown_operation": (
        '    B[0] = T.scalar_op("memref.alloc", B[0], dtype="int32")\n',
        """\
error[KC2129]: scalar_op: memref.alloc is not an operation on numbers
  --> <tvmscript>:5:12  B[0] = T.scalar_op("memref.alloc", B[0], dtype="int32")
                               ^
  why: the operation must be one of arith or math""",
    ),
    "a_syntax_error": (
        "    B[0] = = 1\n",
        """\
error[KC2131]: from_source: invalid syntax
  --> <tvmscript>:5:12  B[0] = = 1
                               ^
  why: TVMScript is written in the syntax of Python""",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str):
    body, message = REFUSALS[name]
    assert refused(body) == message


AROUND = {
    "a_pointer_to_nothing": (
        "@T.prim_func\ndef f(a: T.handle):\n    T.evaluate(0)\n",
        """\
error[KC2115]: parameter a is a pointer without a declared buffer
  --> <tvmscript>:2:7  def f(a: T.handle):
                             ^
  why: the function must declare the element type and the shape of the pointer's buffer
  try: A = T.match_buffer(a, (128,), "float32")""",
    ),
    "no_annotation": (
        "@T.prim_func\ndef f(a):\n    T.evaluate(0)\n",
        """\
error[KC2115]: parameter a of f is declared as nothing
  --> <tvmscript>:2:7  def f(a):
                             ^
  why: a parameter must be a buffer, a pointer for T.match_buffer, or a number
  try: a: T.Buffer((128,), "float32")
  try: a: T.handle
  try: a: T.int32""",
    ),
    "no_function": (
        "N = 4\n",
        """\
error[KC2132]: from_source: the text has no function
  --> <tvmscript>:1:1  N = 4
  try: @T.prim_func above a def
  try: @I.ir_module above a class""",
    ),
    "a_plain_function": (
        "def f():\n    pass\n",
        """\
error[KC2132]: from_source: f is not a @T.prim_func
  --> <tvmscript>:1:1  def f():
  why: text is read, not executed, so a function needs a decorator of TVMScript
  try: @T.prim_func above the def""",
    ),
    "an_empty_class": (
        "@I.ir_module\nclass Module:\n    pass\n",
        """\
error[KC2132]: I.ir_module: the class Module has no functions
  --> <tvmscript>:2:1  class Module:
  try: @T.prim_func above its functions""",
    ),
    "an_import": (
        "import os\n",
        """\
error[KC2110]: kc.script does not have import of os
  --> <tvmscript>:1:1  import os
  try: from kc.script import tir as T, ir as I""",
    ),
    "a_statement": (
        "print(1)\n",
        """\
error[KC2110]: kc.script does not have print(1) around functions
  --> <tvmscript>:1:1  print(1)
  try: functions, classes of them, imports of T and I, and numbers""",
    ),
}


@pytest.mark.parametrize("name", AROUND)
def test_refusals_around_functions(name: str):
    text, message = AROUND[name]
    assert refused(text, "") == message


def test_an_object_without_source():
    with pytest.raises(KCError) as caught:
        kc.script.from_source(3)
    assert str(caught.value).startswith("error[KC2132]: from_source: int has no source")


def test_text_that_pythons_parser_does_not_take():
    with pytest.raises(KCError) as caught:
        kc.script.from_source("\ud800")
    assert caught.value.code == "KC2131"
    assert caught.value.why == "Python's parser rejects this text"
