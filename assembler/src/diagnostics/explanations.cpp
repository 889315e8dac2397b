// Long texts of the diagnostics, the one place where they stand. Each has an example that gives it, and its mending.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codes.h"
#include "explanations.h"
#include "gdr/assembler/assembler.h"
#include "gdr/isa/operations.h"

namespace gdr::assembler {
namespace {

#define GDR_NAMED(OP, function, sources) " `" #function "`"

constexpr std::array<Explanation, 60> kExplanations{{
    {Code::syntax, "the statement cannot be read",
     R"(The grammar stopped at the caret; the message says what could stand there. A line holds one declaration, one section
header, one block line, or operations separated by `;`. Operands are separated by blanks. Bytes outside printable ASCII
are allowed in comments alone.)",
     R"(loop body
  uxor $lt $lt $lr8v))",
     R"(loop body
  uxor $lt $lt $lr8v)"},
    {Code::unknown_name, "a name that nothing declares",
     R"(Names of variables, registers and parameters are declared before the first section; names in whole-number expressions are
definitions (`const`, `-D name=value`) and the indices of repeats. A name is reported once, however often it is used. A definition by
`-D` that the source never uses is reported at its first line.)",
     R"(var vector long xi hlt
loop body
  fadd xi xj $lr8v)",
     R"(var vector long xi hlt
loop body
  fadd xi xi $lr8v)"},
    {Code::unknown_operation, "a word that is no operation",
     R"(The operations are those of the instruction set reference, with `vlen`, `mask`, and the macros of the source.)",
     R"(loop body
  uxxor $lt $lt $lr8v)",
     R"(loop body
  uxor $lt $lt $lr8v)"},
    {Code::duplicate_name, "a name is declared twice",
     R"(Variables, registers, parameters and views share one set of names; macros have their own.)",
     R"(var vector long x
var vector long x
loop body
  uxor x x x)",
     R"(var vector long x
var vector long y
loop body
  uxor x x x)"},
    {Code::misplaced, "a statement where it cannot stand",
     R"(Declarations come first, then the sections, each at most once; operations stand in a section.)",
     R"(uxor $lt $lt $lr8v
loop body)",
     R"(loop body
  uxor $lt $lt $lr8v)"},
    {Code::expression, "a whole-number expression without a value",
     R"(Expressions have the operators `+ - * / %`, comparisons, `&& || !` and parentheses, on 64-bit whole numbers. Division by
zero and results out of that range are refused. A number written in the source is at most 4,294,967,295. The value of a `const`
given by `-D` is a whole number.)",
     R"(loop body
  uxor $lt $lt $lr{8/0}v)",
     R"(loop body
  uxor $lt $lt $lr{8/2}v)"},
    {Code::block, "blocks that do not fit together",
     R"(`repeat`, `if` and `macro` end with `end`; `else` belongs to an `if`.)",
     R"(loop body
  repeat i = 0..1
    uxor $lt $lt $lr{8*i}v)",
     R"(loop body
  repeat i = 0..1
    uxor $lt $lt $lr{8*i}v
  end)"},
    {Code::too_long, "more than the assembler takes",
     R"(A line has at most 1,000 characters and 24 parentheses and signs, blocks nest at most 24 deep, a program expands to at most
16,384 lines.)",
     R"(loop body
  repeat i = 1..20000
    nop
  end)",
     R"(loop body
  repeat i = 1..7
    nop
  end)"},
    {Code::include, "a file that cannot be included",
     R"(The path counts from the directory of the including file. Files may not include each other without end.)",
     R"(include "no such file.vsm"
loop body
  nop)",
     R"(loop body
  nop)"},
    {Code::macro, "a macro is given too many or too few arguments",
     R"(Arguments stand after the macro's name, separated by blanks, one for each parameter.)",
     R"(macro clear x
  uxor x x x
end
loop body
  clear $lt $lr8v)",
     R"(macro clear x
  uxor x x x
end
loop body
  clear $lt)"},
    {Code::kernel, "the kernel has no proper name or figure",
     R"(Every source names its kernel once, with `kernel NAME`: the generated functions begin with it. `flops` takes a number.)",
     R"(kernel first
kernel second
loop body
  nop)",
     R"(kernel first
loop body
  nop)"},
    {Code::place_of_transfer, "a transfer that the memory does not have",
     R"(i-data (`hlt`) and results (`rrn`) live in the PE, so they are `var`; j-data (`elt`) comes through broadcast memory, so it is
`bvar`.)",
     R"(var long xj elt
