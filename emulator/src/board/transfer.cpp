#include "transfer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>

#include "gdr/isa/effects.h"

namespace gdr::emulator {
namespace {

using isa::Conversion;

template <class Result>
auto counted(const Result& result, ConversionEvents& events) {
  events += result.event;
  return result.value;
}

LongWord converted(std::uint64_t field, Conversion conversion, Width width, HostElement where,
                   ConversionEvents& events) {
  const auto number = std::bit_cast<double>(field);
  const auto integer = std::bit_cast<std::int64_t>(field);
  switch (conversion) {
    case Conversion::FLT64TO72:
      return counted(flt64to72(number, where), events);
    case Conversion::FLT64TO36:
      return isa::widen(counted(flt64to36(number, where), events));
    case Conversion::FIX64TO72:
      return counted(fix64to72(integer, where), events);
    case Conversion::FIX64TO36:
      return isa::widen(counted(fix64to36(integer, where), events));
    case Conversion::NONE:
      return width == Width::long_word ? counted(raw64to72(field, where), events)
                                       : isa::widen(counted(raw64to36(field, where), events));
    case Conversion::FLT72TO64:
    case Conversion::FLT36TO64:
    case Conversion::FIX72TO64:
    case Conversion::FIX36TO64:
      break;
  }
  throw Error(fmt::format("{}: conversion {} does not lead from the host to the machine", where.array,
                          isa::info_of(conversion).name));
}

/// Fast path for normal numbers to long words, which are all that most streams hold.
std::optional<LongWord> quick_double(std::uint64_t field, Conversion conversion) {
  const std::uint64_t exponent = (field >> 52) & 2047;
  if (conversion != Conversion::FLT64TO72 || exponent == 0 || exponent == 2047) return std::nullopt;
  return LongWord{field, 0};
}

/// The same in the other direction, rounded to nearest even. A carry out of the fraction correctly increments the
/// exponent.
std::optional<std::uint64_t> quick_field(LongWord word) {
  const std::uint64_t exponent = (word.high >> 52) & 2047;
  if (exponent == 0 || exponent >= 2046) return std::nullopt;
  const std::uint64_t odd = word.high & 1;
  return word.high + ((word.low + odd > 128) ? 1 : 0);
}

}  // namespace

std::vector<Entry> entries_of(const isa::Program& program, isa::Transfer transfer) {
  std::vector<Entry> entries;
  for (const isa::Variable* variable : program.variables_by(transfer)) {
    const unsigned words = variable->vector ? isa::kVectorElements : 1;
    const unsigned step = words * isa::short_words(variable->width);
    for (unsigned number = 0; number < variable->elements; ++number) {
      const auto address = static_cast<std::uint16_t>(variable->address + number * step);
      entries.push_back({variable,
                         number,
                         variable->elements == 1 ? variable->name : fmt::format("{}[{}]", variable->name, number),
                         {variable->memory, address, variable->width, static_cast<std::uint16_t>(words)}});
    }
  }
  return entries;
}

LongWord to_machine(std::uint64_t field, const Entry& entry, std::size_t record, ConversionEvents& events) {
  const isa::Variable& variable = *entry.variable;
  if (const auto quick = quick_double(field, *variable.conversion)) return *quick;
  return converted(field, *variable.conversion, variable.width, {entry.name, record}, events);
}

LongWord parameter_word(const isa::Parameter& parameter, double value, ConversionEvents& events) {
  const bool floating = isa::info_of(parameter.conversion).floating;
  // 2^53 may have been 2^53 + 1 before it became a double.
  if (!floating && (value != std::floor(value) || std::abs(value) >= 0x1p53)) {
    throw Error(fmt::format("parameter {} = {} is refused: its conversion {} takes whole numbers below 2^53",
                            parameter.name, value, isa::info_of(parameter.conversion).name));
  }
  const std::uint64_t field =
      floating ? std::bit_cast<std::uint64_t>(value) : std::bit_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  return converted(field, parameter.conversion, parameter.width, {parameter.name, 0}, events);
}

std::uint64_t to_host(LongWord word, const isa::Variable& variable, ConversionEvents& events) {
  switch (*variable.conversion) {
    case Conversion::FLT72TO64:
      if (const auto quick = quick_field(word)) return *quick;
      return std::bit_cast<std::uint64_t>(counted(flt72to64(word), events));
    case Conversion::FLT36TO64:
      return std::bit_cast<std::uint64_t>(counted(flt36to64(word.upper()), events));
    case Conversion::FIX72TO64:
      return std::bit_cast<std::uint64_t>(counted(fix72to64(word), events));
    case Conversion::FIX36TO64:
      return std::bit_cast<std::uint64_t>(counted(fix36to64(word.upper()), events));
    case Conversion::NONE:
      return variable.width == Width::long_word ? counted(raw72to64(word), events)
                                                : counted(raw36to64(word.upper()), events);
    case Conversion::FLT64TO72:
    case Conversion::FLT64TO36:
    case Conversion::FIX64TO72:
    case Conversion::FIX64TO36:
      break;
  }
  throw Error(fmt::format("{}: conversion {} does not lead from the machine to the host", variable.name,
                          isa::info_of(*variable.conversion).name));
}

void append_record(const isa::Program& program, std::span<const Entry> entries, std::span<const std::uint64_t> fields,
                   std::size_t record, std::vector<LongWord>& words, ConversionEvents& events) {
  const std::size_t first = words.size();
  words.resize(first + program.record_words);
  for (std::size_t field = 0; field < entries.size(); ++field) {
    const isa::Variable& variable = *entries[field].variable;
    const unsigned address = variable.address + entries[field].number * (variable.packed ? 1 : 2);
    const LongWord word = to_machine(fields[field], entries[field], record, events);
    LongWord& place = words[first + address / 2];
    place = address % 2 == 0 ? (variable.packed ? isa::join(word.upper(), place.lower()) : word)
                             : isa::join(place.upper(), word.upper());
  }
}

}  // namespace gdr::emulator
