// Writes the tables behind isa.h, and the tests of single records.
#include "emit.h"
#include "generator.h"
#include "llvm/ADT/StringExtras.h"

namespace gdr::generator {
namespace {

/// constexpr std::array<TYPE, n> NAME{{ ... }} with one entry, written by `entry`, for each record of a class.
template <class Entry>
void emit_table(raw_ostream& out, const RecordKeeper& keeper, StringRef class_name, StringRef type, StringRef name,
                Entry entry) {
  const auto records = records_of(keeper, class_name);
  out << "constexpr std::array<" << type << ", " << records.size() << "> " << name << "{{\n";
  for (const Record* record : records) {
    out << "    {";
    entry(*record);
    out << "},\n";
  }
  out << "}};\n\n";
}

void emit_record_tables(raw_ostream& out, const RecordKeeper& keeper) {
  emit_table(out, keeper, "Unit", "UnitInfo", "kUnitInfos", [&](const Record& unit) {
    out << "Unit::" << enumerator(unit) << ", " << quoted(unit.getValueAsString("Name")) << ", "
        << unit.getValueAsInt("ForwardLatency") << ", " << unit.getValueAsInt("RegisterLatency") << ", "
        << quoted(unit.getValueAsString("Meaning"));
  });
  emit_table(out, keeper, "Field", "FieldInfo", "kFields", [&](const Record& field) {
    out << quoted(field.getValueAsString("Member")) << ", " << field.getValueAsInt("Msb") << ", "
        << field.getValueAsInt("Lsb") << ", " << quoted(field.getValueAsString("Meaning"));
  });
  emit_table(out, keeper, "Conversion", "ConversionInfo", "kConversions", [&](const Record& conversion) {
    out << "Conversion::" << enumerator(conversion) << ", " << quoted(conversion.getValueAsString("Name")) << ", "
        << boolean(conversion.getValueAsBit("ToHost")) << ", " << boolean(conversion.getValueAsBit("Floating"))
        << ", Width::" << name_in(conversion, "Width") << "_word, " << quoted(conversion.getValueAsString("Meaning"));
  });
  emit_table(out, keeper, "Condition", "ConditionInfo", "kConditionInfos", [&](const Record& condition) {
    out << "Condition::" << enumerator(condition) << ", " << quoted(condition.getValueAsString("Name")) << ", "
        << quoted(condition.getValueAsString("Suffix"));
  });
}

/// Other spellings than mnemonics.
void emit_spellings(raw_ostream& out, const RecordKeeper& keeper) {
  out << "constexpr std::pair<std::string_view, Op> kOtherSpellings[]{\n";
  for (const char* class_name : {"NoOperation", "Operation"}) {
    for (const Record* op : records_of(keeper, class_name)) {
      for (const StringRef other : op->getValueAsListOfStrings("OtherSpellings")) {
        out << "    {" << quoted(other) << ", Op::" << op->getName() << "},\n";
      }
    }
  }
  out << "};\n\n";
}

void emit_words(raw_ostream& out, const RecordKeeper& keeper) {
  out << "std::span<const std::string_view> language_words(WordRole role) {\n  switch (role) {\n";
  for (const Record* role : records_of(keeper, "WordRole")) {
    const StringRef name = role->getValueAsString("Name");
    out << "    case WordRole::" << name << ": {\n      static constexpr std::string_view kWords[]{";
    llvm::ListSeparator comma;
    for (const Record* word : records_of(keeper, "Word")) {
      if (word->getValueAsDef("Role") == role) out << comma << quoted(word->getValueAsString("Text"));
    }
    out << "};\n      return kWords;\n    }\n";
  }
  out << "  }\n  return {};\n}\n\n";
}

void emit_name_function(raw_ostream& out, const RecordKeeper& keeper, StringRef type, StringRef text_field) {
  out << "std::string_view name_of(" << type << " value) {\n"
      << "  // NOLINTBEGIN(bugprone-branch-clone): several values have no name\n  switch (value) {\n";
  for (const Record* record : records_of(keeper, type)) {
    out << "    case " << type << "::" << enumerator(*record) << ": return "
        << quoted(record->getValueAsString(text_field)) << ";\n";
  }
  if (type == "Unit") out << "    case Unit::none: break;\n";
  out << "  }\n  // NOLINTEND(bugprone-branch-clone)\n  return \"\";\n}\n\n";
}

void emit_transfer_named(raw_ostream& out, const RecordKeeper& keeper) {
  out << "std::optional<Transfer> transfer_named(std::string_view name) {\n";
  for (const Record* transfer : records_of(keeper, "Transfer")) {
    const StringRef mnemonic = transfer->getValueAsString("Mnemonic");
    out << "  if (" << (mnemonic.empty() ? "name.empty()" : "name == " + quoted(mnemonic))
        << ") return Transfer::" << enumerator(*transfer) << ";\n";
  }
  out << "  return std::nullopt;\n}\n\n";
}

constexpr StringRef kPrivate = R"(DecodeResult undefined(std::string_view member, std::uint64_t bits) {
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
  if (number >= kOperations.size()) {
    throw Error("encode: field " + std::string(member) + " takes operations 0 to " +
                std::to_string(kOperations.size() - 1) + ", not " + std::to_string(number));
  }
  const OperationInfo& info = info_of(op);
  if (info.unit == unit) return info.opcode;
  throw Error("encode: field " + std::string(member) + " takes operations of the " + std::string(name_of(unit)) +
              ", not " + std::string(info.mnemonic) + " of the " + std::string(name_of(info.unit)));
}

}  // namespace

)";

