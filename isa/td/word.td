// Layout of the instruction word: each run of bits, and the member of isa::Line it holds. Bit 0 is the least significant
// bit of the first 64-bit part of an encoded line. No field straddles two parts. Bits that no field names are reserved
// and must be zero.

let Origin = "O: the layout of the original word is not on record" in {

multiclass PredicateFields<string member, int lsb, string what> {
  def Flag : Field<member # ".flag", !add(lsb, 2), lsb, FlagNumber> {
    let Meaning = "Flag that gates " # what # "; 0: none.";
  }
  def Inverted : Field<member # ".inverted", !add(lsb, 3), !add(lsb, 3), Flag> {
    let Meaning = "The flag gates inverted.";
  }
  def Jvalid : Field<member # ".jvalid", !add(lsb, 4), !add(lsb, 4), Flag> {
    let Meaning = "Also gated by $jvalid of the block.";
  }
}

multiclass FlagWriteFields<string member, int lsb, string unit> {
  def Number : Field<member # ".flag", !add(lsb, 2), lsb, FlagNumber> {
    let Meaning = "Flag written from the " # unit # "'s result; 0: none.";
  }
  def Condition : Field<member # ".condition", !add(lsb, 4), !add(lsb, 3), ConditionValue> {
    let Meaning = "What the flag takes.";
  }
  defm Predicate : PredicateFields<member # ".predicate", !add(lsb, 5), "the " # unit # "'s flag write">;
}

// sequencer
def Vlen : Field<"vlen", 1, 0, Count> { let Meaning = "Elements that take part, 1 to 4."; }
def MaskFlag : Field<"mask.flag", 4, 2, FlagNumber> {
  let Meaning = "Flag that selects the elements which write; 0: all.";
}
def MaskInverted : Field<"mask.inverted", 5, 5, Flag> { let Meaning = "Elements whose flag is clear write."; }

// First GPR read port
def GprAAddress : Field<"gpr_a.address", 11, 6, Address<Gpr>> {
  let Meaning = "First GPR read port: short-word address of element 0.";
}
def GprAWidth : Field<"gpr_a.width", 12, 12, WidthBit> { let Meaning = "Word width read."; }
def GprAVector : Field<"gpr_a.vector", 13, 13, Flag> { let Meaning = "Address steps by one word per element."; }

// Second GPR read port
def GprBAddress : Field<"gpr_b.address", 19, 14, Address<Gpr>> {
  let Meaning = "Second GPR read port: short-word address of element 0.";
}
def GprBWidth : Field<"gpr_b.width", 20, 20, WidthBit> { let Meaning = "Word width read."; }
def GprBVector : Field<"gpr_b.vector", 21, 21, Flag> { let Meaning = "Address steps by one word per element."; }

// LM read port
def LmReadAddress : Field<"lm_read.address", 30, 22, Address<Lm>> {
  let Meaning = "LM read port: short-word address of element 0.";
}
def LmReadWidth : Field<"lm_read.width", 31, 31, WidthBit> { let Meaning = "Word width read."; }
def LmReadVector : Field<"lm_read.vector", 32, 32, Flag> { let Meaning = "Address steps by one word per element."; }
def LmReadIndirect : Field<"lm_read.indirect", 33, 33, Flag> {
  let Meaning = "T of the element is added to the address.";
}

// BM port
def BmMode : Field<"bm.mode", 35, 34, ModeValue> { let Meaning = "0 none, 1 read, 2 write."; }
def BmAddress : Field<"bm.address", 46, 36, Address<Bmem>> { let Meaning = "BM port: short-word address of element 0."; }
def BmWidth : Field<"bm.width", 47, 47, WidthBit> { let Meaning = "Word width moved."; }
def BmVector : Field<"bm.vector", 48, 48, Flag> { let Meaning = "Address steps by one word per element."; }
def BmRecord : Field<"bm.record", 49, 49, Flag> { let Meaning = "The address counts from the current j-record."; }
def BmStoreSource : Field<"bm.store_source", 53, 50, SourceValue> { let Meaning = "What a write stores."; }
def BmOnePe : Field<"bm.one_pe", 54, 54, Flag> { let Meaning = "Only PE bm.pe takes part."; }
def BmPe : Field<"bm.pe", 59, 55, PeNumber> { let Meaning = "The PE that stores, or that loads alone."; }

