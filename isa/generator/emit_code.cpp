// Writes the C++ side: enums, constants, tables, and the encoder and decoder of fields.
#include "generator.h"
#include "llvm/ADT/StringExtras.h"

namespace gdr::generator {
namespace {

using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

constexpr StringRef kNotice = "// Generated from isa/td by gdr-tablegen; do not edit.\n";

std::string quoted(StringRef text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

StringRef boolean(bool value) { return value ? "true" : "false"; }

std::string camel(StringRef name) {
  std::string out;
  llvm::SmallVector<StringRef> parts;
  name.split(parts, '_');
  for (const StringRef part : parts) out += part.substr(0, 1).upper() + part.substr(1).str();
  return out;
}

/// enum class NAME { enumerators with their codes };
void emit_enum(raw_ostream& out, const RecordKeeper& keeper, StringRef name, StringRef class_name,
               StringRef first = "") {
  out << "enum class " << name << " : std::uint8_t {\n";
  if (!first.empty()) out << "  " << first << " = 0,\n";
  for (const Record* record : records_of(keeper, class_name)) {
    out << "  " << enumerator(*record) << " = " << record->getValueAsInt("Value") << ",  // "
        << record->getValueAsString("Meaning") << "\n";
  }
  out << "};\n\n";
}

void emit_operations_enum(raw_ostream& out, const RecordKeeper& keeper) {
  out << "/// Every operation of every unit; NOP leaves a unit idle.\nenum class Op : std::uint8_t {\n  NOP = 0,\n";
  for (const Record* op : records_of(keeper, "Operation")) {
    out << "  " << enumerator(*op) << ",  // " << op->getValueAsString("Meaning") << "\n";
  }
  out << "};\n\n";
}

void emit_constants(raw_ostream& out, const RecordKeeper& keeper) {
  const Record& set = *records_of(keeper, "InstructionSet").front();
  out << "/// Version of the instruction set; object files carry it.\n"
      << "inline constexpr std::uint32_t kIsaVersion = " << set.getValueAsInt("Version") << ";\n"
      << "inline constexpr std::size_t kInstructionBits = " << set.getValueAsInt("WordBits") << ";\n"
      << "/// Chip clocks of one line, whatever its vector length.\n"
      << "inline constexpr unsigned kClocksPerLine = " << set.getValueAsInt("ClocksPerLine") << ";\n\n";
  for (const Record* storage : records_of(keeper, "Storage")) {
    const std::string name = camel(storage->getValueAsString("Name"));
    out << "// " << storage->getValueAsString("Meaning") << "\n"
        << "inline constexpr unsigned k" << name << "ShortWords = " << storage->getValueAsInt("ShortWords") << ";\n"
        << "inline constexpr unsigned k" << name << "ReadPorts = " << storage->getValueAsInt("ReadPorts") << ";\n"
        << "inline constexpr unsigned k" << name << "WritePorts = " << storage->getValueAsInt("WritePorts") << ";\n"
        << "inline constexpr std::string_view k" << name << "Prefix = " << quoted(storage->getValueAsString("Prefix"))
        << ";\n";
  }
  out << "\n";
}

struct FieldAccess {
  std::string encode;  // statement that takes the member's bits, or throws
  std::string decode;  // statement that sets the member from `bits`
};

FieldAccess access_to(const Record& field) {
  const std::string name = quoted(field.getValueAsString("Member"));
  const std::string member = "line." + field.getValueAsString("Member").str();
  const std::string type = field.getValueAsDef("Type")->getValueAsString("Name").str();
  const std::int64_t width = field.getValueAsInt("Msb") - field.getValueAsInt("Lsb") + 1;
  const std::string all_ones = "0x" + llvm::utohexstr(~std::uint64_t{0} >> (64 - width), true) + "u";
  const auto checked = [&](const std::string& value, const std::string& least, const std::string& most) {
    return "bits = checked(" + name + ", " + value + ", " + least + ", " + most + ");";
  };
  const auto number = [&](const std::string& cpp) {
    return FieldAccess{checked("std::uint64_t{" + member + "}", "0", all_ones),
                       member + " = static_cast<" + cpp + ">(bits);"};
  };
  const auto code = [&](const std::string& cpp, const std::string& most) {
    return FieldAccess{checked("static_cast<std::uint64_t>(" + member + ")", "0", most),
                       "if (bits > " + most + ") return undefined(" + name + ", bits);\n    " + member +
                           " = static_cast<" + cpp + ">(bits);"};
  };
  if (type == "number") return number("decltype(" + member + ")");
  if (type == "flag") return {"bits = std::uint64_t{" + member + "};", member + " = bits != 0;"};
  if (type == "count") {
    return {checked("std::uint64_t{" + member + "}", "1", all_ones + " + 1") + " --bits;",
            member + " = static_cast<std::uint8_t>(bits + 1);"};
  }
  if (type == "width") {
    return {"bits = std::uint64_t{" + member + " == Width::long_word};",
            member + " = bits != 0 ? Width::long_word : Width::short_word;"};
  }
  if (type == "unit") return code("Unit", "kUnits");
  if (type == "source") return code("Source", "kSources - 1");
  if (type == "condition") return code("Condition", "kConditions - 1");
  if (type == "bm_mode") return code("BmMode", "2");
  if (type == "flag_number") return code("std::uint8_t", "kFlags");
  if (type == "immediate high") return number("std::uint64_t");
  if (type == "immediate low") return number("std::uint8_t");
  const std::string unit = "Unit::" + StringRef(type).split(' ').first.str();
  return {"bits = checked_opcode(" + name + ", " + unit + ", " + member + ");",
          "if (!op_from(" + unit + ", bits)) return undefined(" + name + ", bits);\n    " + member + " = *op_from(" +
              unit + ", bits);"};
}

void emit_codec(raw_ostream& out, const RecordKeeper& keeper) {
  const auto fields = records_of(keeper, "Field");
  out << "InstructionWord encode(const Line& line) {\n  InstructionWord word;\n  std::uint64_t bits = 0;\n";
  for (const Record* field : fields) {
    const std::int64_t lsb = field->getValueAsInt("Lsb");
    out << "  " << access_to(*field).encode << "\n  word.parts[" << lsb / 64 << "] |= bits << " << lsb % 64 << ";\n";
  }
  out << "  return word;\n}\n\n";

  std::map<std::int64_t, std::uint64_t> used;
  for (const Record* field : fields) {
    const std::int64_t lsb = field->getValueAsInt("Lsb");
    const std::int64_t width = field->getValueAsInt("Msb") - lsb + 1;
    used[lsb / 64] |= (width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1) << (lsb % 64);
  }
  out << "DecodeResult decode_fields(const InstructionWord& word) {\n  Line line;\n";
  const std::int64_t parts = records_of(keeper, "InstructionSet").front()->getValueAsInt("WordBits") / 64;
  for (std::int64_t part = 0; part < parts; ++part) {
    if (~used[part] != 0) {
      out << "  if ((word.parts[" << part << "] & 0x" << llvm::utohexstr(~used[part], true)
          << "u) != 0) return {std::nullopt, \"a reserved bit of part " << part << " is set\"};\n";
    }
  }
  for (const Record* field : fields) {
    const std::int64_t lsb = field->getValueAsInt("Lsb");
    const std::int64_t width = field->getValueAsInt("Msb") - lsb + 1;
    out << "  {\n    const std::uint64_t bits = ";
    if (width == 64) {
      out << "word.parts[" << lsb / 64 << "];\n";
    } else {
      out << "(word.parts[" << lsb / 64 << "] >> " << lsb % 64 << ") & " << ((std::uint64_t{1} << width) - 1) << "u;\n";
    }
    out << "    " << access_to(*field).decode << "\n  }\n";
  }
  out << "  return {line, {}};\n}\n\n";
}

void emit_name_function(raw_ostream& out, const RecordKeeper& keeper, StringRef type, StringRef class_name,
                        StringRef text_field) {
  out << "std::string_view name_of(" << type << " value) {\n  switch (value) {\n";
  for (const Record* record : records_of(keeper, class_name)) {
    out << "    case " << type << "::" << enumerator(*record) << ": return "
        << quoted(record->getValueAsString(text_field)) << ";\n";
  }
  if (class_name == "Unit") out << "    case Unit::none: break;\n";
  out << "  }\n  return \"\";\n}\n\n";
}

}  // namespace

void emit_header(raw_ostream& out, const RecordKeeper& keeper) {
  out << kNotice
      << "// The instruction set as enums, constants and tables; the records say where each entry comes from.\n"
      << "#pragma once\n\n#include <cstddef>\n#include <cstdint>\n#include <optional>\n#include <span>\n"
      << "#include <string_view>\n\n#include \"gdr/isa/word.h\"\n\nnamespace gdr::isa {\n\n";
  emit_constants(out, keeper);
  emit_enum(out, keeper, "Unit", "Unit", "none");
  emit_enum(out, keeper, "Source", "Source");
  emit_enum(out, keeper, "Condition", "Condition");
  emit_enum(out, keeper, "Conversion", "Conversion");
  emit_enum(out, keeper, "Transfer", "Transfer");
  emit_operations_enum(out, keeper);
  out << "inline constexpr unsigned kUnits = " << records_of(keeper, "Unit").size() << ";\n"
      << "inline constexpr unsigned kSources = " << records_of(keeper, "Source").size() << ";\n"
      << "inline constexpr unsigned kConditions = " << records_of(keeper, "Condition").size() << ";\n"
      << "/// Flag registers of a PE, per vector element; numbered from 1.\ninline constexpr unsigned kFlags = 4;\n"
      << "/// Elements of a vector operand.\ninline constexpr unsigned kVectorElements = 4;\n\n"
      << R"(enum class NumberKind : std::uint8_t { floating_point, integer, bits };

struct OperationInfo {
  Op op;
  Unit unit;
  std::string_view mnemonic;
  std::uint8_t opcode;  // in the unit's slot
  std::uint8_t sources;
  NumberKind kind;
  bool has_destination;
  bool second_source_is_short;
  bool claims_adder;
  bool writes_carry;
  bool reduces;  // available in the nodes of the reduction tree
  std::string_view meaning;
  std::string_view origin;
};

struct UnitInfo {
  Unit unit;
  std::string_view name;
  unsigned forward_latency;   // lines until a result can be read through T
  unsigned register_latency;  // lines until it can be read through GPR, LM, BM or a flag
  std::string_view meaning;
};

struct FieldInfo {
  std::string_view member;  // of Line
  std::uint16_t msb;
  std::uint16_t lsb;
  std::string_view meaning;
};

struct ConversionInfo {
  Conversion conversion;
  std::string_view name;
  bool to_host;   // word to host value, else host value to word
  bool floating;  // double, else 64-bit integer
  Width width;
  std::string_view meaning;
};

struct ConditionInfo {
  Condition condition;
  std::string_view name;
  std::string_view suffix;  // after the flag's name in assembly text
};

/// All records of a kind, in the order of the description; the operations without NOP.
[[nodiscard]] std::span<const OperationInfo> operations();
[[nodiscard]] std::span<const UnitInfo> units();
[[nodiscard]] std::span<const FieldInfo> fields();
[[nodiscard]] std::span<const ConversionInfo> conversions();
[[nodiscard]] std::span<const ConditionInfo> conditions();

[[nodiscard]] const OperationInfo& info_of(Op op);
[[nodiscard]] const UnitInfo& info_of(Unit unit);
[[nodiscard]] const ConversionInfo& info_of(Conversion conversion);
[[nodiscard]] const ConditionInfo& info_of(Condition condition);

[[nodiscard]] std::string_view name_of(Unit unit);
/// Assembly text of a source that has no port (`$peid`), else empty.
[[nodiscard]] std::string_view name_of(Source source);
/// As in a declaration (`elt`), empty for none.
[[nodiscard]] std::string_view name_of(Transfer transfer);

/// The operation of this opcode in a unit's slot; 0 is NOP; nothing if undefined.
[[nodiscard]] std::optional<Op> op_from(Unit unit, std::uint64_t opcode);
/// The operation of this mnemonic, or nothing.
[[nodiscard]] std::optional<Op> op_named(std::string_view mnemonic);
[[nodiscard]] std::optional<Conversion> conversion_named(std::string_view name);
[[nodiscard]] std::optional<Transfer> transfer_named(std::string_view name);

}  // namespace gdr::isa
)";
}

