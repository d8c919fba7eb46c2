"""What is read off PTX: registers by liveness, memory, barriers."""

from kc.analysis.ptx_resources import RESERVED, free_registers, resources

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
    """Where the pair is loaded, the address (two registers), the counter and the pair are alive;
    the sum is not: it is computed anew in each iteration."""
    loop, nothing = resources(LOOP)
    assert (loop.name, loop.threads, loop.barriers) == ("loop", 64, 1)
    assert loop.registers == 2 + 1 + 2 + RESERVED
    assert loop.local == 24
    assert loop.shared == 64 + 112 + 4  # a number begins at a multiple of 16
    assert loop.most == 255
    assert loop.spilled == 0
    assert (nothing.threads, nothing.registers, nothing.shared) == (None, RESERVED, 0)
    assert str(loop) == (
        "loop: 64 threads, about 8 registers of 255, 180 bytes shared, 24 bytes of a thread in "
        "memory, 1 barrier"
    )


def test_what_is_carried_is_alive_throughout():
    """A sum of all iterations is one register more."""
    (loop, _) = resources(
        LOOP.replace("add.s32 \t%r2, %r3, %r4", "mad.lo.s32 \t%r2, %r3, %r4, %r2")
    )
    assert loop.registers == 2 + 1 + 2 + 1 + RESERVED


def test_threads_share_the_registers_of_a_block():
    """65,536 registers for 1,024 threads, by eights; and 32,768 of a smaller GPU."""
    text = LOOP.replace(".reqntid 32, 2, 1", ".reqntid 512, 2, 1")
    assert resources(text)[0].most == 64
    assert resources(text, 32768)[0].most == 32
    many = "".join(f"\tmov.b32 \t%r{n}, {n};\n" for n in range(10, 60))
    used = "".join(f"\tst.global.b32 \t[%rd2], %r{n};\n" for n in range(10, 60))
    text = text.replace("$L__BB0_1:\n", many + "$L__BB0_1:\n").replace("\tret;", used + "\tret;", 1)
    (loop, _) = resources(text, 32768)
    assert loop.registers == 8 + 50
    assert loop.spilled == 8 + 50 - 32


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
    assert resources(text)[0].registers == 2 + RESERVED


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
    """The address, the sum, and all numbers at a time, while that costs no threads."""
    assert resources(loads(8))[0].registers == 2 + 1 + 8 + RESERVED
    assert resources(loads(60))[0].registers == free_registers(80, None)
    # Behind a barrier, or from an address that is computed, they begin later.
    assert resources(loads(8, "\tbar.sync \t0;\n"))[0].registers == 2 + 1 + 1 + RESERVED
    assert resources(loads(8, "\tadd.s64 \t%rd1, %rd1, 8;\n"))[0].registers == 2 + 1 + 1 + RESERVED


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
    assert kernel.registers == 4 + RESERVED


def test_upper_halves_that_nobody_asks_for():
    """An address in shared memory has 32 bits, one in global memory 64."""
    text = """.visible .entry k(
)
{
	ld.param.b64 	%rd1, [k_param_0];
	add.s64 	%rd2, %rd1, 4;
	add.s64 	%rd3, %rd1, 8;
	st.SPACE.b32 	[%rd2], 0;
	st.SPACE.b32 	[%rd3], 0;
	st.SPACE.b32 	[%rd1], 0;
	ret;

}
"""
    numbers = "".join(f"\tmov.b32 \t%r{n}, {n};\n" for n in range(60))
    used = "".join(f"\tst.global.b32 \t[p], %r{n};\n" for n in range(60))
    text = text.replace("\tst.SP", numbers + "\tst.SP", 1).replace("\tret;", used + "\tret;")
    for space, width in (("shared", 1), ("global", 2)):
        (kernel,) = resources(text.replace("SPACE", space))
        assert kernel.registers == 60 + 3 * width + RESERVED


def test_free_registers():
    """65,536 of a multiprocessor, for as many threads as it can have."""
    assert free_registers(80, 256) == 32  # 2,048 threads
    assert free_registers(80, 32) == 64  # 32 blocks of a warp
    assert free_registers(75, 32) == 128  # 16 blocks
    assert free_registers(89, 1024) == 64  # one block
    assert free_registers(75, 1) == 128
