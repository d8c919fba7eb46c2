"""The programs that kc.script refuses, and its whole messages."""

# ruff: noqa: B007, E501, E731, F811, F821, F841, PT
# pyright: basic, reportGeneralTypeIssues=false, reportUndefinedVariable=false
# pyright: reportInvalidTypeForm=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportAttributeAccessIssue=false, reportCallIssue=false, reportArgumentType=false
# pyright: reportAssignmentType=false, reportOptionalOperand=false, reportUnusedExpression=false

import math

import numpy as np
import pytest
from script_checks import refused

import kc
from kc import te

n = te.var("n")
Buf = kc.Buffer


def while_loop() -> None:
    @kc.script
    def f(A: Buf((8,)), m: "int32"):
        while m > 0:
            A[0] -= 1.0


def else_of_a_while() -> None:
    @kc.script
    def f(A: Buf((8,))):
        while A[0] > 0:
            A[0] -= 1.0
        else:
            A[1] = 0.0


def unknown_name() -> None:
    @kc.script
    def f(A: Buf((8,)), B: Buf((8,))):
        for i in range(8):
            B[i] = AA[i]


def name_of_a_branch() -> None:
    @kc.script
    def f(A: Buf((8,)), B: Buf((8,))):
        for i in range(8):
            if A[i] > 0:
                x = A[i]
            B[i] = x


def read_outside() -> None:
    @kc.script
    def f(A: Buf((8,)), B: Buf((8,))):
        for i in range(9):
            B[i] = A[i - 1]


def written_outside() -> None:
    @kc.script
    def f(A: Buf((8,))):
        A[8] = 1.0


def wrong_rank() -> None:
    @kc.script
    def f(A: Buf((8,)), B: Buf((8, 8))):
        for i in range(8):
            A[i] = B[i]


def a_lambda() -> None:
    @kc.script
    def f(A: Buf((8,))):
        g = lambda x: x + 1
        A[0] = g(A[1])


def a_comprehension() -> None:
    @kc.script
    def f(A: Buf((8,))):
        A[0] = sum(A)


def an_attribute() -> None:
    @kc.script
    def f(A: Buf((8,))):
        A.x = 1.0


def return_in_a_loop() -> None:
    @kc.script
    def f(A: Buf((8,))):
        for i in range(8):
            return


def recursion() -> None:
    @kc.script
    def f(x):
        return f(x)

    @kc.script
    def g(A: Buf((8,))):
        A[0] = f(A[1])


def arguments_of_a_script() -> None:
    @kc.script
    def h(x, y):
        return x + y

    @kc.script
    def g(A: Buf((8,))):
        A[0] = h(A[1])


def arguments_of_te() -> None:
    @kc.script
    def g(A: Buf((8,))):
        A[0] = te.exp(A[1], A[2])


def function_of_numpy() -> None:
    @kc.script
    def g(A: Buf((8,))):
        A[0] = np.exp(A[1])


def function_of_math() -> None:
    @kc.script
    def g(A: Buf((8,))):
        A[0] = math.exp(A[1])


def iterations_that_depend() -> None:
    @kc.script
    def g(A: Buf((8,))):
        for i in parallel(7):
            A[i + 1] = A[i]


def parallel_reduction() -> None:
    @kc.script
    def g(A: Buf((8,)), S: Buf((1,))):
        for i in parallel(8):
            S[0] += A[i]


def undecided() -> None:
    @kc.script
    def g(P: Buf((8,), "int32"), A: Buf((8,)), B: Buf((8,))):
        for i in parallel(8):
            B[P[i]] = A[i]


def type_of_a_store() -> None:
    @kc.script
    def g(A: Buf((8,)), B: Buf((8,), "int32")):
        for i in range(8):
            B[i] = A[i]


def type_of_a_constant() -> None:
    @kc.script
    def g(B: Buf((8,), "int32")):
        B[0] = 1.5


def type_of_a_name() -> None:
    @kc.script
    def g(A: Buf((8,)), B: Buf((8,))):
        for i in range(8):
            acc = 0
            acc += A[i]
            B[i] = acc


