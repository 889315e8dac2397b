// What the checks and the outputs read from records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "llvm/TableGen/Record.h"

namespace gdr::generator {

using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

/// Records of a class, in the order of the description.
[[nodiscard]] std::vector<const Record*> records_of(const RecordKeeper& keeper, StringRef class_name);

/// Enumerator of an operation or conversion: the record's name; of the others: their Name.
[[nodiscard]] std::string enumerator(const Record& record);

/// Value of a Constant by its record's name.
[[nodiscard]] std::int64_t constant(const RecordKeeper& keeper, StringRef record_name);

/// Name of the record that a field of this record holds.
[[nodiscard]] StringRef name_in(const Record& record, StringRef field);

/// The record that a field holds, or null where it is not set.
[[nodiscard]] const Record* optional_def(const Record& record, StringRef field);

/// The field of the instruction word that holds a unit's opcode; null for a unit without slot.
[[nodiscard]] const Record* slot_of(const RecordKeeper& keeper, const Record& unit);

/// Bits of a Field.
[[nodiscard]] std::int64_t width_of(const Record& field);

/// As a C++ string literal.
[[nodiscard]] std::string quoted(StringRef text);

/// `bm_record` as BmRecord.
[[nodiscard]] std::string camel(StringRef name);

}  // namespace gdr::generator
