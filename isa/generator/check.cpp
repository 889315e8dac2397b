// What must hold of every record, of codes, and of the machine's parts.
#include "check.h"

#include "generator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/TableGen/Error.h"

namespace gdr::generator {
namespace {

using llvm::Twine;

void check_described(const RecordKeeper& keeper, Report& report) {
  for (const Record* record : records_of(keeper, "Described")) {
    const auto origin = record->getValueAsOptionalString("Origin");
    if (!origin) {
      report.error(*record, "'" + record->getName() + "' has no Origin");
    } else if (!origin->starts_with("R: ") && !origin->starts_with("D: ") && !origin->starts_with("O: ")) {
      report.error(*record, "the Origin of '" + record->getName() + "' must begin with R:, D: or O:");
    }
    if (!record->getValueAsOptionalString("Meaning")) {
      report.error(*record, "'" + record->getName() + "' has no Meaning");
    }
  }
}

/// There is one record of this class.
void check_single(const RecordKeeper& keeper, StringRef class_name, Report& report) {
  const auto records = records_of(keeper, class_name);
  if (records.empty()) llvm::PrintFatalError("the description has no " + class_name);
  for (std::size_t n = 1; n < records.size(); ++n) {
    report.error(*records[n], "there is one " + class_name + ", and it is taken", *records.front());
  }
}

void check_set(const RecordKeeper& keeper, Report& report) {
  const Record& set = *records_of(keeper, "InstructionSet").front();
  const std::int64_t bits = set.getValueAsInt("WordBits");
  if (bits < 64 || bits % 64 != 0) {
    report.error(set, "an instruction word of " + Twine(bits) + " bits is no whole number of 64-bit parts");
  }
  for (const char* positive : {"Version", "ClocksPerLine"}) {
    if (set.getValueAsInt(positive) < 1) report.error(set, Twine(positive) + " must be at least 1");
  }
}

/// Records of a class have the values from `first` on, each once: tables are indexed by them.
void check_values(const RecordKeeper& keeper, StringRef class_name, std::int64_t first, Report& report) {
  std::map<std::int64_t, const Record*> seen;
  const auto records = records_of(keeper, class_name);
  const std::int64_t last = first + static_cast<std::int64_t>(records.size()) - 1;
  for (const Record* record : records) {
    const std::int64_t value = record->getValueAsInt("Value");
    const auto [entry, is_new] = seen.emplace(value, record);
    if (!is_new) {
      report.error(*record, "value " + Twine(value) + " is already taken", *entry->second);
    } else if (value < first || value > last) {
      report.error(*record, "value " + Twine(value) + " leaves a gap: " + Twine(records.size()) + " records of " +
                                class_name + " have the values " + Twine(first) + " to " + Twine(last));
    }
  }
}

void check_constants(const RecordKeeper& keeper, Report& report) {
  for (const Record* record : records_of(keeper, "Constant")) {
    const std::int64_t value = record->getValueAsInt("Value");
    if (value < 1) report.error(*record, "a constant of " + Twine(value) + " is none of a machine's");
    if (record->getName() == "Blocks" && !llvm::isPowerOf2_64(static_cast<std::uint64_t>(value))) {
      report.error(*record, "a binary tree has no " + Twine(value) + " leaves");
    }
  }
}

void check_units(const RecordKeeper& keeper, Report& report) {
  for (const Record* unit : records_of(keeper, "Unit")) {
    for (const char* latency : {"ForwardLatency", "RegisterLatency"}) {
      const auto* lines = llvm::dyn_cast<llvm::IntInit>(unit->getValue(latency)->getValue());
      if (lines == nullptr || lines->getValue() < 1) report.error(*unit, Twine(latency) + " must be at least 1 line");
    }
  }
}

void check_storages(const RecordKeeper& keeper, Report& report) {
  for (const Record* storage : records_of(keeper, "Storage")) {
    const std::int64_t words = storage->getValueAsInt("ShortWords");
    if (words < 2 || words % 2 != 0) {
      report.error(*storage, Twine(words) + " short words are no whole number of long words");
    }
    for (const char* ports : {"ReadPorts", "WritePorts"}) {
      if (storage->getValueAsInt(ports) < 1) report.error(*storage, Twine(ports) + " must be at least 1");
    }
  }
}

}  // namespace

void Report::error(const Record& record, const Twine& message) {
  llvm::PrintError(record.getLoc(), message);
  any_ = true;
}

void Report::error(const Record& record, const Twine& message, const Record& other) {
  error(record, message);
  llvm::PrintNote(other.getLoc(), other.isAnonymous() ? Twine("it is here") : "'" + other.getName() + "' is here");
}

void Distinct::add(StringRef text, const Record& record) {
  const auto [entry, is_new] = owners_.emplace(text.str(), &record);
  if (!is_new) report_.error(record, "'" + text + "' " + taken_, *entry->second);
}

bool report_errors(const RecordKeeper& keeper) {
  Report report;
  check_described(keeper, report);
  check_single(keeper, "InstructionSet", report);
  check_single(keeper, "NoOperation", report);
  check_set(keeper, report);
  check_constants(keeper, report);
  check_units(keeper, report);
  check_storages(keeper, report);
  check_values(keeper, "Unit", 1, report);  // 0: none
  for (const StringRef name : {"Source", "Condition", "BmMode", "Conversion", "Transfer"}) {
    check_values(keeper, name, 0, report);
  }
  check_fields(keeper, report);
  check_operations(keeper, report);
  check_spellings(keeper, report);
  return report.any();
}

}  // namespace gdr::generator