def loop_variable_after_its_loop() -> None:
    @kc.script
    def g(A: Buf((8,))):
        for i in range(8):
            A[i] = 0.0
        A[i] = 1.0


def division_of_integers() -> None:
    @kc.script
    def g(A: Buf((8,), "int32")):
        for i in range(8):
            A[i] = A[i] / 2


def no_annotation() -> None:
    @kc.script
    def g(A: Buf((8,)), B):
        A[0] = 1.0


def wrong_annotation() -> None:
    @kc.script
    def g(A: Buf((8,)), B: list):
        A[0] = 1.0


def a_statement_for_nothing() -> None:
    @kc.script
    def g(A: Buf((8,))):
        A[0] + 1


def printing() -> None:
    @kc.script
    def g(A: Buf((8,))):
        print(A[0])


def loop_over_a_buffer() -> None:
    @kc.script
    def g(A: Buf((8,))):
        for x in A:
            pass


def remap_of_a_constant() -> None:
    @kc.script
    def g(A: Buf((8,)), C: Buf((1,))):
        for k in range(8):
            with block("C"):
                v, vk = axis.remap("SR", [0, k])
                C[0] += A[vk]


def unknown_number_of_copies() -> None:
    @kc.script
    def g(A: Buf((n,))):
        for k in const_range(n):
            A[k] = 0.0


def assigned_loop_variable() -> None:
    @kc.script
    def g(A: Buf((8,))):
        for k in range(8):
            if A[k] > 0:
                k = 3
            A[k] = 0.0


def assertion_that_fails() -> None:
    @kc.script
    def g(A: Buf((8,))):
        assert A.shape[0] % 3 == 0, "multiple of 3"


def break_() -> None:
    @kc.script
    def g(A: Buf((8,))):
        for i in range(8):
            if A[i] > 0:
                break


def slice_() -> None:
    @kc.script
    def g(A: Buf((8,)), B: Buf((8,))):
        for i in range(8):
            B[0:4] = A[0:i]


def unknown_size() -> None:
    m = te.var("m")

    @kc.script
    def g(A: Buf((8,))):
        for i in range(m):
            A[0] = 1.0


def script_of_a_lambda() -> None:
    kc.script(lambda x: x)


def script_of_a_number() -> None:
    kc.script(3)


def returned_value() -> None:
    @kc.script
    def g(A: Buf((8,))):
        return A[0]


def unknown_argument_of_a_loop() -> None:
    @kc.script
    def g(A: Buf((8,))):
        for i in parallel(8, foo=1):
            A[i] = 0.0


def step_of_zero() -> None:
    @kc.script
    def g(A: Buf((8,))):
        for i in range(0, 8, 0):
            A[i] = 0.0


def unknown_step() -> None:
    @kc.script
    def g(A: Buf((n,))):
        for i in range(0, 8, n):
            A[i] = 0.0


def index_of_a_tuple() -> None:
    t = (1, 2, 3)

    @kc.script
    def g(A: Buf((3,))):
        for i in range(3):
            A[i] = t[i]


def word_outside() -> None:
    from kc.tir.script import parallel

    for _ in parallel(3):
        pass


def wrong_number_of_names() -> None:
    @kc.script
    def g(A: Buf((3,))):
        a, b = 1, 2, 3


def unknown_threads() -> None:
    @kc.script
    def g(A: Buf((3,))):
        for i in thread_binding(3, "threadIdx.q"):
            A[i] = 0.0


def store_of_text() -> None:
    @kc.script
    def g(A: Buf((3,))):
        A[0] = "abc"


def element_of_a_tensor() -> None:
    T = te.placeholder((3,), name="T")

    @kc.script
    def g(A: Buf((3,))):
        A[0] = T[0]


def unknown_number_of_lanes() -> None:
    @kc.script
    def g(A: Buf((n,))):
        for i in vectorized(n):
            A[i] = 0.0


