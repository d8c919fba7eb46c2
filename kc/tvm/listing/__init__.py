"""``mod.script(style="tvm")``: loops and formulas as TVM's tutorials print them."""
