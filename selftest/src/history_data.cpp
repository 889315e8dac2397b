#include "history_data.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gdr/emulator/conversion.h"
#include "gdr/selftest/random_program.h"

namespace gdr::selftest {
namespace {

using isa::Conversion;
using isa::LongWord;

bool is_whole(Conversion conversion) {
  return conversion == Conversion::FIX64TO36 || conversion == Conversion::FIX64TO72;
}

}  // namespace

LongWord word_of_value(Conversion conversion, double value) {
  switch (conversion) {
    case Conversion::FLT64TO36:
      return isa::widen(emulator::flt64to36(value).value);
    case Conversion::FIX64TO36:
      return isa::widen(emulator::fix64to36(static_cast<std::int64_t>(value)).value);
    case Conversion::FIX64TO72:
      return emulator::fix64to72(static_cast<std::int64_t>(value)).value;
    case Conversion::FLT64TO72:
    case Conversion::FLT72TO64:
    case Conversion::FLT36TO64:
    case Conversion::FIX72TO64:
    case Conversion::FIX36TO64:
    case Conversion::NONE:
      break;
  }
  return emulator::flt64to72(value).value;
}

emulator::PeWords words_of(const isa::Variable& variable) {
  return {variable.memory, variable.address, variable.width, words_in_pe(variable)};
}

double HistoryData::number_of_any_size() {
  const double value = std::uniform_real_distribution<>(-1, 1)(random_);
  if (!wild_ || random_() % 8 != 0) return value;
  const std::array<double, 7> wild{1e200, 1e-200, 0x1p30, 0, 1e308, -1e300, std::ldexp(value, -60)};
  return wild[random_() % wild.size()];
}

LongWord HistoryData::word(const std::string& name, Conversion conversion, unsigned number) {
  // Indices tell pairs of one particle from others; they are small, so that they meet.
  if (name.starts_with("index") || name == "slot" || name == "first") return word_of_value(conversion, number);
  const double value = number_of_any_size();
  if (program_.takes_any_words || (wild_ && random_() % 16 == 0)) {
    const LongWord any = RandomPrograms(random_()).word();
    return conversion == Conversion::FLT64TO36 || conversion == Conversion::FIX64TO36 ? isa::widen(any.upper()) : any;
  }
  if (is_whole(conversion)) return word_of_value(conversion, std::clamp(value * 100, -1e9, 1e9));
  return word_of_value(conversion, name == "eps2" ? value * value + 0.1 : value);
}

std::vector<LongWord> HistoryData::particles(const isa::Variable& variable, unsigned pes) {
  const unsigned per_pe = words_of(variable).count;
  const auto own = static_cast<unsigned>(1 + below(isa::kVectorElements));
  std::vector<LongWord> words;
  for (unsigned n = 0; n < pes * per_pe; ++n) {
    const bool repeats = n / per_pe + 1 == pes && n % isa::kVectorElements >= own;
    words.push_back(repeats ? words.back()
                            : word(variable.name, variable.conversion.value_or(Conversion::FLT64TO72), n));
  }
  return words;
}

std::vector<LongWord> HistoryData::records(unsigned first, unsigned count) {
  const unsigned record_words = program_.program.record_words;
  std::vector<LongWord> words(std::size_t{count} * record_words);
  if (program_.takes_any_words) {
    for (LongWord& each : words) each = word("", Conversion::FLT64TO72, 0);
    return words;
  }
  const bool wild = wild_;
  const std::uint64_t wild_record = below(16);
  for (unsigned record = 0; record < count; ++record) {
    wild_ = wild && record % 16 == wild_record;
    for (const isa::Variable* variable : program_.program.variables_by(isa::Transfer::elt)) {
      const Conversion conversion = variable->conversion.value_or(Conversion::FLT64TO72);
      for (unsigned n = 0; n < variable->elements; ++n) {
        const unsigned place = variable->address + (variable->packed ? n : 2 * n);
        LongWord& to = words[std::size_t{record} * record_words + place / 2];
        const LongWord own = word(variable->name, conversion, first + record);
        if (!variable->packed) {
          to = own;
        } else {
          to = place % 2 == 0 ? isa::join(own.upper(), to.lower()) : isa::join(to.upper(), own.upper());
        }
      }
    }
  }
  wild_ = wild;
  return words;
}

emulator::PeRegisters HistoryData::registers() {
  emulator::PeRegisters registers{};
  for (LongWord& t : registers.t) t = word("", Conversion::FLT64TO72, 0);
  for (std::uint8_t& flags : registers.flags) flags = static_cast<std::uint8_t>(below(16));
  return registers;
}

}  // namespace gdr::selftest
