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

constexpr std::array<Explanation, 64> kExplanations{{
    {Code::syntax, "the statement cannot be read",
     R"(The grammar stopped at the caret; the message lists what is allowed at this point. A line holds one declaration, one section
header, one block line, or operations separated by `;`. Operands are separated by blanks. Bytes outside printable ASCII
are allowed only in comments, and letters of other alphabets (in UTF-8) in quotes.)",
     R"(loop body
  uxor $lt $lt $lr8v))",
     R"(loop body
  uxor $lt $lt $lr8v)"},
    {Code::unknown_name, "an undeclared name",
     R"(Names of variables, registers and parameters are declared before the first section; names in whole-number expressions are
definitions (`const`, `-D name=value`) and the indices of repeats. A name is reported once, however often it is used. A definition by
`-D` that the source never uses is reported at its first line.)",
     R"(var vector long xi hlt
loop body
  fadd xi xj $lr8v)",
     R"(var vector long xi hlt
loop body
  fadd xi xi $lr8v)"},
    {Code::unknown_operation, "an unknown operation",
     R"(A line may use the operations of the instruction set reference, `vlen`, `mask`, and the macros of the source.)",
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
    {Code::misplaced, "a statement that is not allowed here",
     R"(Declarations come first, then the sections, each at most once. Operations are allowed only inside a section.)",
     R"(uxor $lt $lt $lr8v
loop body)",
     R"(loop body
  uxor $lt $lt $lr8v)"},
    {Code::expression, "a whole-number expression without a value",
     R"(Expressions have the operators `+ - * / %`, comparisons, `&& || !` and parentheses, on 64-bit whole numbers. Division by
zero and results outside that range are errors. A number written in the source is at most 4,294,967,295. The value of a `const`
given by `-D` is a whole number.)",
     R"(loop body
  uxor $lt $lt $lr{8/0}v)",
     R"(loop body
  uxor $lt $lt $lr{8/2}v)"},
    {Code::block, "a block without its `end`, or an `end` without its block",
     R"(`repeat`, `if` and `macro` end with `end`; `else` belongs to an `if`. Words of other languages, such as `elif`, `endif` or `Else`,
are refused, also in a branch that is not taken.)",
     R"(loop body
  repeat i = 0..1
    uxor $lt $lt $lr{8*i}v)",
     R"(loop body
  repeat i = 0..1
    uxor $lt $lt $lr{8*i}v
  end)"},
    {Code::too_long, "a source beyond the assembler's limits",
     R"(A line may have 1,000 characters, and 24 parentheses and signs. Blocks may nest 24 deep. A program may expand to 16,384
lines.)",
     R"(loop body
  repeat i = 1..20000
    nop
  end)",
     R"(loop body
  repeat i = 1..7
    nop
  end)"},
    {Code::include, "a file that cannot be included",
     R"(The path is relative to the directory of the including file. Files may not include each other in a circle.)",
     R"(include "no such file.vsm"
loop body
  nop)",
     R"(loop body
  nop)"},
    {Code::macro, "too many or too few arguments for a macro",
     R"(Arguments follow the macro's name, separated by blanks, one for each parameter.)",
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
    {Code::kernel, "a kernel without a valid name, or flops that are given twice or are no number",
     R"(Every source names its kernel once, with `kernel NAME`. The names of the generated functions begin with this name. A
source has at most one `flops`, which is followed by a number.)",
     R"(kernel first
kernel second
loop body
  nop)",
     R"(kernel first
loop body
  nop)"},
    {Code::place_of_transfer, "a transfer that this memory does not support",
     R"(i-data (`hlt`) and results (`rrn`) are kept in the PE, so they are declared with `var`. j-data (`elt`) comes through broadcast
memory, so it is declared with `bvar`.)",
     R"(var long xj elt
loop body
  nop)",
     R"(bvar long xj elt
loop body
  nop)"},
    {Code::conversion, "a conversion of the wrong direction or width",
     R"(The name of a conversion gives source and destination: `flt64to72` converts a double of 64 bits to a long word of 72 bits.
Data for the chip needs a conversion from 64 bits, a result needs one to 64 bits, and the other width is that of the variable.
Without a conversion, the floating-point one is used.)",
     R"(bvar short mj elt flt64to72