void emit_tables(raw_ostream& out, const RecordKeeper& keeper) {
  out << kNotice << "#include <algorithm>\n#include <array>\n#include <string>\n\n#include \"fields.h\"\n"
      << "#include \"gdr/base/error.h\"\n#include \"gdr/isa/isa.h\"\n#include \"gdr/isa/line.h\"\n\n"
      << "namespace gdr::isa {\nnamespace {\n\n";
  out << "constexpr OperationInfo kNop{Op::NOP, Unit::none, \"nop\", 0, 0, NumberKind::bits, false, false, false, "
         "false, false, \"Nothing.\", \"\"};\n\n";
  const auto operations = records_of(keeper, "Operation");
  out << "constexpr std::array<OperationInfo, " << operations.size() << "> kOperations{{\n";
  for (const Record* op : operations) {
    out << "    {Op::" << enumerator(*op) << ", Unit::" << enumerator(*op->getValueAsDef("Steers")) << ", "
        << quoted(op->getValueAsString("Mnemonic")) << ", " << op->getValueAsInt("Opcode") << ", "
        << op->getValueAsInt("Sources") << ", NumberKind::" << op->getValueAsDef("Kind")->getValueAsString("Name");
    for (const char* bit : {"HasDestination", "SecondSourceIsShort", "ClaimsAdder", "WritesCarry", "Reduces"}) {
      out << ", " << boolean(op->getValueAsBit(bit));
    }
    out << ",\n     " << quoted(op->getValueAsString("Meaning")) << ",\n     " << quoted(op->getValueAsString("Origin"))
        << "},\n";
  }
  out << "}};\n\n";
  const auto units = records_of(keeper, "Unit");
  out << "constexpr std::array<UnitInfo, " << units.size() << "> kUnitInfos{{\n";
  for (const Record* unit : units) {
    out << "    {Unit::" << enumerator(*unit) << ", " << quoted(unit->getValueAsString("Name")) << ", "
        << unit->getValueAsInt("ForwardLatency") << ", " << unit->getValueAsInt("RegisterLatency") << ", "
        << quoted(unit->getValueAsString("Meaning")) << "},\n";
  }
  out << "}};\n\n";
  const auto fields = records_of(keeper, "Field");
  out << "constexpr std::array<FieldInfo, " << fields.size() << "> kFields{{\n";
  for (const Record* field : fields) {
    out << "    {" << quoted(field->getValueAsString("Member")) << ", " << field->getValueAsInt("Msb") << ", "
        << field->getValueAsInt("Lsb") << ", " << quoted(field->getValueAsString("Meaning")) << "},\n";
  }
  out << "}};\n\n";
  const auto conversions = records_of(keeper, "Conversion");
  out << "constexpr std::array<ConversionInfo, " << conversions.size() << "> kConversions{{\n";
  for (const Record* conversion : conversions) {
    out << "    {Conversion::" << enumerator(*conversion) << ", " << quoted(conversion->getValueAsString("Name"))
        << ", " << boolean(conversion->getValueAsBit("ToHost")) << ", "
        << boolean(conversion->getValueAsBit("Floating")) << ", Width::" << conversion->getValueAsString("Width")
        << "_word, " << quoted(conversion->getValueAsString("Meaning")) << "},\n";
  }
  out << "}};\n\n";
  const auto conditions = records_of(keeper, "Condition");
  out << "constexpr std::array<ConditionInfo, " << conditions.size() << "> kConditionInfos{{\n";
  for (const Record* condition : conditions) {
    out << "    {Condition::" << enumerator(*condition) << ", " << quoted(condition->getValueAsString("Name")) << ", "
        << quoted(condition->getValueAsString("Suffix")) << "},\n";
  }
  out << "}};\n\n";
  out << R"(DecodeResult undefined(std::string_view member, std::uint64_t bits) {
  return {std::nullopt, "field " + std::string(member) + " holds the undefined code " + std::to_string(bits)};
}

