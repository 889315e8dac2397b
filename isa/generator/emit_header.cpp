// Writes isa.h: enums, constants, the table of operations and the declarations of the others.
#include "emit.h"
#include "generator.h"
#include "llvm/ADT/StringExtras.h"

namespace gdr::generator {
namespace {

void emit_constant(raw_ostream& out, const llvm::Twine& type, const llvm::Twine& name, const llvm::Twine& value) {
  out << "inline constexpr " << type << ' ' << name << " = " << value << ";\n";
}

void emit_constants(raw_ostream& out, const RecordKeeper& keeper) {
  const Record& set = *records_of(keeper, "InstructionSet").front();
  out << "/// Version of the instruction set; object files carry it.\n";
  emit_constant(out, "std::uint32_t", "kIsaVersion", llvm::Twine(set.getValueAsInt("Version")));
  emit_constant(out, "std::size_t", "kInstructionBits", llvm::Twine(set.getValueAsInt("WordBits")));
  out << "/// Chip clocks of one line, whatever its vector length.\n";
  emit_constant(out, "unsigned", "kClocksPerLine", llvm::Twine(set.getValueAsInt("ClocksPerLine")));
  out << '\n';
  for (const Record* record : records_of(keeper, "Constant")) {
    out << "/// " << record->getValueAsString("Meaning") << " [" << record->getValueAsString("Origin") << "]\n";
    emit_constant(out, "unsigned", "k" + camel(record->getValueAsString("Name")),
                  llvm::Twine(record->getValueAsInt("Value")));
  }
  out << '\n';
  for (const Record* storage : records_of(keeper, "Storage")) {
    const std::string name = "k" + camel(storage->getValueAsString("Name"));
    out << "// " << storage->getValueAsString("Meaning") << "\n";
    emit_constant(out, "unsigned", name + "ShortWords", llvm::Twine(storage->getValueAsInt("ShortWords")));
    emit_constant(out, "unsigned", name + "ReadPorts", llvm::Twine(storage->getValueAsInt("ReadPorts")));
    emit_constant(out, "unsigned", name + "WritePorts", llvm::Twine(storage->getValueAsInt("WritePorts")));
    emit_constant(out, "std::string_view", name + "Prefix", quoted(storage->getValueAsString("Prefix")));
  }
  out << "\n";
  for (const StringRef name : {"Unit", "Source", "Condition", "BmMode"}) {
    emit_constant(out, "unsigned", "k" + name + "s", llvm::Twine(records_of(keeper, name).size()));
  }
  out << '\n';
}

/// enum class NAME { enumerators with their codes };
void emit_enum(raw_ostream& out, const RecordKeeper& keeper, StringRef name, StringRef first = "") {
  out << "enum class " << name << " : std::uint8_t {\n";
  if (!first.empty()) out << "  " << first << " = 0,\n";
  for (const Record* record : records_of(keeper, name)) {
    out << "  " << enumerator(*record) << " = " << record->getValueAsInt("Value") << ",  // "
        << record->getValueAsString("Meaning") << "\n";
  }
  out << "};\n\n";
}

/// Of records that are names and nothing else.
void emit_names_enum(raw_ostream& out, const RecordKeeper& keeper, StringRef name, StringRef comment) {
  out << "/// " << comment << "\nenum class " << name << " : std::uint8_t { ";
  llvm::ListSeparator comma;
  for (const Record* record : records_of(keeper, name)) out << comma << record->getValueAsString("Name");
  out << " };\n\n";
}

void emit_operations_enum(raw_ostream& out, const RecordKeeper& keeper) {
  const Record& nop = *records_of(keeper, "NoOperation").front();
  out << "/// Every operation of every unit.\nenum class Op : std::uint8_t {\n  " << nop.getName() << " = 0,  // "
      << nop.getValueAsString("Meaning") << "\n";
  for (const Record* op : records_of(keeper, "Operation")) {
    out << "  " << enumerator(*op) << ",  // " << op->getValueAsString("Meaning") << "\n";
  }
  out << "};\n\n";
}

constexpr StringRef kOperationInfo =
    R"(/// Lines that a product of two long words takes: none of its own, the first, or the second.
enum class ProductHalf : std::uint8_t { none, first, second };

/// What is true of an operation. Lists of operations for the preprocessor stand in operations.h.
struct OperationInfo {
  Op op = Op::NOP;
  Unit unit = Unit::none;
  std::string_view mnemonic{};
  std::string_view function{};  // the emulator's name of what it computes; empty where it has no result of its own
  std::uint8_t opcode = 0;    // in the unit's slot
  std::uint8_t sources = 0;
  NumberKind kind = NumberKind::bits;
  bool has_destination = false;
  bool second_source_is_short = false;
  bool claims_adder = false;
  bool writes_carry = false;
  bool equal_sources_define = false;  // x op x is the same word for every x, which therefore need not be defined
  ProductHalf half = ProductHalf::none;
  Op other_half = Op::NOP;
  bool reduces = false;  // available in the nodes of the reduction tree
  Identity neutral = Identity::none;  // of a reduction
  std::string_view meaning{};
  std::string_view origin{};