loop body
  nop)",
     R"(bvar long xj elt
loop body
  nop)"},
    {Code::conversion, "a conversion that does not fit",
     R"(The name of a conversion says what it makes of what: `flt64to72` makes a long word of a double. Data for the chip needs one
from 64 bits, results one to 64 bits, both of the variable's width. Without a conversion the floating one is meant.)",
     R"(bvar short mj elt flt64to72
loop body
  nop)",
     R"(bvar short mj elt flt64to36
loop body
  nop)"},
    {Code::reduction, "a reduction that does not exist",
     R"(The nodes of the reduction tree have a floating-point adder and an integer ALU; `select` takes block 0 as it is.
With floating-point conversions go)" GDR_FLOATING_POINT_REDUCTIONS(GDR_NAMED) R"(, with fixed-point ones)" GDR_INTEGER_REDUCTIONS(
         GDR_NAMED) R"(, and with fixed-point ones and `none`)" GDR_BITS_REDUCTIONS(GDR_NAMED) ".",
     R"(var vector long n rrn fix72to64 usub
loop initialization
  uxor n n n)",
     R"(var vector long n rrn fix72to64 uadd
loop initialization
  uxor n n n)"},
    {Code::memory_full, "variables that do not fit",
     R"(Local memory has 512 short words, the GPR 64. Broadcast memory has 1,024 long words: two j-records, since the next streams in
while one is in use, parameters and variables, and the last 128 for i-data and results on their way.)",
     R"(var vector long x[65]
loop body
  nop)",
     R"(var vector long x[64]
loop body
  nop)"},
    {Code::shape, "a shape that the variable cannot have",
     R"(`hlt` and `rrn` variables hold one value per i-particle: they are vectors. A j-record holds scalars; a view makes a vector of
neighbours. A short vector in broadcast memory steps by half a long word, so it is `packed`.)",
     R"(bvar vector long xj elt
loop body
  nop)",
     R"(bvar long xj[3] elt
bvar vector long vxj xj
loop body
  nop)"},
    {Code::alias, "a view of something else than a bvar",
     R"(`bvar [vector|scalar] long|short NAME TARGET` views the words from an earlier `bvar` on; it has no dimensions, no transfer.)",
     R"(var vector long xi hlt
bvar long vxj xi
loop body
  nop)",
     R"(bvar long xj elt
bvar long vxj xj
loop body
  nop)"},
    {Code::parameter, "a parameter without a proper default",
     R"(The default, or the value given with `-D`, is a finite decimal number, and a whole one for a fixed-point conversion.)",
     R"(param n : long fix64to72 = 1.5
loop body
  nop)",
     R"(param n : long fix64to72 = 15
loop body
  nop)"},
    {Code::register_name, "a name for something that is no register",
     R"(`reg NAME REGISTER` names a register of GPR, local memory, broadcast memory, or T.)",
     R"(reg cold $ok1
loop body
  nop)",
     R"(reg cold $r8v
loop body
  nop)"},
    {Code::operand_count, "too few or too many operands",
     R"(Sources come first, then one or more destinations. `fmulh` has no destination: its product waits for `fmull`.)",
     R"(loop body
  usub $lt $lt)",
     R"(loop body
  usub $lt $lt $lr8v)"},
    {Code::operand_kind, "an operand that cannot stand there",
     R"(Destinations are T, GPR, local memory and flags; broadcast memory is written by `bm SOURCE WORD @PE` alone.)",
     R"(loop body
  uxor $lt $lt $peid)",
     R"(loop body
  uxor $lt $lt $lr8v)"},
    {Code::width, "words of different width",
     R"(Sources and destinations of one integer operation, all destinations of one floating-point operation, and both sides of `bm`
have one width. Floating-point sources may have any: they are widened exactly.)",
     R"(loop body
  usub $lt $lt $r8v)",
     R"(loop body
  usub $lt $lt $lr8v)"},
    {Code::multiplier_width, "a width that the multiplier does not take",
     R"(The multiplier's ports take 50 and 25 bits of significand. `fmul` multiplies by a short second source in one line; two long
words take two lines, `fmulh` and `fmull`.)",
     R"(var vector long x hlt
loop body
  fmul x x $lt)",
     R"(var vector long x hlt