def index_of_floats() -> None:
    @kc.script
    def g(A: Buf((8,))):
        A[A[0]] = 0.0


def loop_over_floats() -> None:
    @kc.script
    def g(A: Buf((8,))):
        for i in range(A[0]):
            A[0] = 0.0


def misspelt_name() -> None:
    @kc.script
    def g(A: Buf((8,))):
        A[0] = Ab[0] + parralel


def two_inits() -> None:
    @kc.script
    def f(A: Buf((8,)), S: Buf((1,))):
        for k in range(8):
            with block("S"):
                vk = axis.remap("R", [k])
                with init():
                    S[0] = 0.0
                with init():
                    S[0] = 1.0
                S[0] += A[vk]


def late_init() -> None:
    @kc.script
    def f(A: Buf((8,)), S: Buf((1,))):
        for k in range(8):
            with block("S"):
                vk = axis.remap("R", [k])
                S[0] += A[vk]
                with init():
                    S[0] = 0.0


def init_of_a_reduce_variable() -> None:
    @kc.script
    def f(A: Buf((8,)), S: Buf((1,))):
        for k in range(8):
            with block("S"):
                vk = axis.remap("R", [k])
                with init():
                    S[0] = A[vk]
                S[0] += A[vk]


def variable_outside_of_a_block() -> None:
    @kc.script
    def f(A: Buf((8,))):
        for i in range(8):
            vi = axis.remap("S", [i])
            A[vi] = 0.0


def late_variable() -> None:
    @kc.script
    def f(A: Buf((8,))):
        for i in range(8):
            with block("A"):
                A[i] = 0.0
                vi = axis.remap("S", [i])


def letters_of_variables() -> None:
    @kc.script
    def f(A: Buf((8,))):
        for i in range(8):
            with block("A"):
                vi = axis.remap("SR", [i])
                A[vi] = 0.0


def names_of_variables() -> None:
    @kc.script
    def f(A: Buf((8, 8))):
        for i, j in grid(8, 8):
            with block("A"):
                vi, vj, vk = axis.remap("SS", [i, j])
                A[vi, vj] = 0.0


def variable_without_a_name() -> None:
    @kc.script
    def f(A: Buf((8,))):
        for i in range(8):
            with block("A"):
                A[axis.spatial(8, i)] = 0.0


def variable_of_negative_extent() -> None:
    @kc.script
    def f(A: Buf((8, n))):
        for i, j in grid(8, n):
            with block("A"):
                vi = axis.spatial((2, 1), i)
                vj = axis.spatial(n, j)
                A[vi, vj] = 0.0


def block_without_a_name() -> None:
    @kc.script
    def f(A: Buf((8,))):
        with block("my block"):
            A[0] = 0.0


def with_of_a_file() -> None:
    @kc.script
    def f(A: Buf((8,))):
        with open("a") as file:
            A[0] = 0.0


def loops_of_a_grid() -> None:
    @kc.script
    def f(A: Buf((8, 8))):
        for i, j, k in grid(8, 8):
            A[i, j] = 0.0


def word_in_a_wrong_place() -> None:
    @kc.script
    def f(A: Buf((8,))):
        A[0] = parallel(8)


def memory_without_a_shape() -> None:
    @kc.script
    def f(A: Buf((8,))):
        B = alloc_buffer(dtype="float32")


def memory_of_an_unknown_type() -> None:
    @kc.script
    def f(A: Buf((8,))):
        B = alloc_buffer((8,), "float31")


def index_of_a_number() -> None:
    @kc.script
    def f(A: Buf((8,))):
        x = A[0]
        A[1] = x[0]


def attribute_of_a_buffer() -> None:
    @kc.script
    def f(A: Buf((8,))):
        A[0] = A.size


def tuple_out_of_range() -> None:
    sizes = (8, 16)

    @kc.script
    def f(A: Buf((8,))):
        A[0] = sizes[2]


def too_many_copies() -> None:
    @kc.script
    def f(A: Buf((8,))):
        for i in const_range(100000):
            A[0] = i


