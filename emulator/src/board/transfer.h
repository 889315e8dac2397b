// Conversion between the host's 64-bit fields and the words of the machine, as HET and OHT do it, and the addresses of
// the words of a variable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/conversion.h"

namespace gdr::emulator {

/// One entry of a variable that travels between host and machine: a field of a record.
struct Entry {
  const isa::Variable* variable = nullptr;
  unsigned number = 0;  // index among the variable's entries
  std::string name;     // of the entry, for errors
  PeWords where;        // in a PE; a vector entry is one word per element
};
/// The fields of a record, in order.
[[nodiscard]] std::vector<Entry> entries_of(const isa::Program& program, isa::Transfer transfer);

/// Converts a field to a word; a short word is in the upper half. Throws gdr::Error, naming the variable's entry and
/// `record`, for NaN and for integers out of range.
[[nodiscard]] LongWord to_machine(std::uint64_t field, const Entry& entry, std::size_t record,
                                  ConversionEvents& events);
/// Converts the value of a parameter, as to_machine() does.
[[nodiscard]] LongWord parameter_word(const isa::Parameter& parameter, double value, ConversionEvents& events);
[[nodiscard]] std::uint64_t to_host(LongWord word, const isa::Variable& variable, ConversionEvents& events);

/// Converts a j-record to its layout in external memory and appends it to `words`.
void append_record(const isa::Program& program, std::span<const Entry> entries, std::span<const std::uint64_t> fields,
                   std::size_t record, std::vector<LongWord>& words, ConversionEvents& events);

}  // namespace gdr::emulator