loop body
  nop)",
     R"(bvar short mj elt flt64to36
loop body
  nop)"},
    {Code::reduction, "a reduction that does not exist",
     R"(The nodes of the reduction tree have a floating-point adder and an integer ALU; `select N` passes the value of block N.
Results with a floating-point conversion can be reduced by)" GDR_FLOATING_POINT_REDUCTIONS(GDR_NAMED) R"(. Results with a fixed-point conversion can be reduced by)" GDR_INTEGER_REDUCTIONS(
         GDR_NAMED) R"(. Results with a fixed-point conversion or `none` can be reduced by)" GDR_BITS_REDUCTIONS(GDR_NAMED) ".",
     R"(var vector long n rrn fix72to64 usub
loop initialization
  uxor n n n)",
     R"(var vector long n rrn fix72to64 uadd
loop initialization
  uxor n n n)"},
    {Code::memory_full, "not enough memory for the variables",
     R"(Local memory has 512 short words, the GPR 64. Broadcast memory has 1,024 long words. It holds two j-records (the next one
arrives while the current one is in use), the parameters and the variables; its last 128 words are for i-data and results in transfer.)",
     R"(var vector long x[65]
loop body
  nop)",
     R"(var vector long x[64]
loop body
  nop)"},
    {Code::shape, "a shape that this kind of variable cannot have",
     R"(`hlt` and `rrn` variables hold one value per i-particle, so they are vectors. A j-record holds scalars; a view reads
neighbouring scalars as a vector. A short vector in broadcast memory advances by half a long word, so it must be `packed`.)",
     R"(bvar vector long xj elt
loop body
  nop)",
     R"(bvar long xj[3] elt
bvar vector long vxj xj
loop body
  nop)"},
    {Code::alias, "a view of something that is not a bvar",
     R"(`bvar [vector|scalar] long|short NAME TARGET` gives a second name to the words that begin at the earlier `bvar` TARGET. A view
has no dimensions and no transfer.)",
     R"(var vector long xi hlt
bvar long vxj xi
loop body
  nop)",
     R"(bvar long xj elt
bvar long vxj xj
loop body
  nop)"},
    {Code::parameter, "a parameter with an invalid default",
     R"(The default, or the value given with `-D`, must be a finite decimal number. For a fixed-point conversion it must be whole.)",
     R"(param n : long fix64to72 = 1.5
loop body
  nop)",
     R"(param n : long fix64to72 = 15
loop body
  nop)"},
    {Code::register_name, "a name for something that is not a register",
     R"(`reg NAME REGISTER` names a register of GPR, local memory, broadcast memory, or T.)",
     R"(reg cold $ok1
loop body
  nop)",
     R"(reg cold $r8v
loop body
  nop)"},
    {Code::operand_count, "too few or too many operands",
     R"(Sources come first, then one or more destinations. Exception: `fmulh` has no destination; `fmull` uses its product.)",
     R"(loop body
  usub $lt $lt)",
     R"(loop body
  usub $lt $lt $lr8v)"},
    {Code::operand_kind, "an operand that is not allowed in this position",
     R"(Destinations are T, GPR, local memory and flags. Only `bm SOURCE WORD @PE` writes to broadcast memory.)",
     R"(loop body
  uxor $lt $lt $peid)",
     R"(loop body
  uxor $lt $lt $lr8v)"},
    {Code::width, "operands of different widths",
     R"(All operands of an integer operation must have the same width. So must all destinations of a floating-point operation, and both
sides of `bm`. Floating-point sources may have any width, since they are widened exactly.)",
     R"(loop body
  usub $lt $lt $r8v)",
     R"(loop body
  usub $lt $lt $lr8v)"},
    {Code::multiplier_width, "a product of two long words in one line",
     R"(The multiplier's ports take 50 and 25 bits of significand. `fmul` needs one line, and its second source is short. The
product of two long words needs two lines, `fmulh` and `fmull`.)",
     R"(var vector long x hlt
loop body
  fmul x x $lt)",
     R"(var vector long x hlt
