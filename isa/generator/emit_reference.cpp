// Writes the ISA chapter of the documentation.
#include "emit.h"
#include "generator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace gdr::generator {
namespace {

void emit_rows(raw_ostream& out, const RecordKeeper& keeper, StringRef class_name,
               std::initializer_list<StringRef> columns) {
  for (const Record* record : records_of(keeper, class_name)) {
    for (const StringRef column : columns) {
      const llvm::Init* value = record->getValue(column)->getValue();
      out << "| ";
      if (llvm::isa<llvm::IntInit>(value)) {
        out << record->getValueAsInt(column);
      } else {
        const bool named = llvm::isa<llvm::DefInit>(value);
        const StringRef text = named ? name_in(*record, column) : record->getValueAsString(column);
        const bool code = column != "Meaning" && column != "Origin" && !text.empty();
        out << (code ? "`" : "") << text << (code ? "`" : "");
      }
      out << " ";
    }
    out << "|\n";
  }
}

StringRef neutral_note(StringRef identity) {
  return llvm::StringSwitch<StringRef>(identity)
      .Case("zero", "reduction, begins with zero")
      .Case("all_ones", "reduction, begins with all ones")
      .Case("least", "reduction, begins with the least number")
      .Case("greatest", "reduction, begins with the greatest number");
}

void emit_unit(raw_ostream& out, const RecordKeeper& keeper, const Record& unit) {
  out << "\n### " << unit.getValueAsString("Name") << "\n\n"
      << unit.getValueAsString("Meaning")
      << "\n\n| mnemonic | opcode | sources | meaning | notes | origin |\n|---|---|---|---|---|---|\n";
  for (const Record* op : records_of(keeper, "Operation")) {
    if (op->getValueAsDef("Steers") != &unit) continue;
    llvm::SmallVector<StringRef> notes;
    if (op->getValueAsBit("SecondSourceIsShort")) notes.push_back("second source short");
    if (!op->getValueAsBit("HasDestination")) notes.push_back("no destination");
    if (op->getValueAsBit("ClaimsAdder")) notes.push_back("claims the adder slot");
    if (op->getValueAsBit("WritesCarry")) notes.push_back("has a carry");
    if (op->getValueAsBit("EqualSourcesDefine")) notes.push_back("equal sources define the result");
    if (op->getValueAsBit("Reduces")) notes.push_back(neutral_note(name_in(*op, "Neutral")));
    out << "| `" << op->getValueAsString("Mnemonic") << "` | " << op->getValueAsInt("Opcode") << " | "
        << op->getValueAsInt("Sources") << " | " << op->getValueAsString("Meaning") << " | " << llvm::join(notes, ", ")
        << " | " << op->getValueAsString("Origin") << " |\n";
  }
}

}  // namespace

void emit_reference(raw_ostream& out, const RecordKeeper& keeper) {
  const Record& set = *records_of(keeper, "InstructionSet").front();
  out << "# Instruction set reference\n\nInstruction set version " << set.getValueAsInt("Version") << ". "
      << set.getValueAsString("Meaning") << " A line takes " << set.getValueAsInt("ClocksPerLine")
      << " clocks. Origins: R on record, D derived, O ours, because the record is silent.\n\n"
      << "This chapter is generated from the records in `isa/td`.\n\n## Geometry\n\n"
      << "What a board may have otherwise (chips, clock, rates, buffers) stands in its description, "
         "`machines/*.toml`.\n\n"
      << "| constant | value | meaning | origin |\n|---|---|---|---|\n";
  emit_rows(out, keeper, "Constant", {"Name", "Value", "Meaning", "Origin"});
  out << "\n## Units\n\n"
      << "A result written in line k can be read in line k + latency.\n\n"
      << "| unit | latency through T | latency through GPR, LM, BM, flags | meaning | origin "
         "|\n|---|---|---|---|---|\n";
  emit_rows(out, keeper, "Unit", {"Name", "ForwardLatency", "RegisterLatency", "Meaning", "Origin"});
  out << "\n## Memories\n\n| memory | prefix | short words | read ports | write ports | meaning | origin "
         "|\n|---|---|---|---|---|---|---|\n";
  emit_rows(out, keeper, "Storage", {"Name", "Prefix", "ShortWords", "ReadPorts", "WritePorts", "Meaning", "Origin"});
  out << "\n## Operations\n";
  for (const Record* unit : records_of(keeper, "Unit")) emit_unit(out, keeper, *unit);
  out << "\n## Flag conditions\n\n| condition | code | suffix of `$ok1` | meaning |\n|---|---|---|---|\n";
  emit_rows(out, keeper, "Condition", {"Name", "Value", "Suffix", "Meaning"});
  out << "\n## Operand sources\n\n| source | code | text | meaning |\n|---|---|---|---|\n";
  emit_rows(out, keeper, "Source", {"Name", "Value", "Text", "Meaning"});
  out << "\n## Access to broadcast memory\n\n| mode | code | meaning |\n|---|---|---|\n";
  emit_rows(out, keeper, "BmMode", {"Name", "Value", "Meaning"});
  out << "\n## Transfers\n\n| transfer | mnemonic | meaning |\n|---|---|---|\n";
  emit_rows(out, keeper, "Transfer", {"Name", "Mnemonic", "Meaning"});
  out << "\n## Conversions\n\n| name | word | meaning | origin |\n|---|---|---|---|\n";
  emit_rows(out, keeper, "Conversion", {"Name", "Width", "Meaning", "Origin"});
  out << "\n## Instruction word\n\n"
      << set.getValueAsInt("WordBits")
      << " bits; bits that no field names are zero.\n\n| bits | width | field | meaning |\n|---|---|---|---|\n";
  for (const Record* field : records_of(keeper, "Field")) {
    const std::int64_t msb = field->getValueAsInt("Msb");
    const std::int64_t lsb = field->getValueAsInt("Lsb");
    out << "| " << msb << ".." << lsb << " | " << msb - lsb + 1 << " | `" << field->getValueAsString("Member") << "` | "
        << field->getValueAsString("Meaning") << " |\n";
  }
}

}  // namespace gdr::generator