loop body
  fmulh x x
  fmull x x $lt)"},
    {Code::negation, "a minus sign where nothing negates",
     R"(Adder and multiplier negate their sources. The integer unit, `bm` and destinations do not.)",
     R"(loop body
  uadd $peid -$peid $lt)",
     R"(loop body
  usub $peid $peid $lt)"},
    {Code::address, "an address outside its memory",
     R"(Addresses count short words: GPR 0..63, local memory 0..511, broadcast memory 0..2047. A long word has an even address, and a
vector needs room for as many words as `vlen` says.)",
     R"(loop body
  uxor $lt $lt $lr58v)",
     R"(loop body
  uxor $lt $lt $lr56v)"},
    {Code::subscript, "a subscript that the name does not have",
     R"(An array takes one subscript per dimension; a vector one more for an element, counted from 0. In a vector line the name of a
vector without subscript is the whole vector.)",
     R"(var vector long x[3] hlt
loop body
  fpassa x[3] $lt)",
     R"(var vector long x[3] hlt
loop body
  fpassa x[2] $lt)"},
    {Code::immediate, "an immediate that is no word",
     R"(`il` and `is` take whole numbers, decimal or with `0x`, that fit 72 and 36 bits; `hl` and `hs` exactly 18 and 9 hexadecimal
digits; `f` and `fs` decimal numbers in the range of a double.)",
     R"(loop body
  upassa is"0x1000000000" $t)",
     R"(loop body
  upassa is"0xfffffffff" $t)"},
    {Code::identity, "a PE or block number as floating-point number",
     R"(`$peid` and `$bbid` are integers; only the integer unit and `bm` understand them.)",
     R"(loop body
  fadd $peid $peid $lt)",
     R"(loop body
  uadd $peid $peid $lt)"},
    {Code::flag, "a flag or condition that does not exist",
     R"(There are four flags, 1 to 4. A flag takes the sign of a result, with `.z` whether it is zero, with `.c` the carry, which only
some integer operations have.)",
     R"(loop body
  uxor $peid $peid $lt $ok5)",
     R"(loop body
  uxor $peid $peid $lt $ok4)"},
    {Code::predicate, "a predicate where nothing is gated",
     R"(`/2`, `/!2` and `/j` gate a destination, at most one flag and one `/j` each. Stores to broadcast memory are gated by `mask`.)",
     R"(loop body
  upassa $peid/j $lt)",
     R"(loop body
  upassa $peid $lt/j)"},
    {Code::sequencer, "a vector length or mask that does not exist",
     R"(`vlen` is 1 to 4; `mask` is 0 for none, 1 to 4, or `!1` to `!4`.)",
     R"(loop body
  vlen 5
  nop)",
     R"(loop body
  vlen 4
  nop)"},
    {Code::pe_number, "a PE that is missing, or one too many",
     R"(A store to broadcast memory comes from one PE of each block, `@0` to `@31`; a load with a PE reaches that one alone.)",
     R"(bvar vector long x
loop body
  bm $lr0v x)",
     R"(bvar vector long x
loop initialization
  uxor $lr0v $lr0v $lr0v
loop body
  nop
  bm $lr0v x @3)"},
    {Code::destination_twice, "an operation writes one place kind twice",
     R"(A result may go to T, one GPR address and one local memory address, and set one flag.)",
     R"(loop body
  uxor $lt $lt $lr0v $lr8v)",
     R"(loop body
  uxor $lt $lt $lr0v $lm0v)"},
    {Code::unit_taken, "two operations for one unit in a line",
     R"(Adder, multiplier, integer unit and the broadcast memory port each do one thing per line.)",
     R"(loop body
  uxor $lt $lt $lr0v ; upassa $peid $lr8v)",
     R"(loop body
  uxor $lt $lt $lr0v
  upassa $peid $lr8v)"},
    {Code::gpr_read_port, "three GPR addresses are read in one line",
     R"(The GPR has two read ports. Units may share one if they read the same word; T and local memory have ports of their own.)",
     R"(loop initialization
  uxor $lr0v $lr0v $lr0v
  uxor $lr8v $lr8v $lr8v
  uxor $lr16v $lr16v $lr16v
loop body
  nop
  fadd $lr0v $lr8v $lt ; upassa $lr16v $lm0v)",
     R"(loop initialization
  uxor $lr0v $lr0v $lr0v
  uxor $lr8v $lr8v $lr8v
