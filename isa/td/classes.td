// Classes of the records that describe the microinstruction set. The generator (isa/generator) turns the records into
// enums, tables, encoder, decoder, printer tables, parser tables, tests and the ISA chapter of the documentation.
//
// Every record carries an Origin:
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

// A part of the PE that takes an instruction slot. Latencies are in lines: a result written in line k can be read in
// line k + latency.
class Unit<string name, int value> : Described {
  string Name = name;
  int Value = value;
  int ForwardLatency = ?;   // through T
  int RegisterLatency = ?;  // through GPR, LM, BM or a flag
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

class NumberKind<string name> { string Name = name; }
def FloatingPoint : NumberKind<"floating_point">;
def Integer : NumberKind<"integer">;
def Bits : NumberKind<"bits">;

// One operation of a unit. Opcode 0 of every slot is "no operation".
class Operation<Unit unit, string mnemonic, int opcode, int sources, NumberKind kind> : Described {
  Unit Steers = unit;
  string Mnemonic = mnemonic;
  int Opcode = opcode;
  int Sources = sources;
  NumberKind Kind = kind;
  bit HasDestination = 1;
  bit SecondSourceIsShort = 0;  // the multiplier's narrow port
  bit ClaimsAdder = 0;
  bit WritesCarry = 0;
  bit Reduces = 0;  // available in the nodes of the reduction tree
}

// How a field's bits are read back.
class FieldType<string name> { string Name = name; }
def Number : FieldType<"number">;          // unsigned
def Flag : FieldType<"flag">;              // one bit
def Count : FieldType<"count">;            // stored less one
def WidthBit : FieldType<"width">;         // 1 = long
def UnitValue : FieldType<"unit">;
def SourceValue : FieldType<"source">;
def ConditionValue : FieldType<"condition">;
def ModeValue : FieldType<"bm_mode">;
def FlagNumber : FieldType<"flag_number">;  // 0 none, 1..4
def AdderOpcode : FieldType<"adder opcode">;
def MultiplierOpcode : FieldType<"multiplier opcode">;
def AluOpcode : FieldType<"alu opcode">;
def HighBits : FieldType<"immediate high">;
def LowBits : FieldType<"immediate low">;

// A run of bits of the instruction word, and the member of isa::Line that it holds.
class Field<string member, int msb, int lsb, FieldType type> : Described {
  string Member = member;
  int Msb = msb;
  int Lsb = lsb;
  FieldType Type = type;
}

// How a host value becomes a word, or a word a host value.
class Conversion<string name, int value, bit to_host, bit floating, string width> : Described {
  string Name = name;
  int Value = value;
  bit ToHost = to_host;
  bit Floating = floating;
  string Width = width;
}

// How a variable travels.
class Transfer<string name, int value, string mnemonic> : Described {
  string Name = name;
  int Value = value;
  string Mnemonic = mnemonic;
}
