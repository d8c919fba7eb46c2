"""Resources read from PTX: registers by a schedule, memory, barriers."""

import re

from kc.analysis.gpu.ptx_registers import (
    OF_HARDWARE,
    TAKEN,
    free_registers,
    registers_as_written,
)
from kc.analysis.gpu.ptx_resources import fits_registers, resources

LOOP = """.version 8.0
.target sm_80
.address_size 64
.shared .align 16 .b8 shared_by_all[64];
.shared .align 16 .b8 of_another[128];

.visible .entry loop(
	.param .u64 .ptr .align 4 loop_param_0
)
.reqntid 32, 2, 1
{
	.local .align 8 .b8 	__local_depot0[24];
	.reg .pred 	%p<2>;
	.reg .b16 	%rs<3>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<3>;
	// demoted variable
	.shared .align 16 .b8 loop_S[100];
	// demoted variable
	.shared .align 16 .f32 loop_T;
	ld.param.b64 	%rd1, [loop_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	mov.b32 	%r1, 0;
	mov.b32 	%r2, 0;
$L__BB0_1:
	ld.shared.v2.b32 	{%r3, %r4}, [shared_by_all];
	bar.sync 	0;
	add.s32 	%r2, %r3, %r4;
	add.s32 	%r1, %r1, 1;
	setp.lt.u32 	%p1, %r1, 10;
	@%p1 bra 	$L__BB0_1;
	st.global.b32 	[%rd2], %r2;
	ret;

}

.visible .entry nothing(

)
{
	ret;

}
"""


def test_a_loop():
    """At the store, the address (two registers) and the sum are alive. In the loop, the pair is:
    its counter is a uniform register, and the address is loaded behind it."""
    loop, nothing = resources(LOOP)
    assert (loop.name, loop.threads, loop.barriers) == ("loop", 64, 1)
    assert loop.registers == loop.least == 2 + 1 + TAKEN
    assert loop.local == 24
    assert loop.shared == 64 + 112 + 4  # a number begins at a multiple of 16
    assert loop.most == 255
    assert loop.spilled == 0
    assert (nothing.threads, nothing.registers, nothing.shared) == (None, 2 + OF_HARDWARE, 0)
    assert str(loop) == (
        "loop: 64 threads, about 8 registers of 255, 180 bytes shared, 24 bytes of a thread in "
        "memory, 1 barrier"
    )


def test_what_is_carried_is_alive_throughout():
    """A sum of all iterations is one register more, and the address of a store in the loop two."""
    text = LOOP.replace("add.s32 \t%r2, %r3, %r4;", "mad.lo.s32 \t%r2, %r3, %r4, %r2;")
    (loop, _) = resources(
        text.replace("%r3, %r4, %r2;", "%r3, %r4, %r2;\n\tst.global.b32 [%rd2], %r2;")
    )
    assert loop.least == 2 + 2 + 1 + TAKEN


def test_threads_share_the_registers_of_a_block():
    """65,536 registers for 1,024 threads, by eights; and 32,768 of a smaller GPU."""
    text = LOOP.replace(".reqntid 32, 2, 1", ".reqntid 512, 2, 1")
    assert resources(text)[0].most == 64
    assert resources(text, 32768)[0].most == 32
    many = "".join(f"\tld.global.b32 \t%r{n}, [%rd2+{4 * n}];\n" for n in range(10, 60))
    used = "".join(f"\tst.global.b32 \t[%rd2], %r{n};\n" for n in range(10, 60))
    text = text.replace("$L__BB0_1:\n", many + "$L__BB0_1:\n").replace("\tret;", used + "\tret;", 1)
    text = re.sub(r".*\.local.*\n", "", text).replace("%r<6>", "%r<60>")
    (loop, _) = resources(text, 32768)
    assert loop.least == 50 + 1 + 2 + TAKEN  # the numbers, the sum, and their address
    assert loop.spilled == loop.least + 1 - 32
    assert loop.registers > 32
    assert not fits_registers(text, 32768)
    # With 64 registers, the numbers have place, and the assembler takes no more.
    (loop, _) = resources(text)
    assert (loop.spilled, loop.registers) == (0, loop.least)
    assert fits_registers(text)


def test_a_branch_keeps_what_its_sides_need():
    text = """.visible .entry k(
)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<4>;
	mov.b32 	%r1, 1;
	mov.b32 	%r2, 2;
	setp.lt.u32 	%p1, %r1, 10;
	@%p1 bra 	$L1;
	st.global.b32 	[%r1], %r1;
	bra.uni 	$L2;
$L1:
	st.global.b32 	[%r2], %r2;
$L2:
	ret;

}
"""
    assert resources(text)[0].least == TAKEN  # the numbers are in the instructions