/// The value, if the field takes it.
std::uint64_t checked(std::string_view member, std::uint64_t value, std::uint64_t least, std::uint64_t most) {
  if (value >= least && value <= most) return value;
  throw Error("encode: field " + std::string(member) + " takes " + std::to_string(least) + " to " +
              std::to_string(most) + ", not " + std::to_string(value));
}

/// The operation's code, if it is one of the unit's.
std::uint64_t checked_opcode(std::string_view member, Unit unit, Op op) {
  const std::size_t number = static_cast<std::size_t>(op);
  if (op == Op::NOP) return 0;
  if (number > kOperations.size()) {
    throw Error("encode: field " + std::string(member) + " takes operations 0 to " +
                std::to_string(kOperations.size()) + ", not " + std::to_string(number));
  }
  const OperationInfo& info = kOperations[number - 1];
  if (info.unit == unit) return info.opcode;
  throw Error("encode: field " + std::string(member) + " takes operations of the " + std::string(name_of(unit)) +
              ", not " + std::string(info.mnemonic) + " of the " + std::string(name_of(info.unit)));
}

}  // namespace

std::span<const OperationInfo> operations() { return kOperations; }
std::span<const UnitInfo> units() { return kUnitInfos; }
std::span<const FieldInfo> fields() { return kFields; }
std::span<const ConversionInfo> conversions() { return kConversions; }
std::span<const ConditionInfo> conditions() { return kConditionInfos; }