loop body
  fmulh x x
  fmull x x $lt)"},
    {Code::negation, "a minus sign on an operand that cannot be negated",
     R"(The adder and the multiplier can negate their sources. The integer unit and `bm` cannot, and destinations are never negated.)",
     R"(loop body
  uadd $peid -$peid $lt)",
     R"(loop body
  usub $peid $peid $lt)"},
    {Code::address, "an address outside its memory",
     R"(Addresses count short words: GPR 0..63, local memory 0..511, broadcast memory 0..2047. The address of a long word is
even. A vector must lie inside the memory with all its `vlen` elements.)",
     R"(loop body
  uxor $lt $lt $lr58v)",
     R"(loop body
  uxor $lt $lt $lr56v)"},
    {Code::subscript, "a subscript that does not exist",
     R"(An array has one subscript per dimension, counted from 0. A vector has one more subscript, for the element; without it, the
name stands for the whole vector.)",
     R"(var vector long x[3] hlt
loop body
  fpassa x[3] $lt)",
     R"(var vector long x[3] hlt
loop body
  fpassa x[2] $lt)"},
    {Code::immediate, "an immediate that does not fit its word",
     R"(`il` and `is` are followed by whole numbers, decimal or with `0x`, of at most 72 and 36 bits; `hl` and `hs` by exactly 18 and 9
hexadecimal digits; `f` and `fs` by decimal numbers in the range of a double.)",
     R"(loop body
  upassa is"0x1000000000" $t)",
     R"(loop body
  upassa is"0xfffffffff" $t)"},
    {Code::identity, "a PE or block number used as a floating-point number",
     R"(`$peid` and `$bbid` are integers. Only the integer unit and `bm` accept them.)",
     R"(loop body
  fadd $peid $peid $lt)",
     R"(loop body
  uadd $peid $peid $lt)"},
    {Code::flag, "a flag or condition that does not exist",
     R"(There are four flags, 1 to 4. A flag stores the sign of a result; with `.z` it stores whether the result is zero, and with `.c`
the carry, which only some integer operations have.)",
     R"(loop body
  uxor $peid $peid $lt $ok5)",
     R"(loop body
  uxor $peid $peid $lt $ok4)"},
    {Code::predicate, "a predicate on something that is not a destination",
     R"(`/2`, `/!2` and `/j` make the write to a destination conditional. A destination may have one flag and one `/j`. Stores to
broadcast memory are made conditional by `mask`.)",
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
    {Code::pe_number, "a store without a PE, or a PE that does not exist",
     R"(A store to broadcast memory comes from one PE of each block, `@0` to `@31`. A load with a PE reaches only that PE.)",
     R"(bvar vector long x
loop body
  bm $lr0v x)",
     R"(bvar vector long x
loop initialization
  uxor $lr0v $lr0v $lr0v
loop body
  nop
  bm $lr0v x @3)"},
    {Code::destination_twice, "two destinations of the same kind",
     R"(A result may go to T, one GPR address and one local memory address, and set one flag.)",
     R"(loop body
  uxor $lt $lt $lr0v $lr8v)",
     R"(loop body
  uxor $lt $lt $lr0v $lm0v)"},
    {Code::unit_taken, "two operations for the same unit in one line",
     R"(The adder, the multiplier, the integer unit and the broadcast memory port each execute one operation per line.)",
     R"(loop body
  uxor $lt $lt $lr0v ; upassa $peid $lr8v)",
     R"(loop body
  uxor $lt $lt $lr0v
  upassa $peid $lr8v)"},
    {Code::gpr_read_port, "reads of three GPR addresses in one line",
     R"(The GPR has two read ports. Units may share a port if they read the same word. T and local memory have separate ports.)",
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
    {Code::lm_read_port, "reads of two local memory addresses in one line",
     R"(Local memory has one read port. Units may share it if they read the same word.)",
     R"(var vector long x hlt
var vector long y hlt
loop body
  fadd x y $lt)",
     R"(var vector long x hlt
var vector long y hlt
loop body
  fpassa x $lt
  fadd $lt y $lt)"},
    {Code::write_port, "writes of two units through the same port",
     R"(T, GPR and local memory can each be written with one word per element and line, and each flag with one bit.)",
     R"(loop body
  uxor $lt $lt $lr0v ; fpassa f"1" $lr8v)",
     R"(loop body
  uxor $lt $lt $lr0v ; fpassa f"1" $lm8v)"},
    {Code::bm_port, "two accesses to broadcast memory in one line",
     R"(Broadcast memory allows one access per line, a read or a write. Several units and `bm` may use the same word that is read.)",
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
     R"(A line has room for one immediate, in one width. Units may share it.)",
     R"(loop body
  fadd f"1" f"2" $lt)",
     R"(loop body
  fadd f"1" f"1" $lt)"},
    {Code::adder_claimed, "an addition in the line of `fmull`",
     R"(`fmull` uses the adder to add its product to that of `fmulh`, so no other operation can use the adder in this line.)",
     R"(var vector long x hlt
loop body
  fmulh x x
  fmull x x $lt ; fadd x x $lr8v)",
     R"(var vector long x hlt