loop body
  nop
  fadd $lr0v $lr8v $lt ; upassa $lr8v $lm0v)"},
    {Code::lm_read_port, "two local memory addresses are read in one line",
     R"(Local memory has one read port; units may share it if they read the same word.)",
     R"(var vector long x hlt
var vector long y hlt
loop body
  fadd x y $lt)",
     R"(var vector long x hlt
var vector long y hlt
loop body
  fpassa x $lt
  fadd $lt y $lt)"},
    {Code::write_port, "two units write through one port",
     R"(T, GPR and local memory take one word per element and line, each flag one bit.)",
     R"(loop body
  uxor $lt $lt $lr0v ; fpassa f"1" $lr8v)",
     R"(loop body
  uxor $lt $lt $lr0v ; fpassa f"1" $lm8v)"},
    {Code::bm_port, "two accesses to broadcast memory in one line",
     R"(Broadcast memory does one access per line, a read or a write. One word read may feed several units and be moved by `bm`.)",
     R"(bvar long xj elt
bvar long yj elt
loop body
  fadd xj yj $lt)",
     R"(bvar long xj elt
bvar long yj elt
loop body
  bm xj $lt
  fadd $lt yj $lt)"},
    {Code::immediate_port, "two immediates in one line",
     R"(A line has room for one immediate, of one width; units may share it.)",
     R"(loop body
  fadd f"1" f"2" $lt)",
     R"(loop body
  fadd f"1" f"1" $lt)"},
    {Code::adder_claimed, "fmull needs the adder",
     R"(`fmull` adds its product to the one of `fmulh` in the adder, so the adder does nothing else in that line.)",
     R"(var vector long x hlt
loop body
  fmulh x x
  fmull x x $lt ; fadd x x $lr8v)",
     R"(var vector long x hlt
loop body
  fmulh x x ; fadd x x $lr8v
  fmull x x $lt)"},
    {Code::hazard, "a result is read before it is there",
     R"(A result can be read through T in the next line, and from GPR, local memory, broadcast memory or a flag two lines after the one
that writes it. That holds across every edge: from one section to the next, and from the last line of the loop body to
its first.)",
     R"(loop body
  upassa $peid $lr0v
  uadd $lr0v $lr0v $lr8v)",
     R"(loop body
  upassa $peid $lr0v $lt
  uadd $lt $lt $lr8v)"},
    {Code::not_forwarded, "the line before did not write T",
     R"(`$ti` and `$lti` are T, and say that the line before wrote it, on every way that leads here. Where T is older, write `$t`.)",
     R"(loop body
  upassa $peid $lt
  nop
  uadd $lti $lti $lr8v)",
     R"(loop body
  upassa $peid $lt
  nop
  uadd $lt $lt $lr8v)"},
    {Code::t_width, "a long word in T is read as a short number",
     R"(T has the width of what was last written to it. Reading its upper half as a floating-point number would cut the fraction without
rounding. Integer operations may look at the upper half of a long word.)",
     R"(loop body
  fpassa f"1" $lt
  fadd $t $t $lr8v)",
     R"(loop body
  fpassa f"1" $t
  fadd $t $t $lr8v)"},
    {Code::uninitialised, "a word is read that is not written on every way",
     R"(The ways through a kernel are known: initialization, loop initialization, the loop body any number of times, loop termination.
GPR, local memory, T and flags hold nothing defined before they are written; `hlt` variables and parameters are there from loop
initialization on. A masked write counts as a write.)",
     R"(loop body
  fadd $lr0v $lr0v $lr0v
  nop)",
     R"(loop initialization
  uxor $lr0v $lr0v $lr0v
loop body
  nop
  fadd $lr0v $lr0v $lr0v)"},
    {Code::result_unset, "a result that nj = 0 leaves undefined",
     R"(With no j-particle the loop body is not executed, and where there are fewer than blocks some blocks have none. A result begins in
loop initialization with the value that leaves the reduction as it is, such as zero for `fadd`.)",
     R"(var vector long ax rrn flt72to64 fadd
loop body
  fpassa f"1" ax)",
     R"(var vector long ax rrn flt72to64 fadd
loop initialization
  uxor ax ax ax
loop body
  fpassa f"1" ax)"},
    {Code::long_product, "fmulh and fmull are no pair",
     R"(A product of two long words takes two neighbouring lines of one section, `fmulh a b` and `fmull a b dst`, with the same operands,
vlen and mask. If T is an operand the first line may not write it, but a word of broadcast memory that the first line both multiplies
and moves to T may be read from there in the second.)",
     R"(var vector long x hlt