def loads(count: int, first: str = "") -> str:
    """Numbers at one address, each added to a sum before the next one is loaded."""
    lines = [
        f"\tld.global.b32 \t%r{n}, [%rd1+{4 * n}];\n\tadd.s32 \t%r0, %r0, %r{n};\n"
        for n in range(1, count + 1)
    ]
    return (
        ".visible .entry k(\n)\n{\n\tld.param.b64 \t%rd1, [k_param_0];\n\tmov.b32 \t%r0, 0;\n"
        + first.join(lines)
        + "\tst.global.b32 \t[%rd1], %r0;\n\tret;\n\n}\n"
    )


def test_loads_begin_early():
    """The address, the sum, and the numbers at a time, as far as registers cost no threads: each is
    added to one sum, and so in the other bank than the sum."""
    assert resources(loads(8))[0].registers == 1 + 2 * 8 + OF_HARDWARE
    assert resources(loads(60))[0].registers == free_registers(80, None)
    assert resources(loads(60))[0].least == 2 + 1 + 1 + TAKEN
    # Behind a barrier, they begin later.
    assert resources(loads(8, "\tbar.sync \t0;\n"))[0].registers >= 2 + 1 + 1 + TAKEN


def test_an_instruction_over_several_lines():
    """The sums of a product take the place of those before: four registers, not eight."""
    product = """
	ld.global.v4.b32 	{%r1, %r2, %r3, %r4}, [p];
	mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32
		{%r5, %r6, %r7, %r8},
		{%r1, %r2},
		{%r3},
		{%r1, %r2, %r3, %r4};
	st.global.v4.b32 	[p], {%r5, %r6, %r7, %r8};
	ret;
"""
    (kernel,) = resources(f".visible .entry f(\n\n)\n{{\n{product}\n}}\n")
    assert kernel.least == 4 + TAKEN


def test_upper_halves_that_nobody_asks_for():
    """An address in shared memory has 32 bits, one in global memory 64."""
    text = """.visible .entry k(
)
{
	mov.u32 	%r99, %tid.x;
	mul.wide.u32 	%rd1, %r99, 8;
	mad.lo.s64 	%rd2, %rd1, %rd1, 4;
	mad.lo.s64 	%rd3, %rd1, %rd1, 8;
	st.SPACE.b32 	[%rd2], 0;
	st.SPACE.b32 	[%rd3], 0;
	st.SPACE.b32 	[%rd2], 0;
	ret;

}
"""
    numbers = "".join(f"\tld.volatile.b32 \t%r{n}, [p];\n" for n in range(60))
    used = "".join(f"\tst.global.b32 \t[p], %r{n};\n" for n in range(60))
    text = text.replace("\tst.SP", numbers + "\tst.SP", 1).replace("\tret;", used + "\tret;")
    for space, width in (("shared", 1), ("global", 2)):
        body = text.replace("SPACE", space).split("{\n")[1].split("}")[0]
        assert registers_as_written(body, 80, None) == 60 + 2 * width + TAKEN


def test_uniform_values_take_none():
    """Numbers of blocks and parameters, and the counter of a loop that all threads are in."""
    text = """.visible .entry k(
)
{
	ld.param.b64 	%rd1, [k_param_0];
	mov.u32 	%r1, %ctaid.x;
	mul.lo.s32 	%r2, %r1, 100;
	setp.lt.s32 	%p1, %r2, 1000;
	@%p1 bra 	$L1;
	mov.u32 	%r3, %OF.x;
	shl.b32 	%r4, %r3, 2;
	st.shared.b32 	[%r4], 0;
$L1:
	ret;

}
"""
    assert resources(text.replace("%OF", "%nctaid"))[0].least == 1 + TAKEN  # the address
    (kernel,) = resources(".target sm_75\n" + text.replace("%OF", "%nctaid"))
    assert kernel.least == TAKEN
    assert resources(".target sm_75\n" + text.replace("%OF", "%tid"))[0].least == 1 + TAKEN


def test_free_registers():
    """65,536 of a multiprocessor, for as many threads as it can have."""
    assert free_registers(80, 256) == 32  # 2,048 threads
    assert free_registers(80, 32) == 64  # 32 blocks of a warp
    assert free_registers(75, 32) == 128  # 16 blocks
    assert free_registers(89, 1024) == 64  # one block
    assert free_registers(75, 1) == 128