loop body
  fmulh x x ; fadd x x $lr8v
  fmull x x $lt)"},
    {Code::hazard, "a result that is read before it is available",
     R"(A result can be read through T in the next line. From GPR, local memory, broadcast memory or a flag it can be read two lines
after the line that writes it. The rule also holds from one section to the next, and from the last line of the loop body to
its first.)",
     R"(loop body
  upassa $peid $lr0v
  uadd $lr0v $lr0v $lr8v)",
     R"(loop body
  upassa $peid $lr0v $lt
  uadd $lt $lt $lr8v)"},
    {Code::not_forwarded, "`$ti` or `$lti` although the previous line did not write T",
     R"(`$ti` and `$lti` name T and assert that the previous line wrote it, on every path to this line. If T is older, write `$t` or
`$lt`.)",
     R"(loop body
  upassa $peid $lt
  nop
  uadd $lti $lti $lr8v)",
     R"(loop body
  upassa $peid $lt
  nop
  uadd $lt $lt $lr8v)"},
    {Code::t_width, "a long word in T is read as a short number",
     R"(T has the width of the word that was last written to it. Reading its upper half as a floating-point number would cut the
fraction without rounding. Integer operations may read the upper half of a long word.)",
     R"(loop body
  fpassa f"1" $lt
  fadd $t $t $lr8v)",
     R"(loop body
  fpassa f"1" $t
  fadd $t $t $lr8v)"},
    {Code::uninitialised, "a word that is read but not written on every path",
     R"(Every path through a kernel is known: initialization, loop initialization, the loop body any number of times, loop termination.
GPR, local memory, T and flags are undefined until they are written. `hlt` variables and parameters are available from loop
initialization on. A masked write counts as a write.)",
     R"(loop body
  fadd $lr0v $lr0v $lr0v
  nop)",
     R"(loop initialization
  uxor $lr0v $lr0v $lr0v
loop body
  nop
  fadd $lr0v $lr0v $lr0v)"},
    {Code::result_unset, "a result that is undefined without j-particles",
     R"(Without j-particles the loop body is not executed. If there are fewer j-particles than blocks (16), some blocks receive none.
So loop initialization must set every result to the value that does not change the reduction, such as zero for `fadd`.)",
     R"(var vector long ax rrn flt72to64 fadd
loop body
  fpassa f"1" ax)",
     R"(var vector long ax rrn flt72to64 fadd
loop initialization
  uxor ax ax ax
loop body
  fpassa f"1" ax)"},
    {Code::long_product, "`fmulh` without `fmull`, or `fmull` without `fmulh`",
     R"(A product of two long words needs two neighbouring lines of one section, `fmulh a b` and `fmull a b dst`, with the same
operands, vlen and mask. If T is an operand, the first line may not write it. Exception: the first line may multiply a word of
broadcast memory and move it to T; the second line may then read it from T.)",
     R"(var vector long x hlt
loop body
  fmulh x x
  nop
  fmull x x $lt)",
     R"(var vector long x hlt
loop body
  fmulh x x
  fmull x x $lt)"},
    {Code::record_outside_body, "a j-record outside the loop body",
     R"(j-data arrives in broadcast memory while the loop runs. Each iteration of the loop body has one record; other sections have
none.)",
     R"(bvar long xj elt
loop termination
  fpassa xj $lt)",
     R"(bvar long xj elt