loop body
  fmulh x x
  nop
  fmull x x $lt)",
     R"(var vector long x hlt
loop body
  fmulh x x
  fmull x x $lt)"},
    {Code::record_outside_body, "the j-record is used outside the loop body",
     R"(j-data streams through broadcast memory while the loop runs; each iteration of the body has one record, other sections have none.)",
     R"(bvar long xj elt
loop termination
  fpassa xj $lt)",
     R"(bvar long xj elt
loop body
  fpassa xj $lt)"},
    {Code::read_only, "a kernel writes what it may only read",
     R"(The j-record is written by the control processor, parameters by the host.)",
     R"(param eps : long = 0
loop body
  bm $peid eps @0)",
     R"(param eps : long = 0
bvar long x
loop body
  bm $peid x @0)"},
    {Code::overlap, "a raw register is a variable too (warning)",
     R"(Variables take local memory and GPR from address 0 on, in declaration order. A register written by number may be one of them.)",
     R"(var vector long x
loop body
  upassa $peid $lm0v)",
     R"(var vector long x
loop body
  upassa $peid x)"},
    {Code::elements_collide, "several elements write one word (warning)",
     R"(In a vector line every element writes the scalar destination, and the last one stays, although the elements compute different
values.)",
     R"(var vector long x hlt
var long y
loop body
  fpassa x y)",
     R"(var vector long x hlt
var vector long y
loop body
  fpassa x y)"},
    {Code::move, "transfer and collect lines that make no kernel of Type II",
     R"(A kernel either leaves its transfers to the assembler (Type I), with results in the PE, or has `transfer` and `collect` lines (Type
II), with results in broadcast memory. `transfer` stands once in loop initialization and once in the loop body if there is j-data;
`collect` stands in the loop body or loop termination and names a result. Both stand alone on their lines.)",
     R"(var vector long x rrn
loop initialization
  uxor x x x
loop body
  collect x)",
     R"(bvar vector long x rrn
loop initialization
  uxor $lr0v $lr0v $lr0v
  nop
loop body
  nop
loop termination
  bm $lr0v x @0
  nop
  collect x)"},
    {Code::move_overlap, "a line and a transfer meet in broadcast memory",
     R"(From its `transfer` or `collect` line on, what moves belongs to the control processor: it may not be written by a line before the
next `collect`, which waits for the one before, and the half of the record window that is being filled may not be addressed.)",
     R"(bvar vector long x rrn
loop initialization
  uxor $lr0v $lr0v $lr0v
  nop
loop body
  bm $lr0v x @0
  nop
  collect x
loop termination
  bm $lr0v x @0)",
     R"(bvar vector long x[2] rrn
loop initialization
  uxor $lr0v $lr0v $lr0v
  nop
loop body
  bm $lr0v x[0] @0
  nop
  collect x[0]
  bm $lr0v x[1] @0
  nop
  collect x[1])"},
    {Code::masked_definition, "a word that is written under a condition alone, and kept where it does not hold",
     R"(Where the flag of a mask or predicate does not hold, a word keeps what stood there before: in the first iteration nothing the
kernel put there, later the last iteration's. The warning follows the word to the results, so it is given only if what was read elsewhere
is kept there. Write the word for all elements first, or also under the opposite condition.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi $lok1
  nop
  fpassa xj $lr0v/1
  nop
  fadd sum $lr0v sum)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi $lr0v $lok1
  nop
  fpassa xj $lr0v/1
  nop
  fadd sum $lr0v sum)"},
    {Code::overwritten_input, "i-data as a destination",
     R"(The host sends i-data once per run, so a line of the loop body that writes over it changes what every later iteration reads. The
usual cause is the order of operands: sources stand first, destinations last. Once per run, in `loop initialization`, an operation may
change an i-variable in place.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi xi
  nop
  fpassa xi $lt
  fadd sum $lti sum)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi $lt
  fadd sum $lti sum)"},
    {Code::short_vector, "a vector length below 4 that holds too long",
     R"(A `vlen` that stands alone on a line holds to the end of the section. Elements beyond it keep what they had, so results of the
last i-particles stay as they began. Set `vlen 4` behind the lines it is for, or write `vlen N ;` before the operations of one line.)",
     R"(bvar long xj elt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  vlen 3
  nop
  fadd sum xj sum
  vlen 4)",
     R"(bvar long xj elt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  nop
  fadd sum xj sum)"},
    {Code::shared_register, "two registers with names share words while both are in use",
     R"(A long vector takes eight short words, a short one four. A value was written by one name and is read by it again, but a register
with another name that shares words with it was written in between. Names may take the same words one after the other.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn
reg q $lr8v
reg p $lr10v
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fadd xj xi q
  fsub xj xi p
  nop
  fadd sum p $lt
  fadd q $lti sum)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn
