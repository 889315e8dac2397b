#include "records.h"

#include <algorithm>

#include "llvm/ADT/SmallVector.h"
#include "llvm/TableGen/Error.h"

namespace gdr::generator {

std::vector<const Record*> records_of(const RecordKeeper& keeper, StringRef class_name) {
  const auto derived = keeper.getAllDerivedDefinitions(class_name);
  std::vector<const Record*> records(derived.begin(), derived.end());
  // TableGen sorts by name; the description's own order reads better in enums and documents.
  std::sort(records.begin(), records.end(), [](const Record* a, const Record* b) { return a->getID() < b->getID(); });
  return records;
}

std::string enumerator(const Record& record) {
  const bool by_record = record.isSubClassOf("Operation") || record.isSubClassOf("Conversion");
  return by_record ? record.getName().str() : record.getValueAsString("Name").str();
}

std::int64_t constant(const RecordKeeper& keeper, StringRef record_name) {
  const Record* record = keeper.getDef(record_name);
  if (record == nullptr) llvm::PrintFatalError("the description has no constant " + record_name);
  return record->getValueAsInt("Value");
}

StringRef name_in(const Record& record, StringRef field) {
  return record.getValueAsDef(field)->getValueAsString("Name");
}

const Record* optional_def(const Record& record, StringRef field) {
  const auto* value = llvm::dyn_cast<llvm::DefInit>(record.getValue(field)->getValue());
  return value == nullptr ? nullptr : value->getDef();
}

const Record* slot_of(const RecordKeeper& keeper, const Record& unit) {
  for (const Record* field : records_of(keeper, "Field")) {
    const Record* type = field->getValueAsDef("Type");
    if (type->isSubClassOf("Opcode") && type->getValueAsDef("Steers") == &unit) return field;
  }
  return nullptr;
}

std::int64_t width_of(const Record& field) { return field.getValueAsInt("Msb") - field.getValueAsInt("Lsb") + 1; }

std::string quoted(StringRef text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string camel(StringRef name) {
  std::string out;
  llvm::SmallVector<StringRef> parts;
  name.split(parts, '_');
  for (const StringRef part : parts) out += part.substr(0, 1).upper() + part.substr(1).str();
  return out;
}

}  // namespace gdr::generator