def parameters_with_stars() -> None:
    @kc.script
    def f(*buffers):
        buffers[0][0] = 0.0


def else_of_a_loop() -> None:
    @kc.script
    def f(A: Buf((8,))):
        for i in range(8):
            A[i] = 0.0
        else:
            A[0] = 1.0


def unknown_parameter_of_a_script() -> None:
    @kc.script
    def g(x, scale):
        return x * scale

    @kc.script
    def f(A: Buf((8,))):
        A[0] = g(A[0], scal=2.0)


def assigned_buffer() -> None:
    @kc.script
    def f(A: Buf((8,))):
        A = 3.0


def store_to_a_tensor() -> None:
    T = te.placeholder((8,), name="T")

    @kc.script
    def f(A: Buf((8,))):
        T[0] = A[0]


def or_of_numbers() -> None:
    @kc.script
    def f(A: Buf((8,)), B: Buf((8,))):
        B[0] = A[0] or 1.0


def name_of_a_loop() -> None:
    @kc.script
    def f(A: Buf((8,))):
        for α in range(8):
            A[α] = 0.0


def early_return_of_a_script() -> None:
    @kc.script
    def g(x):
        if x > 0:
            return x
        return 0.0

    @kc.script
    def f(A: Buf((8,))):
        A[0] = g(A[0])