reg q $lr8v
reg p $r16v
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fadd xj xi q
  fsub xj xi p
  nop
  fadd sum p $lt
  fadd q $lti sum)"},
    {Code::width_mismatch, "a number written in one width and read in the other",
     R"(A vector of short words steps by one word, a vector of long words by two: read in the other width, most elements find halves
of other numbers. T has error E0182 for it. Operations on bits and integers may take words apart.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fadd xj xi $lr8v
  nop
  fadd sum $r8v sum)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fadd xj xi $lr8v
  nop
  fadd sum $lr8v sum)"},
    {Code::start_of_reduction, "a reduction that does not begin with its identity",
     R"(Blocks that get no j-particle send to the tree what `loop initialization` left, and so do all with nj = 0. Begin a sum with 0,
a minimum with infinity: the value that leaves every other one unchanged. Allow it where the value is a bound on purpose.)",
     R"(bvar long xj elt
var vector long near rrn flt72to64 fmin
loop initialization
  uxor $lt $lt $lt
  upassa $lti near
loop body
  nop
  fmin near xj near)",
     R"(bvar long xj elt
var vector long near rrn flt72to64 fmin
loop initialization
  fpassa f"inf" near
loop body
  nop
  fmin near xj near)"},
    {Code::unused, "something that no result depends on",
     R"(Data that no line reads, names that no line uses, operations and destinations without which every result stays the same. A field
of the j-record costs 16 clocks of the input port for each long word in every iteration, a line costs four. Fields that only keep a record's
layout are allowed where they are declared: `# allow unused`.)",
     R"(bvar long xj elt
bvar long never elt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  nop
  fadd sum xj sum)",
     R"(bvar long xj elt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  nop
  fadd sum xj sum)"},
    {Code::event_prone, "constants that must give infinity or no number",
     R"(Infinity times 0, infinity less infinity, a product of constants beyond the largest number, or constants that together multiply
the data by more than the largest number: each iteration counts the event, and `gdr run` says where.)",
     R"(bvar long xj elt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fmul xj fs"1e300" $lt
  fmul $lti fs"1e300" $lt
  fadd sum $lti sum)",
     R"(bvar long xj elt
var vector long sum rrn
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fmul xj fs"1e300" $lt
  fadd sum $lti sum)"},
}};

#undef GDR_NAMED

}  // namespace

std::span<const Explanation> explanations() { return kExplanations; }

std::optional<std::string> explain(unsigned number) {
  const auto found = std::find_if(kExplanations.begin(), kExplanations.end(), [&](const Explanation& explanation) {
    return static_cast<unsigned>(explanation.code) == number;
  });
  if (found == kExplanations.end()) return std::nullopt;
  const auto warning = warning_of(found->code);
  const std::string option =
      warning ? fmt::format(
                    "A warning: `-Wno-{0}` leaves it out, `-Werror={0}` makes it an error, a comment `# allow {0}` "
                    "on or above its line allows it there.\n\n",
                    name_of(*warning))
              : "";
  return fmt::format("# E{:04}: {}\n\n{}\n\n{}Gives it:\n\n```\n{}\n```\n\nMended:\n\n```\n{}\n```\n", number,
                     found->title, found->text, option, found->wrong, found->right);
}

std::string explain(Warning warning) {
  std::string text;
  for (const Explanation& explanation : kExplanations) {
    if (warning_of(explanation.code) != warning) continue;
    text += fmt::format("{}{}", text.empty() ? "" : "\n", *explain(static_cast<unsigned>(explanation.code)));
  }
  return text;
}

std::vector<unsigned> diagnostic_numbers() {
  std::vector<unsigned> numbers;
  for (const Explanation& explanation : kExplanations) numbers.push_back(static_cast<unsigned>(explanation.code));
  return numbers;
}

}  // namespace gdr::assembler
