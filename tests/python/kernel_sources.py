"""Kernels that several tests run."""

# Type II: half of each i-particle's number, collected at the end from every block.
HALVES = """kernel halves
bvar vector long out[32] rrn flt72to64
var vector long x hlt
var vector long half
loop initialization
  fpassa x half
  nop
loop body
  fmul half fs"0.5" half
  nop
loop termination
  repeat p = 0..31
    bm half out[p] @{p}
  end
  nop
  collect out block each
"""