loop body
  fpassa xj $lt)"},
    {Code::read_only, "a write to a word that the kernel may only read",
     R"(Only the control processor writes the j-record, and only the host writes parameters.)",
     R"(param eps : long = 0
loop body
  bm $peid eps @0)",
     R"(param eps : long = 0
bvar long x
loop body
  bm $peid x @0)"},
    {Code::overlap, "a register written by number that is also a variable (warning)",
     R"(Variables occupy local memory and GPR from address 0 on, in the order of their declarations. A register written by its number
may be one of them.)",
     R"(var vector long x
loop body
  upassa $peid $lm0v)",
     R"(var vector long x
loop body
  upassa $peid x)"},
    {Code::elements_collide, "several elements that write the same word (warning)",
     R"(In a vector line every element writes to a scalar destination. The elements compute different values here, and only that of the
last element is kept.)",
     R"(var vector long x hlt
var long y
loop body
  fpassa x y)",
     R"(var vector long x hlt
var vector long y
loop body
  fpassa x y)"},
    {Code::move, "`transfer` and `collect` lines that do not form a kernel of Type II",
     R"(In a kernel of Type I the assembler places the transfers, and results are in the PE. A kernel of Type II has its own `transfer`
and `collect` lines, and results are in broadcast memory. With j-data, `transfer` appears once in loop initialization and once in
the loop body. `collect` names a result and appears in the loop body or in loop termination. Neither shares its line with other
operations.)",
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
    {Code::move_overlap, "an access to words of broadcast memory that are in transfer",
     R"(From a `transfer` or `collect` line on, the words in transfer belong to the control processor. No line may write them before
the next `collect`, which waits for the previous one. No line may address the half of the record window that is being filled.)",
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
    {Code::experiment, "an experiment that depends on more than its start",
     R"(In a kernel of experiments each element of each PE works on a separate problem, and the host begins the next one as soon as
one is done. So a result may depend only on i-data and parameters. It may not depend on `$peid` and `$bbid`, on words of other
elements, on words that another experiment left in the same element, or on T and flags of the previous step. All lines are under `mask 1`, and results are vectors
of long words without a reduction.)",
     R"(kernel example experiment
var vector long x hlt fix64to72
var vector long sum rrn fix72to64
experiment begin
  upassa x sum
experiment step
  uadd sum $peid sum)",
     R"(kernel example experiment
var vector long x hlt fix64to72
var vector long number hlt fix64to72
var vector long sum rrn fix72to64
experiment begin
  upassa x sum
experiment step
  upassa number $lt
  uadd sum $lti sum)"},
    {Code::masked_definition, "a word that is written only under a condition, and used without it",
     R"(If the condition of a mask or predicate is false, the word keeps its old value. In the first iteration this value is undefined,
later it is that of an earlier iteration. The warning follows the word to the results: it is given only if an element for which
the condition is false keeps a number that was computed from the word. Write the word for all elements first, or also under the
opposite condition.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn fadd
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
var vector long sum rrn fadd
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
     R"(The host sends i-data once per run, so a line of the loop body that overwrites it changes what every later iteration reads. The
usual cause is the order of operands: sources come first, destinations last. Exception: `loop initialization`, which is executed
once per run, may change an i-variable in place.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn fadd
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
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi $lt
  fadd sum $lti sum)"},
    {Code::short_vector, "a vector length below 4 that stays in effect too long",
     R"(A `vlen` without other operations on its line stays in effect to the end of the section. Elements beyond it are not computed, so
results of the last i-particles keep their initial values. Set `vlen 4` again after the lines that need the short length, or
write `vlen N ;` before the operations of a single line.)",
     R"(bvar long xj elt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  vlen 3
  nop
  fadd sum xj sum
  vlen 4)",
     R"(bvar long xj elt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  nop
  fadd sum xj sum)"},
    {Code::shared_register, "two named registers that share words while both are in use",
     R"(A long vector occupies eight short words, a short one four. A value was written under one name and is read under this name, but
a register with another name that shares words with it was written in between. Two names may share words only if their values
are not needed at the same time.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn fadd
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
var vector long sum rrn fadd
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
    {Code::width_mismatch, "a number written in one width and read in the other width",
     R"(A vector of short words advances by one word per element, a vector of long words by two. If it is read in the other width, most
elements read halves of other numbers. For T the same mistake is error E0182. Operations on bits and integers may split words.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fadd xj xi $lr8v
  nop
  fadd sum $r8v sum)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fadd xj xi $lr8v
  nop
  fadd sum $lr8v sum)"},
    {Code::start_of_reduction, "a reduction that does not start from its identity",
     R"(A block without j-particles sends the value of `loop initialization` to the reduction tree; with nj = 0 all blocks do. Start a sum
from 0 and a minimum from infinity, the values that do not change the result. Allow the warning if the value is meant as a
bound.)",
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
    {Code::unused, "data, a name or an operation that no result depends on",
     R"(No line reads the data or uses the name, or every result stays the same without the operation or destination. In every iteration
each long word of a field of the j-record costs 16 clocks of the input port, and a line costs 4 clocks. If a field only keeps the
layout of a record, write `# allow unused` in the line that declares it.)",
     R"(bvar long xj elt