  /// True if the unit has a result: of neither fmulh, whose product waits for fmull, nor bm, which moves words.
  [[nodiscard]] constexpr bool computes() const { return !function.empty(); }
};

)";

const Record* second_half_of(const RecordKeeper& keeper, const Record& first) {
  for (const Record* op : records_of(keeper, "Operation")) {
    if (optional_def(*op, "FirstHalf") == &first) return op;
  }
  return nullptr;
}

void emit_operation(raw_ostream& out, const RecordKeeper& keeper, const Record& op) {
  const Record* first = optional_def(op, "FirstHalf");
  const Record* second = second_half_of(keeper, op);
  const StringRef half = first != nullptr ? "second" : second != nullptr ? "first" : "none";
  const Record* other = first != nullptr ? first : second;
  out << "    {Op::" << enumerator(op) << ", Unit::" << name_in(op, "Steers") << ", "
      << quoted(op.getValueAsString("Mnemonic")) << ", " << quoted(op.getValueAsString("Function")) << ", "
      << op.getValueAsInt("Opcode") << ", " << op.getValueAsInt("Sources") << ", NumberKind::" << name_in(op, "Kind");
  for (const char* bit :
       {"HasDestination", "SecondSourceIsShort", "ClaimsAdder", "WritesCarry", "EqualSourcesDefine"}) {
    out << ", " << boolean(op.getValueAsBit(bit));
  }
  out << ", ProductHalf::" << half
      << ", Op::" << (other == nullptr ? records_of(keeper, "NoOperation").front()->getName() : other->getName())
      << ", " << boolean(op.getValueAsBit("Reduces")) << ", Identity::" << name_in(op, "Neutral") << ",\n     "
      << quoted(op.getValueAsString("Meaning")) << ",\n     " << quoted(op.getValueAsString("Origin")) << "},\n";
}

void emit_operations_table(raw_ostream& out, const RecordKeeper& keeper) {
  const Record& nop = *records_of(keeper, "NoOperation").front();
  const auto operations = records_of(keeper, "Operation");
  out << kOperationInfo << "/// In the order of Op.\ninline constexpr std::array<OperationInfo, "
      << operations.size() + 1 << "> kOperations{{\n    {.mnemonic = " << quoted(nop.getValueAsString("Mnemonic"))
      << ",\n     .meaning = " << quoted(nop.getValueAsString("Meaning"))
      << ",\n     .origin = " << quoted(nop.getValueAsString("Origin")) << "},\n";
  for (const Record* op : operations) emit_operation(out, keeper, *op);
  out << "}};\n\n"
      << "[[nodiscard]] constexpr const OperationInfo& info_of(Op op) { return "
         "kOperations[static_cast<std::size_t>(op)]; "
         "}\n\n";
}

constexpr StringRef kDeclarations = R"(struct UnitInfo {
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
[[nodiscard]] constexpr std::span<const OperationInfo> operations() { return std::span(kOperations).subspan<1>(); }
[[nodiscard]] std::span<const UnitInfo> units();
[[nodiscard]] std::span<const FieldInfo> fields();
[[nodiscard]] std::span<const ConversionInfo> conversions();
[[nodiscard]] std::span<const ConditionInfo> conditions();

/// Of a unit that is not `none`.
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
/// The operation of this mnemonic, or of another spelling that the assembler takes (`fpass`); or nothing.
[[nodiscard]] std::optional<Op> op_named(std::string_view mnemonic);
[[nodiscard]] std::optional<Conversion> conversion_named(std::string_view name);
[[nodiscard]] std::optional<Transfer> transfer_named(std::string_view name);

/// The assembly language's own words of this role.
[[nodiscard]] std::span<const std::string_view> language_words(WordRole role);

}  // namespace gdr::isa
)";

