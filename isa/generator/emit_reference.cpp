// Writes the ISA chapter of the documentation.
#include "generator.h"
#include "llvm/ADT/StringExtras.h"

namespace gdr::generator {
namespace {

using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

void emit_rows(raw_ostream& out, const RecordKeeper& keeper, StringRef class_name,
               std::initializer_list<StringRef> columns) {
  for (const Record* record : records_of(keeper, class_name)) {
    for (const StringRef column : columns) {
      const llvm::RecordVal* value = record->getValue(column);
      out << "| ";
      if (llvm::isa<llvm::IntInit>(value->getValue())) {
        out << record->getValueAsInt(column);
      } else {
        const StringRef text = record->getValueAsString(column);
        const bool code = column != "Meaning" && column != "Origin" && !text.empty();
        out << (code ? "`" : "") << text << (code ? "`" : "");
      }
      out << " ";
    }
    out << "|\n";
  }
}

void emit_operations(raw_ostream& out, const RecordKeeper& keeper, const Record& unit) {
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
    if (op->getValueAsBit("Reduces")) notes.push_back("reduction");
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
      << "This chapter is generated from the records in `isa/td`.\n\n## Units\n\n"
      << "A result written in line k can be read in line k + latency.\n\n"
      << "| unit | latency through T | latency through GPR, LM, BM, flags | meaning | origin "
         "|\n|---|---|---|---|---|\n";
  emit_rows(out, keeper, "Unit", {"Name", "ForwardLatency", "RegisterLatency", "Meaning", "Origin"});
  out << "\n## Memories\n\n| memory | prefix | short words | read ports | write ports | meaning | origin "
         "|\n|---|---|---|---|---|---|---|\n";
  emit_rows(out, keeper, "Storage", {"Name", "Prefix", "ShortWords", "ReadPorts", "WritePorts", "Meaning", "Origin"});
  out << "\n## Operations\n";
  for (const Record* unit : records_of(keeper, "Unit")) emit_operations(out, keeper, *unit);
  out << "\n## Flag conditions\n\n| condition | code | suffix of `$ok1` | meaning |\n|---|---|---|---|\n";
  emit_rows(out, keeper, "Condition", {"Name", "Value", "Suffix", "Meaning"});
  out << "\n## Operand sources\n\n| source | code | text | meaning |\n|---|---|---|---|\n";
  emit_rows(out, keeper, "Source", {"Name", "Value", "Text", "Meaning"});
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
