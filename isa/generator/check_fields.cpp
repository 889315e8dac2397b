// The layout of the instruction word: where fields lie, and whether they hold all that they may have to hold.
#include "check.h"
#include "llvm/ADT/StringExtras.h"

namespace gdr::generator {
namespace {

using llvm::Twine;

/// True if the field lies inside the word.
bool check_place(const Record& field, std::int64_t word_bits, Report& report) {
  const std::int64_t msb = field.getValueAsInt("Msb");
  const std::int64_t lsb = field.getValueAsInt("Lsb");
  if (lsb < 0 || msb < lsb || msb >= word_bits) {
    report.error(field, "bits " + Twine(msb) + ".." + Twine(lsb) + " are outside the word of " + Twine(word_bits));
    return false;
  }
  if (msb / 64 != lsb / 64) {
    report.error(field, "bits " + Twine(msb) + ".." + Twine(lsb) + " straddle two 64-bit parts");
  }
  return true;
}

void check_layout(const RecordKeeper& keeper, Report& report) {
  const std::int64_t word_bits = records_of(keeper, "InstructionSet").front()->getValueAsInt("WordBits");
  std::map<std::int64_t, const Record*> owner;
  std::map<std::string, const Record*> members;
  std::map<const Record*, const Record*> slots;
  for (const Record* field : records_of(keeper, "Field")) {
    if (!check_place(*field, word_bits, report)) continue;
    for (std::int64_t bit = field->getValueAsInt("Lsb"); bit <= field->getValueAsInt("Msb"); ++bit) {
      const auto [entry, is_new] = owner.emplace(bit, field);
      if (!is_new) {
        report.error(*field, "bit " + Twine(bit) + " already belongs to another field", *entry->second);
        break;
      }
    }
    const auto [entry, is_new] = members.emplace(field->getValueAsString("Member").str(), field);
    if (!is_new) report.error(*field, "its member already has a field", *entry->second);
    const Record* type = field->getValueAsDef("Type");
    if (!type->isSubClassOf("Opcode")) continue;
    const Record* unit = type->getValueAsDef("Steers");
    const auto [slot, is_first] = slots.emplace(unit, field);
    if (!is_first) report.error(*field, "the opcode of '" + unit->getName() + "' already has a field", *slot->second);
  }
}

/// The field has exactly as many bits as `count` codes take.
void check_exact(const Record& field, std::int64_t count, StringRef what, Report& report) {
  const std::int64_t width = width_of(field);
  if (width > 32 || (std::int64_t{1} << width) == count) return;
  report.error(field, Twine(width) + " bits hold " + Twine(std::int64_t{1} << width) + " codes, but there are " +
                          Twine(count) + " " + what);
}

/// What a field of this type must be wide, by its type alone.
void check_width(const RecordKeeper& keeper, const Record& field, Report& report) {
  const Record* type = field.getValueAsDef("Type");
  const StringRef name = type->getValueAsString("Name");
  const std::int64_t width = width_of(field);
  const auto must_have = [&](std::int64_t bits) {
    if (width != bits) report.error(field, "a field of this type has " + Twine(bits) + " bits, not " + Twine(width));
  };
  if (name == "flag" || name == "width") must_have(1);
  if (name == "immediate_high") must_have(64);
  if (name == "immediate_low") must_have(8);
  if (name == "count") check_exact(field, constant(keeper, "VectorElements"), "vector elements", report);
  if (name == "pe_number") check_exact(field, constant(keeper, "PesPerBlock"), "PEs in a block", report);
  if (type->isSubClassOf("Address")) {
    check_exact(field, type->getValueAsDef("Memory")->getValueAsInt("ShortWords"), "addresses in its memory", report);
  }
  if (name == "flag_number" && (std::int64_t{1} << width) <= constant(keeper, "Flags")) {
    report.error(field, Twine(width) + " bits do not hold the flags 0 (none) to " + Twine(constant(keeper, "Flags")));
  }
}

/// The values of a class fit the narrowest field of a type.
void check_fit(const RecordKeeper& keeper, StringRef class_name, StringRef type, Report& report) {
  const Record* narrowest = nullptr;
  for (const Record* field : records_of(keeper, "Field")) {
    if (name_in(*field, "Type") != type) continue;
    if (narrowest == nullptr || width_of(*field) < width_of(*narrowest)) narrowest = field;
  }
  if (narrowest == nullptr) return;
  for (const Record* record : records_of(keeper, class_name)) {
    const std::int64_t value = record->getValueAsInt("Value");
    if (value >= 0 && value < (std::int64_t{1} << width_of(*narrowest))) continue;
    report.error(*record,
                 "value " + Twine(value) + " does not fit the " + Twine(width_of(*narrowest)) + " bits of '" +
                     narrowest->getValueAsString("Member") + "'",
                 *narrowest);
  }
}

}  // namespace

void check_fields(const RecordKeeper& keeper, Report& report) {
  check_layout(keeper, report);
  for (const Record* field : records_of(keeper, "Field")) {
    if (width_of(*field) > 0) check_width(keeper, *field, report);
  }
  check_fit(keeper, "Unit", "unit", report);
  check_fit(keeper, "Source", "source", report);
  check_fit(keeper, "Condition", "condition", report);
  check_fit(keeper, "BmMode", "bm_mode", report);
}

}  // namespace gdr::generator