/// #define NAME(X) with X(OP, function, sources) for each of some operations.
template <class Wanted>
void emit_list(raw_ostream& out, const RecordKeeper& keeper, const std::string& name, StringRef comment,
               Wanted wanted) {
  out << "/// " << comment << "\n#define GDR_" << name << "(X)";
  for (const Record* op : records_of(keeper, "Operation")) {
    if (op->getValueAsString("Function").empty() || !wanted(*op)) continue;
    out << " \\\n  X(" << enumerator(*op) << ", " << op->getValueAsString("Function") << ", "
        << op->getValueAsInt("Sources") << ")";
  }
  out << "\n\n";
}

}  // namespace

void emit_header(raw_ostream& out, const RecordKeeper& keeper) {
  out << kNotice
      << "// The instruction set as enums, constants and tables; the records say where each entry comes from.\n"
      << "#pragma once\n\n#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <optional>\n"
      << "#include <span>\n#include <string_view>\n\n#include \"gdr/isa/word.h\"\n\nnamespace gdr::isa {\n\n";
  emit_constants(out, keeper);
  emit_enum(out, keeper, "Unit", "none");
  for (const StringRef name : {"Source", "Condition", "BmMode", "Conversion", "Transfer"}) emit_enum(out, keeper, name);
  emit_names_enum(out, keeper, "NumberKind", "What an operation takes its operands for.");
  emit_names_enum(out, keeper, "Identity", "The word that a reduction leaves every other one as it is with.");
  emit_names_enum(out, keeper, "WordRole", "Where a word of the assembly language stands.");
  emit_operations_enum(out, keeper);
  emit_operations_table(out, keeper);
  out << kDeclarations;
}

void emit_operations(raw_ostream& out, const RecordKeeper& keeper) {
  out << kNotice
      << "// Lists of the operations that compute something, for the preprocessor: X(OP, function, sources) for each, "
         "OP\n"
      << "// its enumerator, `function` the name of what it computes, `sources` 1 or 2. More is known by "
         "info_of(Op::OP).\n"
      << "#pragma once\n\n";
  emit_list(out, keeper, "OPERATIONS", "Of all units.", [](const Record&) { return true; });
  for (const Record* unit : records_of(keeper, "Unit")) {
    if (slot_of(keeper, *unit) == nullptr) continue;
    const StringRef name = unit->getValueAsString("Name");
    emit_list(out, keeper, name.upper() + "_OPERATIONS", ("Of the " + name + ".").str(),
              [&](const Record& op) { return op.getValueAsDef("Steers") == unit; });
  }
  emit_list(out, keeper, "REDUCTIONS", "That the nodes of the reduction tree have.",
            [](const Record& op) { return op.getValueAsBit("Reduces"); });
  for (const Record* kind : records_of(keeper, "NumberKind")) {
    const StringRef name = kind->getValueAsString("Name");
    emit_list(out, keeper, name.upper() + "_OPERATIONS", ("On " + name + ".").str(),
              [&](const Record& op) { return op.getValueAsDef("Kind") == kind; });
    emit_list(out, keeper, name.upper() + "_REDUCTIONS", "Those of them that the tree's nodes have.",
              [&](const Record& op) { return op.getValueAsDef("Kind") == kind && op.getValueAsBit("Reduces"); });
  }
}

}  // namespace gdr::generator