const OperationInfo& info_of(Op op) {
  return op == Op::NOP ? kNop : kOperations[static_cast<std::size_t>(op) - 1];
}
const UnitInfo& info_of(Unit unit) {
  return *std::find_if(kUnitInfos.begin(), kUnitInfos.end(), [&](const UnitInfo& info) { return info.unit == unit; });
}
const ConversionInfo& info_of(Conversion conversion) { return kConversions[static_cast<std::size_t>(conversion)]; }
const ConditionInfo& info_of(Condition condition) { return kConditionInfos[static_cast<std::size_t>(condition)]; }

std::optional<Op> op_from(Unit unit, std::uint64_t opcode) {
  if (opcode == 0) return Op::NOP;
  for (const OperationInfo& info : kOperations) {
    if (info.unit == unit && info.opcode == opcode) return info.op;
  }
  return std::nullopt;
}

std::optional<Op> op_named(std::string_view mnemonic) {
  if (mnemonic == kNop.mnemonic) return Op::NOP;
  for (const OperationInfo& info : kOperations) {
    if (info.mnemonic == mnemonic) return info.op;
  }
  return std::nullopt;
}

std::optional<Conversion> conversion_named(std::string_view name) {
  for (const ConversionInfo& info : kConversions) {
    if (info.name == name) return info.conversion;
  }
  return std::nullopt;
}