constexpr StringRef kFunctions = R"(std::span<const UnitInfo> units() { return kUnitInfos; }
std::span<const FieldInfo> fields() { return kFields; }
std::span<const ConversionInfo> conversions() { return kConversions; }
std::span<const ConditionInfo> conditions() { return kConditionInfos; }

const UnitInfo& info_of(Unit unit) {
  GDR_ASSERT(unit != Unit::none, "only units are asked for what is known of them");
  return kUnitInfos[static_cast<std::size_t>(unit) - 1];
}
const ConversionInfo& info_of(Conversion conversion) { return kConversions[static_cast<std::size_t>(conversion)]; }
const ConditionInfo& info_of(Condition condition) { return kConditionInfos[static_cast<std::size_t>(condition)]; }

std::optional<Op> op_from(Unit unit, std::uint64_t opcode) {
  if (opcode == 0) return Op::NOP;
  for (const OperationInfo& info : operations()) {
    if (info.unit == unit && info.opcode == opcode) return info.op;
  }
  return std::nullopt;
}

std::optional<Op> op_named(std::string_view mnemonic) {
  for (const OperationInfo& info : kOperations) {
    if (info.mnemonic == mnemonic) return info.op;
  }
  for (const auto& [spelling, op] : kOtherSpellings) {
    if (spelling == mnemonic) return op;
  }
  return std::nullopt;
}

std::optional<Conversion> conversion_named(std::string_view name) {
  for (const ConversionInfo& info : kConversions) {
    if (info.name == name) return info.conversion;
  }
  return std::nullopt;
}

)";

}  // namespace

void emit_tables(raw_ostream& out, const RecordKeeper& keeper) {
  out << kNotice << "#include <algorithm>\n#include <array>\n#include <limits>\n#include <string>\n"
      << "#include <type_traits>\n#include <utility>\n\n#include \"fields.h\"\n#include \"gdr/base/error.h\"\n"
      << "#include \"gdr/isa/isa.h\"\n#include \"gdr/isa/line.h\"\n\nnamespace gdr::isa {\nnamespace {\n\n";
  emit_record_tables(out, keeper);
  emit_spellings(out, keeper);
  out << kPrivate << kFunctions;
  emit_transfer_named(out, keeper);
  emit_words(out, keeper);
  emit_name_function(out, keeper, "Unit", "Name");
  emit_name_function(out, keeper, "Source", "Text");
  emit_name_function(out, keeper, "Transfer", "Mnemonic");
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
