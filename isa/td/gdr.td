// The instruction set of the SING chip as gdr defines it: geometry, units, memories, sources, conditions, operations,
// conversions. The instruction word's layout stands in word.td, the assembly language's own words in language.td.
include "classes.td"
include "language.td"

def GrapeDr : InstructionSet</*version=*/1, /*word_bits=*/320, /*clocks_per_line=*/4> {
  let Meaning = "One horizontal microinstruction (line) steers adder, multiplier, ALU and one broadcast-memory access of "
                "every PE for up to four vector elements.";
  let Origin = "D: Koike et al. 2009, sections 2.2 and 3.2: horizontal microcode applied to four data; 96 lines at 333 MHz "
               "on four chips are 426.4 Gflops only at 4 clocks a line. Word layout O: the record is silent";
}

// ---- geometry ----------------------------------------------------------------------------------------------------

let Origin = "R: Koike et al. 2009, section 2.2" in {
  def Blocks : Constant<"blocks", 16> { let Meaning = "Broadcast blocks of a chip."; }
  def PesPerBlock : Constant<"pes_per_block", 32> { let Meaning = "PEs of a broadcast block."; }
}
def VectorElements : Constant<"vector_elements", 4> {
  let Meaning = "Elements of a vector operand.";
  let Origin = "R: Koike et al. 2009, section 3.2: the loop works on four i-particles in each PE";
}
def Flags : Constant<"flags", 4> {
  let Meaning = "Flag registers of a PE, for each vector element; numbered from 1.";
  let Origin = "O: the record is silent";
}
let Origin = "D: Koike et al. 2009, section 4.1: 1,024 words of a DGEMM unit enter and 512 leave in its 1,024 clocks" in {
  def IdpClocks : Constant<"idp_clocks_per_word", 1> {
    let Meaning = "Clocks of a long word through the input port.";
  }
  def OdpClocks : Constant<"odp_clocks_per_word", 2> {
    let Meaning = "Clocks of a long word through the output port.";
  }
}
def TransferWindow : Constant<"transfer_window_words", !mul(PesPerBlock.Value, VectorElements.Value)> {
  let Meaning = "Long words at the end of every BM that the control processor uses for i-data and results; programs "
                "keep off them.";
  let Origin = "O: one word for each i-particle of a run";
}

// ---- units -------------------------------------------------------------------------------------------------------

let ForwardLatency = 1, RegisterLatency = 2 in {
let Origin = "R: Koike et al. 2009, section 2.2; latencies O: checked by scheduling every kernel" in {
  let InTreeNodes = 1 in
  def Adder : Unit<"adder", 1, [FloatingPoint]> {
    let Meaning = "Floating-point adder: long + long, one per clock, converts widths as part of the operation.";
  }
  def Multiplier : Unit<"multiplier", 2, [FloatingPoint]> {
    let Meaning = "Floating-point multiplier: significand ports of 50 and 25 bits; long x long takes two lines.";
  }
  let InTreeNodes = 1 in
  def Alu : Unit<"alu", 3, [Integer, Bits]> {
    let Meaning = "Integer unit: 72- or 36-bit logic, shift, add, compare.";
  }
  def Bm : Unit<"bm", 4, [Bits]> {
    let Meaning = "Broadcast-memory port of the block: one word read or written per clock.";
  }
}
}

// ---- memories ----------------------------------------------------------------------------------------------------

def Gpr : Storage<"gpr", "r", /*short_words=*/64, /*read_ports=*/2, /*write_ports=*/1> {
  let Meaning = "General-purpose registers: 32 long words.";
  let Origin = "R: Koike et al. 2009, section 2.2";
}
def Lm : Storage<"lm", "m", 512, 1, 1> {
  let Meaning = "Local memory: 256 long words.";
  let Origin = "R: Koike et al. 2009, section 2.2";
}
def Bmem : Storage<"bm", "b", 2048, 1, 1> {
  let Meaning = "Broadcast memory of a block: 1,024 long words; one access per line, read or write.";
  let Origin = "R: Koike et al. 2009, section 2.2 (rules); O: size";
}
// The current j-record is a window of BM; EIT fills two of them in turn. Sizes are BM's.
def RecordWindow : Storage<"bm_record", "j", 2048, 1, 1> {
  let Meaning = "The current j-record in BM, addressed from its first word.";
  let Origin = "D: one record per block and iteration, Koike et al. 2009, section 3.1";
}
def Treg : Storage<"t", "t", !mul(2, VectorElements.Value), 1, 1> {
  let Meaning = "T register: one long word per vector element, forwards a result to the next line.";
  let Origin = "D: one word per element of the four-element vector";
}

// ---- operand sources ---------------------------------------------------------------------------------------------