REFUSALS = {
    while_loop: """\
error[KC2106]: while m > 0: nothing can change the condition
  --> HERE:3:9  while m > 0:
  why: the condition reads no memory, so it is always true or always false
  try: a condition on an element: while x[0] < n
  try: an if, for statements that run at most once""",
    else_of_a_while: """\
error[KC2110]: kc.script does not have the else of a while
  --> HERE:6:13  A[1] = 0.0
  try: statements after the loop""",
    unknown_name: """\
error[KC2111]: the name AA is undefined here
  --> HERE:4:20  B[i] = AA[i]
                        ^
  why: a script can use its own names, those of the enclosing scopes, and the words of scripts
  try: did you mean 'A'?""",
    name_of_a_branch: """\
error[KC2112]: x is defined in a branch of the if in line 4 only
  --> HERE:6:20  B[i] = x
                        ^
  why: a name is visible to the end of the block of statements that defines it; whether they are executed is known only when the kernel runs
  try: give x a value before, and assign to it there""",
    read_outside: """\
error[KC2030]: f reads outside A: index -1 of dimension 0, which has the size 8
  --> HERE:4:20  B[i] = A[i - 1]
                        ^
  why: this happens at i=0
  try: make the loops shorter, or guard the access with an if""",
    written_outside: """\
error[KC2030]: f writes outside A: index 8 of dimension 0, which has the size 8
  --> HERE:3:9  A[8] = 1.0
  why: this happens whenever it is executed
  try: make the loops shorter, or guard the access with an if""",
    wrong_rank: """\
error[KC2010]: B has 2 dimensions, indexed with 1
  --> HERE:4:20  A[i] = B[i]
                        ^
  why: B has the shape (8, 8)""",
    a_lambda: """\
error[KC2110]: kc.script does not have a lambda
  --> HERE:3:13  g = lambda x: x + 1
                     ^
  try: a def outside of the script can be called in it""",
    a_comprehension: """\
error[KC2110]: kc.script does not have Python's sum of Buffer
  --> HERE:3:16  A[0] = sum(A)
                        ^
  why: it adds up the expressions of a list
  try: a for adds up: acc += A[i]
  try: sum([A[i] for i in range(4)])""",
    an_attribute: """\
error[KC2110]: kc.script does not have assignments to attributes
  --> HERE:3:9  A.x = 1.0
  try: assign to a name, or to an element: A[i] = x""",
    return_in_a_loop: """\
error[KC2114]: f returns before its end
  --> HERE:4:13  return
  why: a return must be the last statement of a function: whether a return in a loop or an if is executed is known only when the kernel runs
  try: an if around the statements after it""",
    recursion: """\
error[KC2117]: f calls itself
  --> HERE:3:16  return f(x)
                        ^
  why: a call is replaced by the statements of the function, so recursion never ends
  try: a for loop""",
    arguments_of_a_script: """\
error[KC2116]: h takes 2 arguments, but the call has 1
  --> HERE:7:16  A[0] = h(A[1])
                        ^
  why: its parameters are x, y""",
    arguments_of_te: """\
error[KC2116]: te.exp cannot be called with these arguments: too many positional arguments
  --> HERE:3:16  A[0] = te.exp(A[1], A[2])
                        ^
  why: its parameters are (x: 'ExprLike') -> 'Expr'""",
    function_of_numpy: """\
error[KC2110]: kc.script does not have np.exp of values of the kernel
  --> HERE:3:16  A[0] = np.exp(A[1])
                        ^
  try: te.exp computes in a kernel""",
    function_of_math: """\
error[KC2110]: kc.script does not have math.exp of values of the kernel
  --> HERE:3:16  A[0] = math.exp(A[1])
                        ^
  try: te.exp computes in a kernel""",
    iterations_that_depend: """\
error[KC3041]: parallel: the iterations of i depend on each other
  --> HERE:3:9  for i in parallel(7):
   |  for i in 7:    <-- here
   |    block A
  why: A at (i=0) writes A[1], which A at (i=1) reads""",
    parallel_reduction: """\
error[KC3040]: parallel: loop i is a reduction of S
  --> HERE:3:9  for i in parallel(8):
   |  for i in 8:    <-- here
   |    block S
  why: S at (i=0) updates S[0], which S at (i=1) updates
  try: rfactor creates partial results that can be computed in parallel""",
    undecided: """\
error[KC3041]: parallel: the iterations of i cannot be proven independent
  --> HERE:3:9  for i in parallel(8):
   |  for i in 8:    <-- here
   |    block B
  why: cannot prove that iterations touch different elements of B: arith.index_cast is not affine
  try: unsafe=True on the loop takes it on trust""",
    type_of_a_store: """\
error[KC2103]: a value of type float32 is stored to B, whose elements are int32
  --> HERE:4:13  B[i] = A[i]
  why: int32 cannot represent every value of float32
  try: convert it: (...).astype("int32")""",
    type_of_a_constant: """\
error[KC2003]: the constant 1.5 is not a value of int32
  --> HERE:3:9  B[0] = 1.5
  try: give it a wider type: te.const(value, "int64")""",
    type_of_a_name: """\
error[KC2103]: a value of type float32 is stored to acc, whose elements are int32
  --> HERE:5:13  acc += A[i]
  why: int32 cannot represent every value of float32
  try: convert it: (...).astype("int32")""",
    loop_variable_after_its_loop: """\
error[KC2112]: i is defined in the loop over i only
  --> HERE:5:11  A[i] = 1.0
                   ^
  why: a name is visible to the end of the block of statements that defines it; whether they are executed is known only when the kernel runs
  try: give i a value before, and assign to it there""",
    division_of_integers: """\
error[KC2007]: / of int32 values
  --> HERE:4:20  A[i] = A[i] / 2
                        ^
  why: integer division can round in three ways, and / does not specify one
  try: a // b rounds down
  try: te.truncdiv(a, b) rounds towards zero as C does""",
    no_annotation: """\
error[KC2115]: parameter B of g has no annotation
  --> HERE:2:25  def g(A: Buf((8,)), B):
                                     ^
  why: a kernel needs annotations on all parameters; a function for other scripts to call has no annotations
  try: B: kc.Buffer((n,), "float32")
  try: B: "int32\"""",
    wrong_annotation: """\
error[KC2115]: parameter B of g is declared as <class 'list'>
  --> HERE:2:25  def g(A: Buf((8,)), B: list):
                                     ^
  why: a parameter must be a buffer, or a number of an element type
  try: B: kc.Buffer((n,), "float32")
  try: B: "int32\"""",
    a_statement_for_nothing: """\
error[KC2123]: A[0] + 1 has no effect
  --> HERE:3:9  A[0] + 1
  why: its value is not used
  try: store it: C[i] = ...
  try: assign it to a name: x = ...""",
    printing: """\
error[KC2110]: kc.script does not have Python's print
  --> HERE:3:9  print(A[0])
  try: a kernel has no output but its buffers""",
    loop_over_a_buffer: """\
error[KC2113]: a for over A
  --> HERE:3:18  for x in A:
                          ^
  why: a for loop iterates over range, serial, parallel, vectorized, unroll, grid, thread_binding or const_range, or over a Python tuple
  try: for x in range(n):""",
    remap_of_a_constant: """\
error[KC2119]: v is remapped from a value that is not a loop variable
  --> HERE:5:25  v, vk = axis.remap("SR", [0, k])
                         ^
  why: a remapped variable takes all values of a loop that starts at a constant
  try: v = axis.spatial(number of values, value)""",
    unknown_number_of_copies: """\
error[KC2126]: const_range(n) needs a number that is known while the script is compiled
  --> HERE:3:18  for k in const_range(n):
                          ^
  why: the statements are repeated at compile time, or the step is part of the indices
  try: range is a loop of any length""",
    assigned_loop_variable: """\
error[KC2112]: k is assigned to again, but is not a number of the kernel
  --> HERE:5:17  k = 3
  why: loop variables, buffers and Python values cannot be reassigned
  try: use another name""",
    assertion_that_fails: """\
error[KC2120]: assert A.shape[0] % 3 == 0 does not hold: multiple of 3
  --> HERE:3:9  assert A.shape[0] % 3 == 0, "multiple of 3\"""",
    break_: """\
error[KC2110]: kc.script does not have break
  --> HERE:5:17  break
  try: an if around the rest of the statements""",
    slice_: """\
error[KC2110]: kc.script does not have a slice of symbolic length
  --> HERE:4:24  B[0:4] = A[0:i]
                            ^
  try: a for loop over the elements""",
    unknown_size: """\
error[KC2100]: the value of m is not known in the function
  --> HERE:5:9  for i in range(m):
  why: m is neither a dimension of a parameter nor a parameter
  try: add m to the parameters""",
    script_of_a_lambda: """\
error[KC2122]: kc.script: <lambda> has no source
  --> HERE:1  kc.script(lambda x: x)
  why: a lambda has no statements
  try: write it with def in a file""",
    script_of_a_number: """\
error[KC2122]: kc.script of int
  --> HERE:1  kc.script(3)
  why: it compiles the source of a Python function
  try: @kc.script above a def""",
    returned_value: """\
error[KC2114]: g returns a value
  --> HERE:3:9  return A[0]
  why: a kernel writes its results into its parameters
  try: store to a buffer that is a parameter""",
    unknown_argument_of_a_loop: """\
error[KC2116]: parallel has no argument 'foo'
  --> HERE:3:9  for i in parallel(8, foo=1):
  try: the arguments are: unsafe, annotations""",
    step_of_zero: """\
error[KC2113]: range in steps of 0
  --> HERE:3:9  for i in range(0, 8, 0):""",
    unknown_step: """\
error[KC2126]: range(0, 8, n) needs a number that is known while the script is compiled
  --> HERE:3:18  for i in range(0, 8, n):
                          ^
  why: the statements are repeated at compile time, or the step is part of the indices
  try: range is a loop of any length""",
    index_of_a_tuple: """\
error[KC2126]: a Python tuple is indexed with a value that is known only when the kernel runs
  --> HERE:6:20  A[i] = t[i]
                        ^
  why: it is not memory of the kernel
  try: an index of const_range
  try: pass it as a buffer""",
    word_outside: """\
error[KC2125]: parallel is called outside of a script
  --> HERE:3  for _ in parallel(3):
  why: the word has a meaning only in the source of a script, which is read, not executed
  try: @kc.script above the enclosing def""",
    wrong_number_of_names: """\
error[KC2116]: 3 values are assigned to 2 names
  --> HERE:3:9  a, b = 1, 2, 3""",
    unknown_threads: """\
error[KC2113]: thread_binding(3, 'threadIdx.q') is not a thread axis
  --> HERE:3:9  for i in thread_binding(3, "threadIdx.q"):
  why: the thread axes are blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, vthread, vthread.x, vthread.y, vthread.z
  try: for tx in thread_binding(64, "threadIdx.x"):""",
    store_of_text: """\
error[KC2121]: the elements of A are numbers, but one is assigned str
  --> HERE:3:9  A[0] = "abc\"""",
    element_of_a_tensor: """\
error[KC2100]: T is a tensor of te, not a buffer
  --> HERE:5:16  A[0] = T[0]
                        ^
  why: statements load from buffers; a tensor has memory where a schedule gives it some
  try: te.extern takes it""",
    unknown_number_of_lanes: """\
error[KC3043]: vectorize: the extent of i is not a constant
  --> HERE:3:9  for i in vectorized(n):
   |  for i in n:    <-- here
   |    block A
  why: the number of lanes must be known at compile time
  try: split i by factors=?,8 and vectorize i_i""",
    index_of_floats: """\
error[KC2011]: A is indexed with a value of type float32
  --> HERE:3:9  A[A[0]] = 0.0
  why: indices must be integers""",
    loop_over_floats: """\
error[KC2109]: the end of a loop has type float32
  --> HERE:3:9  for i in range(A[0]):
  why: the bounds of a loop must be integers
  try: (...).astype("int32")""",
    misspelt_name: """\
error[KC2111]: the name Ab is undefined here
  --> HERE:3:16  A[0] = Ab[0] + parralel
                        ^
  why: a script can use its own names, those of the enclosing scopes, and the words of scripts
  try: did you mean 'A'?""",
    two_inits: """\
error[KC2119]: block S has two inits
  --> HERE:8:17  with init():""",
    late_init: """\
error[KC2119]: the init of block S comes after other statements
  --> HERE:7:17  with init():
  why: the init must precede the block's other statements
  try: with init(): right after the variables of the block""",
    init_of_a_reduce_variable: """\
error[KC2119]: the init of block S uses the reduce variable vk
  --> HERE:6:17  with init():
  why: the init runs once for all values of the variable""",
    variable_outside_of_a_block: """\
error[KC2119]: axis.remap outside of a block
  --> HERE:4:18  vi = axis.remap("S", [i])
                      ^
  try: with block("C"):""",
    late_variable: """\
error[KC2119]: axis.remap after statements of block A
  --> HERE:6:22  vi = axis.remap("S", [i])
                      ^
  why: the variables of a block must precede its statements""",
    letters_of_variables: """\
error[KC2119]: axis.remap('SR', [i]): each loop needs one letter
  --> HERE:5:22  vi = axis.remap("SR", [i])
                      ^
  why: S is a spatial variable, R a reduction variable, O an opaque variable
  try: vi, vj, vk = axis.remap("SSR", [i, j, k])""",
    names_of_variables: """\
error[KC2116]: 2 variables are assigned to 3 names
  --> HERE:5:30  vi, vj, vk = axis.remap("SS", [i, j])
                              ^
  try: vi, vj, vk = axis.remap("SSR", [i, j, k])""",
    variable_without_a_name: """\
error[KC2119]: a variable of block A has no name
  --> HERE:5:19  A[axis.spatial(8, i)] = 0.0
                   ^
  try: vi = axis.spatial(n, i)
  try: vi, vk = axis.remap("SR", [i, k])""",
    variable_of_negative_extent: """\
error[KC2119]: vi of block A has the extent -1
  --> HERE:5:22  vi = axis.spatial((2, 1), i)
                      ^
  why: the extent must be at least 0""",
    block_without_a_name: """\
error[KC2119]: block('my block') names no block
  --> HERE:3:9  with block("my block"):
  why: a block needs a name, which is an identifier, and may have annotations
  try: with block("C"):""",
    with_of_a_file: """\
error[KC2110]: kc.script does not have Python's open
  --> HERE:3:14  with open("a") as file:
                      ^
  try: a kernel computes numbers""",
    loops_of_a_grid: """\
error[KC2116]: grid has 2 loops, but 3 variables are assigned
  --> HERE:3:9  for i, j, k in grid(8, 8):
  try: for i, j in grid(n, m):""",
    word_in_a_wrong_place: """\
error[KC2110]: parallel is allowed in a for only
  --> HERE:3:16  A[0] = parallel(8)
                        ^
  try: for i in parallel(n):""",
    memory_without_a_shape: """\
error[KC2116]: alloc_buffer takes a shape, a type and a memory scope
  --> HERE:3:13  B = alloc_buffer(dtype="float32")
                     ^
  try: B = alloc_buffer((n, 128), "float32")""",
    memory_of_an_unknown_type: """\
error[KC2001]: unknown element type 'float31'
  --> HERE:3:9  B = alloc_buffer((8,), "float31")
  try: did you mean 'float32' or 'float16' or 'bfloat16'?""",
    index_of_a_number: """\
error[KC2121]: a scalar is indexed
  --> HERE:4:16  A[1] = x[0]
                        ^
  why: only buffers have elements; the value is a number""",
    attribute_of_a_buffer: """\
error[KC2121]: a buffer has no attribute size
  --> HERE:3:16  A[0] = A.size
                        ^
  try: the attributes are shape, dtype, ndim, name, astype, equal, access_ptr, data, strides, elem_offset, vload, vstore, scope""",
    tuple_out_of_range: """\
error[KC2118]: the index fails: tuple index out of range
  --> HERE:5:16  A[0] = sizes[2]
                        ^
  why: it is computed while the script is compiled, and raises IndexError""",
    too_many_copies: """\
error[KC2113]: 100000 copies of the statements of a loop
  --> HERE:3:9  for i in const_range(100000):
  why: the values are known at compile time, so the statements are repeated, at most 4096 times
  try: range is a loop without copies""",
    parameters_with_stars: """\
error[KC2115]: f has parameters with * or /
  --> HERE:2:5  def f(*buffers):
  why: a script needs plain parameters, one for each argument""",
    else_of_a_loop: """\
error[KC2110]: kc.script does not have the else of a for
  --> HERE:6:13  A[0] = 1.0
  try: statements after the loop""",
    unknown_parameter_of_a_script: """\
error[KC2116]: g has no parameter scal
  --> HERE:7:16  A[0] = g(A[0], scal=2.0)
                        ^
  try: did you mean 'scale'?""",
    assigned_buffer: """\
error[KC2121]: A is a buffer, but a value is assigned to it
  --> HERE:3:9  A = 3.0
  why: an assignment to a name does not store to memory
  try: A[i] = ... stores to an element
  try: use another name""",
    store_to_a_tensor: """\
error[KC2121]: T is a tensor of te, but is stored to
  --> HERE:5:9  T[0] = A[0]
  why: a tensor never changes; statements store to buffers
  try: a parameter, or B = alloc_buffer(shape, dtype)""",
    or_of_numbers: """\
error[KC2006]: or of a value of type float32
  --> HERE:3:16  B[0] = A[0] or 1.0
                        ^
  why: Python's or of numbers returns a number, in a kernel it is a condition
  try: compare it: x != 0""",
    name_of_a_loop: """\
error[KC2013]: the name 'α' is not an identifier
  --> HERE:3:13  for α in range(8):
                     ^
  try: ASCII letters, digits and _, not starting with a digit""",
    early_return_of_a_script: """\
error[KC2114]: g returns before its end
  --> HERE:4:13  return x
  why: a return must be the last statement of a function: whether a return in a loop or an if is executed is known only when the kernel runs
  try: an if around the statements after it""",
}


@pytest.mark.parametrize("make", REFUSALS, ids=lambda make: make.__name__)
def test_refusals(make):
    assert refused(make) == REFUSALS[make]