// T write port
def TWriteSource : Field<"t_write.source", 62, 60, UnitValue> {
  let Meaning = "T write port: unit whose result is written.";
}
defm TWritePredicate : PredicateFields<"t_write.predicate", 64, "T writes">;

// GPR write port
def GprWriteSource : Field<"gpr_write.source", 71, 69, UnitValue> {
  let Meaning = "GPR write port: unit whose result is written.";
}
def GprWriteAddress : Field<"gpr_write.address", 77, 72, Address<Gpr>> {
  let Meaning = "GPR write port: short-word address of element 0.";
}
def GprWriteVector : Field<"gpr_write.vector", 78, 78, Flag> { let Meaning = "Address steps by one word per element."; }
defm GprWritePredicate : PredicateFields<"gpr_write.predicate", 79, "GPR writes">;

// LM write port
def LmWriteSource : Field<"lm_write.source", 86, 84, UnitValue> {
  let Meaning = "LM write port: unit whose result is written.";
}
def LmWriteAddress : Field<"lm_write.address", 95, 87, Address<Lm>> {
  let Meaning = "LM write port: short-word address of element 0.";
}
def LmWriteVector : Field<"lm_write.vector", 96, 96, Flag> { let Meaning = "Address steps by one word per element."; }
def LmWriteIndirect : Field<"lm_write.indirect", 97, 97, Flag> {
  let Meaning = "T of the element is added to the address.";
}
defm LmWritePredicate : PredicateFields<"lm_write.predicate", 98, "LM writes">;

// Adder
def AdderOp : Field<"adder.op", 105, 103, Opcode<Adder>> { let Meaning = "Adder: operation; 0: none."; }
def AdderA : Field<"adder.a", 109, 106, SourceValue> { let Meaning = "First operand."; }
def AdderB : Field<"adder.b", 113, 110, SourceValue> { let Meaning = "Second operand."; }
def AdderNegateA : Field<"adder.negate_a", 114, 114, Flag> { let Meaning = "First operand negated."; }
def AdderNegateB : Field<"adder.negate_b", 115, 115, Flag> { let Meaning = "Second operand negated."; }
def AdderWidth : Field<"adder.width", 116, 116, WidthBit> { let Meaning = "Width of the destinations."; }
defm AdderFlag : FlagWriteFields<"adder.flag", 117, "adder">;

// Multiplier
def MultiplierOp : Field<"multiplier.op", 129, 128, Opcode<Multiplier>> {
  let Meaning = "Multiplier: operation; 0: none.";
}
def MultiplierA : Field<"multiplier.a", 133, 130, SourceValue> { let Meaning = "First operand."; }
def MultiplierB : Field<"multiplier.b", 137, 134, SourceValue> { let Meaning = "Second operand."; }
def MultiplierNegateA : Field<"multiplier.negate_a", 138, 138, Flag> { let Meaning = "First operand negated."; }
def MultiplierNegateB : Field<"multiplier.negate_b", 139, 139, Flag> { let Meaning = "Second operand negated."; }
def MultiplierWidth : Field<"multiplier.width", 140, 140, WidthBit> { let Meaning = "Width of the destinations."; }
defm MultiplierFlag : FlagWriteFields<"multiplier.flag", 141, "multiplier">;

// ALU
def AluOp : Field<"alu.op", 154, 151, Opcode<Alu>> { let Meaning = "ALU: operation; 0: none."; }
def AluA : Field<"alu.a", 158, 155, SourceValue> { let Meaning = "First operand."; }
def AluB : Field<"alu.b", 162, 159, SourceValue> { let Meaning = "Second operand."; }
def AluWidth : Field<"alu.width", 163, 163, WidthBit> { let Meaning = "Width of the destinations and operands."; }
defm AluFlag : FlagWriteFields<"alu.flag", 164, "ALU">;

// immediate
def ImmediateWidth : Field<"immediate.width", 174, 174, WidthBit> { let Meaning = "Width of the immediate."; }
def ImmediateValueHigh : Field<"immediate.value.high", 255, 192, HighBits> {
  let Meaning = "Bits 71..8 of the immediate; a short one stands in bits 71..36.";
}
def ImmediateValueLow : Field<"immediate.value.low", 263, 256, LowBits> { let Meaning = "Bits 7..0 of the immediate."; }

}  // Origin
