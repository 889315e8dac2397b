// What must hold between the records; each violation is reported at the line of the record that causes it.
#include <map>

#include "generator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

namespace gdr::generator {
namespace {

using llvm::Record;
using llvm::RecordKeeper;
using llvm::Twine;

class Checker {
 public:
  explicit Checker(const RecordKeeper& keeper) : keeper_(keeper) {}

  bool run() {
    check_described();
    check_fields();
    check_codes("Operation", "Opcode", [](const Record& r) { return r.getValueAsDef("Steers")->getName().str(); });
    check_operations_fit();
    check_mnemonics();
    for (const char* name : {"Unit", "Source", "Condition", "Conversion", "Transfer"}) {
      check_codes(name, "Value", [](const Record&) { return std::string(); });
    }
    return failed_;
  }

 private:
  void fail(const Record& record, const Twine& message) {
    llvm::PrintError(record.getLoc(), message);
    failed_ = true;
  }
  void fail(const Record& record, const Twine& message, const Record& other) {
    fail(record, message);
    llvm::PrintNote(other.getLoc(), "'" + other.getName() + "' is here");
  }

  void check_described() {
    for (const Record* record : records_of(keeper_, "Described")) {
      const auto origin = record->getValueAsOptionalString("Origin");
      if (!origin) {
        fail(*record, "'" + record->getName() + "' has no Origin");
      } else if (!origin->starts_with("R: ") && !origin->starts_with("D: ") && !origin->starts_with("O: ")) {
        fail(*record, "the Origin of '" + record->getName() + "' must begin with R:, D: or O:");
      }
      if (!record->getValueAsOptionalString("Meaning")) fail(*record, "'" + record->getName() + "' has no Meaning");
    }
  }

  void check_fields() {
    const std::int64_t word_bits = records_of(keeper_, "InstructionSet").front()->getValueAsInt("WordBits");
    std::map<std::int64_t, const Record*> owner;
    std::map<std::string, const Record*> members;
    for (const Record* field : records_of(keeper_, "Field")) {
      const std::int64_t msb = field->getValueAsInt("Msb");
      const std::int64_t lsb = field->getValueAsInt("Lsb");
      if (lsb < 0 || msb < lsb || msb >= word_bits) {
        fail(*field, "bits " + Twine(msb) + ".." + Twine(lsb) + " are outside the word of " + Twine(word_bits));
        continue;
      }
      if (msb / 64 != lsb / 64) fail(*field, "bits " + Twine(msb) + ".." + Twine(lsb) + " straddle two 64-bit parts");
      for (std::int64_t bit = lsb; bit <= msb; ++bit) {
        const auto [entry, is_new] = owner.emplace(bit, field);
        if (!is_new) {
          fail(*field, "bit " + Twine(bit) + " already belongs to another field", *entry->second);
          break;
        }
      }
      const auto [entry, is_new] = members.emplace(field->getValueAsString("Member").str(), field);
      if (!is_new) fail(*field, "its member already has a field", *entry->second);
    }
  }

  template <class Group>
  void check_codes(llvm::StringRef class_name, llvm::StringRef code, Group group) {
    std::map<std::pair<std::string, std::int64_t>, const Record*> seen;
    for (const Record* record : records_of(keeper_, class_name)) {
      const std::int64_t value = record->getValueAsInt(code);
      const auto [entry, is_new] = seen.emplace(std::pair(group(*record), value), record);
      if (!is_new) fail(*record, code.lower() + " " + Twine(value) + " is already taken", *entry->second);
    }
  }

  void check_operations_fit() {
    std::map<std::string, std::int64_t> bits;
    for (const Record* field : records_of(keeper_, "Field")) {
      bits[field->getValueAsString("Member").str()] = field->getValueAsInt("Msb") - field->getValueAsInt("Lsb") + 1;
    }
    for (const Record* op : records_of(keeper_, "Operation")) {
      const std::int64_t opcode = op->getValueAsInt("Opcode");
      const auto slot = bits.find(op->getValueAsDef("Steers")->getValueAsString("Name").str() + ".op");
      if (opcode < 1 || (slot != bits.end() && opcode >= (std::int64_t{1} << slot->second))) {
        fail(*op, "opcode " + Twine(opcode) + " does not fit its slot (0 is no operation)");
      }
      const std::int64_t sources = op->getValueAsInt("Sources");
      if (sources < 1 || sources > 2) fail(*op, "an operation has one or two sources, not " + Twine(sources));
    }
  }

  void check_mnemonics() {
    std::map<std::string, const Record*> seen;
    for (const Record* op : records_of(keeper_, "Operation")) {
      const auto [entry, is_new] = seen.emplace(op->getValueAsString("Mnemonic").str(), op);
      if (!is_new) fail(*op, "mnemonic '" + op->getValueAsString("Mnemonic") + "' is already taken", *entry->second);
    }
  }

  const RecordKeeper& keeper_;
  bool failed_ = false;
};

}  // namespace

std::vector<const Record*> records_of(const RecordKeeper& keeper, llvm::StringRef class_name) {
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

bool report_errors(const RecordKeeper& keeper) { return Checker(keeper).run(); }

}  // namespace gdr::generator