bvar long never elt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  nop
  fadd sum xj sum)",
     R"(bvar long xj elt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  nop
  fadd sum xj sum)"},
    {Code::event_prone, "constants that always give infinity or an invalid operation",
     R"(The line multiplies infinity by 0, subtracts infinity from infinity, has a product of constants beyond the largest number, or
multiplies the data by constants whose product is beyond the largest number. Every iteration then counts an event, and `gdr run`
reports the line.)",
     R"(bvar long xj elt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fmul xj fs"1e300" $lt
  fmul $lti fs"1e300" $lt
  fadd sum $lti sum)",
     R"(bvar long xj elt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fmul xj fs"1e300" $lt
  fadd sum $lti sum)"},
    {Code::number_type, "an integer that is read as a floating-point number, or the other way round",
     R"(The conversion of a field, of i-data or of a parameter says whether the host sends integers (`fix...`) or floating-point numbers
(`flt...`), and that of a result says what the host reads. An operation on floating-point numbers sees in the bits of a small
integer a number next to 0, also in those of a constant `is"3"`; write `fs"3"`. Choose the other conversion, or convert the
number. Operations on bits may take either; their results are not followed.)",
     R"(bvar short nj elt fix64to36
var vector long xi hlt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fmul xi nj $lt
  fadd sum $lti sum)",
     R"(bvar short nj elt flt64to36
var vector long xi hlt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fmul xi nj $lt
  fadd sum $lti sum)"},
    {Code::short_read, "more elements are read than the last write has written",
     R"(A line with a `vlen` below 4 leaves the other elements of a vector as they were. If they are read with those that it wrote, they
are values of an earlier write, such as that of the iteration before. Write and read with one `vlen`. For `$ti`, which states
that the line before wrote T, the same mistake is error E0181.)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
  upassa $lt $lr0v
loop body
  vlen 2 ; fsub xj xi $lr0v
  nop
  fadd sum $lr0v sum)",
     R"(bvar long xj elt
var vector long xi hlt
var vector long sum rrn fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  fsub xj xi $lr0v
  nop
  fadd sum $lr0v sum)"},
    {Code::one_block, "a result without a reduction of which each block has another value",
     R"(Each of the 16 blocks works on its own share of the j-records. Without a reduction the host
reads the words of block 0, so a sum lacks what the other blocks have added. Write the reduction, or `select N` if the words of one block are meant.)",
     R"(bvar long xj elt
var vector long sum rrn flt72to64
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  nop
  fadd sum xj sum)",
     R"(bvar long xj elt
var vector long sum rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
loop body
  nop
  fadd sum xj sum)"},
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
  const std::string option = warning ? fmt::format(
                                           "This is a warning: `-Wno-{0}` turns it off, `-Werror={0}` makes it an "
                                           "error, and a comment `# allow {0}` "
                                           "on its line or on the line above allows it there.\n\n",
                                           name_of(*warning))
                                     : "";
  return fmt::format(
      "# E{:04}: {}\n\n{}\n\n{}Example that triggers it:\n\n```\n{}\n```\n\nCorrected:\n\n```\n{}\n```\n", number,
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
