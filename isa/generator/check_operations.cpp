// What an operation may be, given its unit, and what its facts ask of each other.
#include <algorithm>

#include "check.h"
#include "llvm/ADT/StringExtras.h"

namespace gdr::generator {
namespace {

using llvm::Twine;

void check_opcodes(const RecordKeeper& keeper, Report& report) {
  std::map<std::pair<const Record*, std::int64_t>, const Record*> seen;
  std::map<const Record*, const Record*> without_slot;
  for (const Record* op : records_of(keeper, "Operation")) {
    const Record* unit = op->getValueAsDef("Steers");
    const std::int64_t opcode = op->getValueAsInt("Opcode");
    const Record* slot = slot_of(keeper, *unit);
    if (slot == nullptr) {
      const auto [entry, is_new] = without_slot.emplace(unit, op);
      if (!is_new) {
        report.error(*op, "'" + unit->getName() + "' has no slot, so one operation is all it can have", *entry->second);
      }
    } else if (opcode < 1 || opcode >= (std::int64_t{1} << width_of(*slot))) {
      report.error(*op, "opcode " + Twine(opcode) + " does not fit its slot (0 is no operation)", *slot);
    }
    const auto [entry, is_new] = seen.emplace(std::pair(unit, opcode), op);
    if (!is_new) report.error(*op, "opcode " + Twine(opcode) + " is already taken", *entry->second);
  }
}

void check_operands(const Record& op, Report& report) {
  const std::int64_t sources = op.getValueAsInt("Sources");
  if (sources < 1 || sources > 2) {
    report.error(op, "an operation has one or two sources, not " + Twine(sources));
  }
  for (const char* binary : {"SecondSourceIsShort", "EqualSourcesDefine", "Reduces"}) {
    if (sources != 2 && op.getValueAsBit(binary)) report.error(op, Twine(binary) + " needs two sources");
  }
}

void check_unit(const Record& op, Report& report) {
  const Record& unit = *op.getValueAsDef("Steers");
  const auto kinds = unit.getValueAsListOfDefs("Kinds");
  if (std::find(kinds.begin(), kinds.end(), op.getValueAsDef("Kind")) == kinds.end()) {
    report.error(op, "'" + unit.getName() + "' has no operations of kind " + name_in(op, "Kind"), unit);
  }
  if (op.getValueAsBit("ClaimsAdder") && unit.getName() == "Adder") report.error(op, "the adder claims itself");
  if (op.getValueAsBit("WritesCarry") && name_in(op, "Kind") == "floating_point") {
    report.error(op, "floating point has no carry");
  }
}

void check_reduction(const Record& op, Report& report) {
  const bool has_identity = op.getValueAsDef("Neutral")->getName() != "NoIdentity";
  if (!op.getValueAsBit("Reduces")) {
    if (has_identity) report.error(op, "Neutral is of reductions alone");
    return;
  }
  const Record& unit = *op.getValueAsDef("Steers");
  if (!unit.getValueAsBit("InTreeNodes")) {
    report.error(op, "the nodes of the reduction tree have no '" + unit.getName() + "'", unit);
  }
  if (!has_identity) report.error(op, "a reduction needs its Neutral");
}

/// A product of two lines: the first half leaves a latch and no result, the second one completes it.
void check_halves(const RecordKeeper& keeper, Report& report) {
  std::map<const Record*, const Record*> completed;
  const auto operations = records_of(keeper, "Operation");
  for (const Record* op : operations) {
    const Record* first = optional_def(*op, "FirstHalf");
    if (first == nullptr) continue;
    const auto [entry, is_new] = completed.emplace(first, op);
    if (!is_new) report.error(*op, "'" + first->getName() + "' is another operation's first half", *entry->second);
    if (first->getValueAsDef("Steers") != op->getValueAsDef("Steers") ||
        first->getValueAsInt("Sources") != op->getValueAsInt("Sources") || first->getValueAsBit("HasDestination")) {
      report.error(*op, "its first half has the same unit, the same sources and no destination", *first);
    }
  }
  for (const Record* op : operations) {
    if (!op->getValueAsBit("HasDestination") && completed.count(op) == 0) {
      report.error(*op, "it has no destination, and is no operation's first half");
    }
    const bool computes = op->getValueAsBit("HasDestination") && slot_of(keeper, *op->getValueAsDef("Steers"));
    if (computes == op->getValueAsString("Function").empty()) {
      report.error(*op, computes ? "its result needs a Function" : "it has no result of its own, so no Function");
    }
  }
}

}  // namespace

void check_operations(const RecordKeeper& keeper, Report& report) {
  check_opcodes(keeper, report);
  for (const Record* op : records_of(keeper, "Operation")) {
    check_operands(*op, report);
    check_unit(*op, report);
    check_reduction(*op, report);
  }
  check_halves(keeper, report);
}

}  // namespace gdr::generator
