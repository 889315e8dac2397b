// Classes of the records that describe the microinstruction set. The generator (isa/generator) turns the records into
// enums, tables, encoder, decoder, printer tables, parser tables, tests and the ISA chapter of the documentation.
//
// Every record that is Described carries an Origin:
//   "R: ..." on record, with publication and place;  "D: ..." derived, with the derivation;
//   "O: ..." ours, because the record is silent.

class Described {
  string Meaning = ?;
  string Origin = ?;
}

// The instruction set as a whole; object files carry Version.
class InstructionSet<int version, int word_bits, int clocks_per_line> : Described {
  int Version = version;
  int WordBits = word_bits;
  int ClocksPerLine = clocks_per_line;
}

// A number that the chip is built with. What may differ from board to board (chips, clock, rates, what waits where)
// stands in the board's description, machines/*.toml.
class Constant<string name, int value> : Described {
  string Name = name;
  int Value = value;
}

// ---- words and numbers -------------------------------------------------------------------------------------------

class NumberKind<string name> { string Name = name; }
def FloatingPoint : NumberKind<"floating_point">;
def Integer : NumberKind<"integer">;
def Bits : NumberKind<"bits">;

class WordWidth<string name> { string Name = name; }
def Long : WordWidth<"long">;
def Short : WordWidth<"short">;

// ---- parts of the machine ----------------------------------------------------------------------------------------

// A part of the PE that takes an instruction slot. Latencies are in lines: a result written in line k can be read in
// line k + latency.
class Unit<string name, int value, list<NumberKind> kinds> : Described {
  string Name = name;
  int Value = value;
  list<NumberKind> Kinds = kinds;  // of its operations
  bit InTreeNodes = 0;             // a node of the reduction tree has such a unit, too
  int ForwardLatency = ?;          // through T
  int RegisterLatency = ?;         // through GPR, LM, BM or a flag
}

// A memory of the PE or of its block; sizes are in short words.
class Storage<string name, string prefix, int short_words, int read_ports, int write_ports> : Described {
  string Name = name;
  string Prefix = prefix;  // of a register operand in assembly text
  int ShortWords = short_words;
  int ReadPorts = read_ports;
  int WritePorts = write_ports;
}

// Where a unit takes an operand from; a value of the slots' source fields. Text is the assembly spelling, empty where
// the spelling is built from a port's address.
class Source<string name, int value, string text = ""> : Described {
  string Name = name;
  int Value = value;
  string Text = text;
}

// What a flag register takes from a unit's result; Suffix follows the flag's name in assembly text.
class Condition<string name, int value, string suffix> : Described {
  string Name = name;
  int Value = value;
  string Suffix = suffix;
}

// ---- operations --------------------------------------------------------------------------------------------------

// What a reduction leaves as it is: identity op x = x for every x in canonical form.
class Identity<string name> { string Name = name; }
def NoIdentity : Identity<"none">;
def Zero : Identity<"zero">;          // the word of zeros
def AllOnes : Identity<"all_ones">;   // the word of ones
def Least : Identity<"least">;        // minus infinity, or the smallest integer
def Greatest : Identity<"greatest">;  // plus infinity, or the largest integer

// Opcode 0 of every slot.
class NoOperation<string mnemonic> : Described {
  string Mnemonic = mnemonic;
  list<string> OtherSpellings = [];  // that the assembler takes, too
}

// One operation of a unit.
class Operation<Unit unit, string mnemonic, int opcode, int sources, NumberKind kind> : Described {
  Unit Steers = unit;
  string Mnemonic = mnemonic;
  list<string> OtherSpellings = [];
  int Opcode = opcode;
  int Sources = sources;
  NumberKind Kind = kind;
  string Function = mnemonic;        // what the emulator calls its meaning; of one without a result of its own: ""
  bit HasDestination = 1;
  bit SecondSourceIsShort = 0;       // the multiplier's narrow port
  bit ClaimsAdder = 0;
  bit WritesCarry = 0;
  bit EqualSourcesDefine = 0;        // x op x is the same word for every x
  Operation FirstHalf = ?;           // the operation of the line before, of which this one completes the product
  bit Reduces = 0;                   // available in the nodes of the reduction tree
  Identity Neutral = NoIdentity;     // of a reduction
}

// ---- the assembly language ---------------------------------------------------------------------------------------

// A word of the language that names no record. Role: where it stands.
class WordRole<string name> { string Name = name; }
def StatementWord : WordRole<"statement">;  // begins a statement
def ItemWord : WordRole<"item">;            // begins an item of a line of code
def AttributeWord : WordRole<"attribute">;  // stands in a declaration
def RegisterWord : WordRole<"register_name">;  // behind `$`
class Word<string text, WordRole role> {
  string Text = text;
  WordRole Role = role;
}

// ---- the instruction word ----------------------------------------------------------------------------------------

// How a field's bits are read back.
class FieldType<string name> { string Name = name; }
def Flag : FieldType<"flag">;              // one bit
def Count : FieldType<"count">;            // stored less one
def WidthBit : FieldType<"width">;         // 1 = long
def UnitValue : FieldType<"unit">;
def SourceValue : FieldType<"source">;
def ConditionValue : FieldType<"condition">;
def ModeValue : FieldType<"bm_mode">;
def FlagNumber : FieldType<"flag_number">;  // 0: none
def HighBits : FieldType<"immediate_high">;
def LowBits : FieldType<"immediate_low">;
def PeNumber : FieldType<"pe_number">;
class Address<Storage memory> : FieldType<"address"> { Storage Memory = memory; }  // in short words
class Opcode<Unit unit> : FieldType<"opcode"> { Unit Steers = unit; }

// A run of bits of the instruction word, and the member of isa::Line that it holds.
class Field<string member, int msb, int lsb, FieldType type> : Described {
  string Member = member;
  int Msb = msb;
  int Lsb = lsb;
  FieldType Type = type;
}

// What the block's BM port does in a line.
class BmMode<string name, int value> : Described {
  string Name = name;
  int Value = value;
}

// ---- how data travels --------------------------------------------------------------------------------------------

// How a host value becomes a word, or a word a host value.
class Conversion<string name, int value, bit to_host, bit floating, WordWidth width> : Described {
  string Name = name;
  int Value = value;
  bit ToHost = to_host;
  bit Floating = floating;
  WordWidth Width = width;
}

// How a variable travels.
class Transfer<string name, int value, string mnemonic> : Described {
  string Name = name;
  int Value = value;
  string Mnemonic = mnemonic;
}