let Origin = "O: select codes are ours; the ports are Koike et al. 2009, section 2.2" in {
  def SrcNone : Source<"none", 0> { let Meaning = "No operand."; }
  def SrcGprA : Source<"gpr_a", 1> { let Meaning = "First GPR read port."; }
  def SrcGprB : Source<"gpr_b", 2> { let Meaning = "Second GPR read port."; }
  def SrcLm : Source<"lm", 3> { let Meaning = "Local-memory read port."; }
  def SrcBm : Source<"bm", 4> { let Meaning = "Word broadcast by the block's BM in this line."; }
  def SrcTShort : Source<"t_short", 5, "$t"> { let Meaning = "T, upper 36 bits."; }
  def SrcTLong : Source<"t_long", 6, "$lt"> { let Meaning = "T, 72 bits."; }
  def SrcImmediate : Source<"immediate", 7> { let Meaning = "The line's immediate."; }
  def SrcPeId : Source<"pe_id", 8, "$peid"> { let Meaning = "Number of the PE in its block, 0 to 31, an integer."; }
  def SrcBbId : Source<"bb_id", 9, "$bbid"> { let Meaning = "Number of the block, 0 to 15, an integer."; }
}

// ---- conditions --------------------------------------------------------------------------------------------------

let Origin = "O: four flag registers per PE and element, written from unit conditions" in {
  def CondNegative : Condition<"negative", 0, ""> { let Meaning = "The result is negative."; }
  def CondZero : Condition<"zero", 1, ".z"> { let Meaning = "The result is zero."; }
  def CondCarry : Condition<"carry", 2, ".c"> { let Meaning = "Carry out of uadd, borrow out of usub."; }
}

// ---- operations --------------------------------------------------------------------------------------------------

def NOP : NoOperation<"nop"> {
  let Meaning = "Leaves a unit idle.";
  let Origin = "O: opcode 0 of every slot";
  let OtherSpellings = ["unop"];
}

let Origin = "R: Koike et al. 2009, section 2.2 (adder: sum, difference, width conversion; all functions in the tree); "
             "opcodes O" in {
  let Reduces = 1, Neutral = Zero in
  def FADD : Operation<Adder, "fadd", 1, 2, FloatingPoint> { let Meaning = "dst <- a + b, rounded once."; }
  def FSUB : Operation<Adder, "fsub", 2, 2, FloatingPoint> { let Meaning = "dst <- a - b, rounded once."; }
  let OtherSpellings = ["fpass"] in
  def FPASSA : Operation<Adder, "fpassa", 3, 1, FloatingPoint> {
    let Meaning = "dst <- a, normalised and rounded to the destination's width.";
  }
}
let Origin = "O: comparisons in the adder, named by the tree's reductions", Reduces = 1 in {
  let Neutral = Least in
  def FMAX : Operation<Adder, "fmax", 4, 2, FloatingPoint> {
    let Meaning = "dst <- the larger of a and b, rounded; a if they are equal.";
  }
  let Neutral = Greatest in
  def FMIN : Operation<Adder, "fmin", 5, 2, FloatingPoint> {
    let Meaning = "dst <- the smaller of a and b, rounded; a if they are equal.";
  }
}

let Origin = "R: Koike et al. 2009, section 2.2 (50-bit x 25-bit ports; double precision at half rate); opcodes and "
             "the single rounding O" in {
  let SecondSourceIsShort = 1 in
  def FMUL : Operation<Multiplier, "fmul", 1, 2, FloatingPoint> {
    let Meaning = "dst <- a x b, b short; the long significand of a is cut to 50 bits; rounded once.";
  }
  let HasDestination = 0, Function = "" in
  def FMULH : Operation<Multiplier, "fmulh", 2, 2, FloatingPoint> {
    let Meaning = "First line of a long product: latch <- a x (upper 25 of the 50 significand bits of b), exact.";
  }
  let ClaimsAdder = 1, FirstHalf = FMULH, Function = "fmul2" in  // the whole product
  def FMULL : Operation<Multiplier, "fmull", 3, 2, FloatingPoint> {
    let Meaning = "Second line of a long product: dst <- latch + a x (lower 25 bits of b), rounded once; the adder adds.";
  }
}