std::optional<Transfer> transfer_named(std::string_view name) {
)";
  for (const Record* transfer : records_of(keeper, "Transfer")) {
    out << "  if (name == " << quoted(transfer->getValueAsString("Mnemonic"))
        << ") return Transfer::" << enumerator(*transfer) << ";\n";
  }
  out << "  return std::nullopt;\n}\n\n";
  emit_name_function(out, keeper, "Unit", "Unit", "Name");
  emit_name_function(out, keeper, "Source", "Source", "Text");
  emit_name_function(out, keeper, "Transfer", "Transfer", "Mnemonic");
  emit_codec(out, keeper);
  out << "}  // namespace gdr::isa\n";
}

void emit_tests(raw_ostream& out, const RecordKeeper& keeper) {
  out << kNotice << "// One test per record; round_trip() stands in the file that includes this one.\n\n";
  for (const Record* op : records_of(keeper, "Operation")) {
    out << "TEST(RoundTrip, " << enumerator(*op) << ") { round_trip(gdr::isa::Op::" << enumerator(*op) << "); }\n";
  }
  for (const Record* field : records_of(keeper, "Field")) {
    out << "TEST(FieldRoundTrip, " << field->getName() << ") { field_round_trip("
        << quoted(field->getValueAsString("Member")) << ", " << field->getValueAsInt("Msb") << ", "
        << field->getValueAsInt("Lsb") << "); }\n";
  }
}

}  // namespace gdr::generator