let Origin = "O: the record names an integer ALU without listing its operations" in {
  let WritesCarry = 1, Reduces = 1, Neutral = Zero in
  def UADD : Operation<Alu, "uadd", 1, 2, Integer> { let Meaning = "dst <- a + b, modulo the width."; }
  let WritesCarry = 1, EqualSourcesDefine = 1 in
  def USUB : Operation<Alu, "usub", 2, 2, Integer> { let Meaning = "dst <- a - b, modulo the width."; }
  let Reduces = 1 in {
    let Neutral = AllOnes in
    def UAND : Operation<Alu, "uand", 3, 2, Bits> { let Meaning = "dst <- a and b, bit by bit."; }
    let Neutral = Zero in {
      def UOR : Operation<Alu, "uor", 4, 2, Bits> { let Meaning = "dst <- a or b, bit by bit."; }
      let EqualSourcesDefine = 1 in
      def UXOR : Operation<Alu, "uxor", 5, 2, Bits> { let Meaning = "dst <- a exclusive-or b, bit by bit."; }
    }
  }
  def UNOT : Operation<Alu, "unot", 6, 1, Bits> { let Meaning = "dst <- complement of a."; }
  def ULSL : Operation<Alu, "ulsl", 7, 2, Bits> {
    let Meaning = "dst <- a shifted left by b, zeros in; 0 if b, read as unsigned, is the width or more.";
  }
  def ULSR : Operation<Alu, "ulsr", 8, 2, Bits> {
    let Meaning = "dst <- a shifted right by b, zeros in; 0 if b, read as unsigned, is the width or more.";
  }
  def UASR : Operation<Alu, "uasr", 9, 2, Integer> {
    let Meaning = "dst <- a shifted right by b, copies of the sign in; all sign if b, read as unsigned, is the width or "
                  "more.";
  }
  let OtherSpellings = ["upass"] in
  def UPASSA : Operation<Alu, "upassa", 10, 1, Bits> { let Meaning = "dst <- a, every bit."; }
  let Reduces = 1 in {
    let Neutral = Least in
    def UMAX : Operation<Alu, "umax", 11, 2, Integer> {
      let Meaning = "dst <- the larger of a and b in two's complement.";
    }
    let Neutral = Greatest in
    def UMIN : Operation<Alu, "umin", 12, 2, Integer> {
      let Meaning = "dst <- the smaller of a and b in two's complement.";
    }
  }
  def ULZC : Operation<Alu, "ulzc", 13, 1, Bits> {
    let Meaning = "dst <- number of zero bits above the highest one of a; the width for 0.";
  }
}

let Origin = "R: Koike et al. 2009, section 2.2 (a read goes to all PEs of the block, a write comes from one)" in {
  let Function = "" in
  def BM : Operation<Bm, "bm", 1, 1, Bits> {
    let Meaning = "Moves words between BM and the PE: bm $lb0v dst loads (with @pe into one PE only), "
                  "bm src $lb0v @pe stores the words of one PE.";
  }
  def BmIdle : BmMode<"none", 0> { let Meaning = "No access."; }
  def BmRead : BmMode<"read", 1> { let Meaning = "A word goes to the PEs of the block, or to one."; }
  def BmWrite : BmMode<"write", 2> { let Meaning = "A word of one PE is stored."; }
}

// ---- how variables travel ----------------------------------------------------------------------------------------

let Origin = "R: names of the original assembler's record; meanings D" in {
  def XferNone : Transfer<"none", 0, ""> { let Meaning = "Stays in the PE or its block."; }
  def XferHlt : Transfer<"hlt", 1, "hlt"> { let Meaning = "i-data: host to PE, one value per vector element."; }
  def XferElt : Transfer<"elt", 2, "elt"> {
    let Meaning = "j-data: host to external memory, streamed into BM by the EIT.";
  }
  def XferRrn : Transfer<"rrn", 3, "rrn"> { let Meaning = "Result: PE to BM, through the reduction tree to the host."; }
}

let Origin = "D: Koike et al. 2009, section 2.4 (HET and OHT convert 64-bit host numbers); rounding and range rules O" in {
  def FLT64TO72 : Conversion<"flt64to72", 0, 0, 1, Long> {
    let Meaning = "double to long, exact; subnormals become zero.";
  }
  def FLT64TO36 : Conversion<"flt64to36", 1, 0, 1, Short> { let Meaning = "double to short, to nearest even."; }
  def FIX64TO72 : Conversion<"fix64to72", 2, 0, 0, Long> { let Meaning = "64-bit integer to long, sign extended."; }
  def FIX64TO36 : Conversion<"fix64to36", 3, 0, 0, Short> {
    let Meaning = "64-bit integer to short; refused out of range.";
  }
  def FLT72TO64 : Conversion<"flt72to64", 4, 1, 1, Long> { let Meaning = "long to double, to nearest even."; }
  def FLT36TO64 : Conversion<"flt36to64", 5, 1, 1, Short> { let Meaning = "short to double, exact."; }
  def FIX72TO64 : Conversion<"fix72to64", 6, 1, 0, Long> {
    let Meaning = "long to 64-bit integer; saturates and counts.";
  }
  def FIX36TO64 : Conversion<"fix36to64", 7, 1, 0, Short> { let Meaning = "short to 64-bit integer, sign extended."; }
  def NONE : Conversion<"none", 8, 0, 0, Long> {
    let Meaning = "The bits as they are, in both directions and for both widths; the upper 8 of a long word are zero.";
  }
}

include "word.td"
