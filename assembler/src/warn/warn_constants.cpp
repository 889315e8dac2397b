// What is known before the kernel runs: constants, and the powers of two that constants multiply data by.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "warn.h"

namespace gdr::assembler {
namespace {

using isa::LongWord;
using isa::Section;
using isa::Unit;
using isa::Width;

/// A number that only data decide, times 2^`exponent` that constants make.
struct Known {
  bool constant = false;
  LongWord word;  // of a constant
  double exponent = 0;

  void set(const LongWord& value) {
    constant = true;
    word = value;
  }
  friend bool operator==(const Known&, const Known&) = default;
};

double number_in(const LongWord& word) { return std::bit_cast<double>(word.high); }  // truncated to a double
bool is_number(const Known& known, double value) {
  return known.constant && known.word.low == 0 && number_in(known.word) == value;
}
bool is_infinite(const Known& known) { return known.constant && std::isinf(number_in(known.word)); }

/// Exponent of the largest numbers of both formats: they share the exponent's 11 bits with a double.
constexpr double kLargestExponent = std::numeric_limits<double>::max_exponent;

LongWord word_of(double value) { return {std::bit_cast<std::uint64_t>(value), 0}; }

/// The word that a reduction leaves every other word unchanged with.
std::optional<LongWord> identity_of(const isa::OperationInfo& info) {
  const bool floating = info.kind == isa::NumberKind::floating_point;
  switch (info.neutral) {
    case isa::Identity::zero:
      return LongWord{};
    case isa::Identity::all_ones:
      return LongWord::from_bits(~isa::uint128{0});
    case isa::Identity::least:
      return floating ? word_of(-std::numeric_limits<double>::infinity())
                      : LongWord::from_bits(isa::uint128{1} << (isa::kLongBits - 1));
    case isa::Identity::greatest:
      return floating ? word_of(std::numeric_limits<double>::infinity())
                      : LongWord::from_bits((isa::uint128{1} << (isa::kLongBits - 1)) - 1);
    case isa::Identity::none:
      break;
  }
  return std::nullopt;
}

std::string source_of_identity(const isa::OperationInfo& info) {
  const bool floating = info.kind == isa::NumberKind::floating_point;
  switch (info.neutral) {
    case isa::Identity::zero:
      return "0";
    case isa::Identity::all_ones:
      return "il\"-1\"";
    case isa::Identity::least:
      return floating ? "f\"-inf\"" : "hl\"800000000000000000\"";
    case isa::Identity::greatest:
      return floating ? "f\"inf\"" : "hl\"7fffffffffffffffff\"";
    case isa::Identity::none:
      break;
  }
  return "";
}

class KnownWords {
 public:
  KnownWords(const Flow& flow, const Declared& declared, Reporter& reporter)
      : flow_(flow), declared_(declared), reporter_(reporter), known_(flow.definitions()) {}

  void run() {
    for (Definition definition = kFromHost + 1; definition < flow_.definitions(); ++definition) {
      const Flow::Write& write = flow_.write(definition);
      if (write.access->role != isa::Role::flag_write) check(write);
    }
    check_identities();
  }

 private:
  /// What a read finds; all its definitions must agree.
  Known found_by(const CodeAccess& read) {
    std::optional<Known> found;
    for (const Definition definition : flow_.reaching(read)) {
      if (definition <= kFromHost || read.indirect) return {};
      Known one = value_of(definition);
      const Width written = flow_.write(definition).access->width;
      if (one.constant && written != read.width) {
        if (read.storage != isa::Storage::t && read.step == 0 && read.address % 2 != 0) return {};  // a lower half
        if (read.width == Width::short_word) one.word = isa::widen(one.word.upper());
        if (read.width == Width::long_word && read.storage != isa::Storage::t) return {};
      }
      if (found && *found != one) return {};
      found = one;
    }
    return found.value_or(Known());
  }

  Known operand(const CodeLine& line, const isa::Slot& slot, isa::Role role) {
    const bool first = role == isa::Role::a;
    const isa::Source source = first ? slot.a : slot.b;
    Known known;
    if (source == isa::Source::immediate) {
      known.set(line.line.immediate.value);
    } else {
      const Unit unit = isa::info_of(slot.op).unit;
      for (const CodeAccess& access : line.accesses) {
        const bool own = !access.write && access.unit == unit && access.role == role;
        if (own && access.purpose == isa::Purpose::value) known = found_by(access);
      }
    }
    if ((first ? slot.negate_a : slot.negate_b) && known.constant && number_in(known.word) != 0) {
      known.word.high ^= std::uint64_t{1} << 63;
    }
    return known;
  }

  Known value_of(Definition definition) {
    std::optional<Known>& known = known_[definition];
    if (known) return *known;
    known = Known();  // meets itself: what a turn leaves for the next is not known
    const Flow::Write& write = flow_.write(definition);
    if (write.access->unit == Unit::bm || write.access->role == isa::Role::flag_write) return *known;
    const CodeLine& line = *flow_.lines()[write.line].line;
    Known result = result_of(line, isa::slot_of(line.line, write.access->unit));
    known_[definition] = result;
    return result;
  }

  Known result_of(const CodeLine& line, const isa::Slot& slot) {
    const isa::OperationInfo& info = isa::info_of(slot.op);
    const Known a = operand(line, slot, isa::Role::a);
    const Known b = info.sources > 1 ? operand(line, slot, isa::Role::b) : Known();
    const bool both = a.constant && b.constant;
    Known result;
    // The operations that kernels make constants with. Nothing is known of the results of others.
    using isa::Op;
    if (slot.op == Op::UXOR && slot.a == slot.b) {
      result.set(LongWord());
    } else if (slot.op == Op::UXOR && both) {
      result.set(LongWord::from_bits(a.word.bits() ^ b.word.bits()));
    } else if (slot.op == Op::UOR && both) {
      result.set(LongWord::from_bits(a.word.bits() | b.word.bits()));
    } else if (slot.op == Op::UAND && both) {
      result.set(LongWord::from_bits(a.word.bits() & b.word.bits()));
    } else if (slot.op == Op::UPASSA) {
      result = a;
    } else if (slot.op == Op::FPASSA) {
      result = a;
      if (a.constant && slot.width == Width::short_word && a.word != isa::widen(a.word.upper())) {
        result.constant = false;  // rounded
      }
    } else if (slot.op == Op::FMUL && both) {
      // A constant on both sides is rarely exact; what matters here is 0 and infinity.
      const double product = number_in(a.word) * number_in(b.word);
      if (product == 0 || std::isinf(product)) result.set(word_of(product));
    } else if (slot.op == Op::FMUL && (a.constant || b.constant)) {
      const double factor = std::abs(number_in(a.constant ? a.word : b.word));
      if (factor > 0 && std::isfinite(factor)) {
        result.exponent = (a.constant ? b.exponent : a.exponent) + std::log2(factor);
      }
    }
    return result;
  }

  void check(const Flow::Write& write) {
    if (write.access->unit == Unit::bm) return;
    const CodeLine& line = *flow_.lines()[write.line].line;
    const isa::Slot& slot = isa::slot_of(line.line, write.access->unit);
    const isa::OperationInfo& info = isa::info_of(slot.op);
    if (info.kind != isa::NumberKind::floating_point || info.sources < 2) return;
    const Known a = operand(line, slot, isa::Role::a);
    const Known b = operand(line, slot, isa::Role::b);
    const auto tell = [&](const std::string& what) {
      reporter_.warning(Code::event_prone, line.where, fmt::format("'{}' {}", info.mnemonic, what));
    };
    if (slot.op == isa::Op::FMUL) {
      if ((is_infinite(a) && is_number(b, 0)) || (is_number(a, 0) && is_infinite(b))) {
        tell("multiplies 0 by infinity, which is no number: each iteration counts an invalid operation");
      } else if (a.constant && b.constant) {
        if (!is_infinite(a) && !is_infinite(b) && std::isinf(number_in(a.word) * number_in(b.word)))
          tell("multiplies two constants whose product is beyond the largest number: it overflows every time");
      } else if (const double exponent = result_of(line, slot).exponent; exponent > kLargestExponent) {
        tell(
            fmt::format("brings what constants multiply the data by to 2^{:.0f}, beyond the largest number 2^{:.0f}: "
                        "it overflows unless the data are below 2^{:.0f}",
                        exponent, kLargestExponent, kLargestExponent - exponent));
      }
    } else if (slot.op == isa::Op::FADD || slot.op == isa::Op::FSUB) {
      const double sign = slot.op == isa::Op::FSUB ? -1 : 1;
      if (is_infinite(a) && is_infinite(b) && number_in(a.word) == -sign * number_in(b.word))
        tell("takes infinity from infinity, which is no number: each iteration counts an invalid operation");
    }
  }

  /// Blocks without j-particles send what loop initialization left, so it must not count.
  void check_identities() {
    const auto& variables = declared_.program.variables;
    for (const isa::Variable& variable : variables) {
      if (variable.transfer != isa::Transfer::rrn || !variable.reduction || variable.memory == isa::Memory::bm)
        continue;
      const Symbol& symbol = *declared_.symbols.find(variable.name);
      const isa::OperationInfo& info = isa::info_of(*variable.reduction);
      const auto identity = identity_of(info);
      if (!identity) continue;
      const isa::WordRange words = numbered_words(symbol);
      for (unsigned word = words.first; word < words.last; ++word) {
        const auto definitions = flow_.leaving(Section::loop_initialization, word);
        if (definitions.size() != 1 || definitions.front() <= kFromHost) continue;
        const Definition definition = definitions.front();
        const Known value = value_of(definition);
        if (!value.constant || !flow_.lives(definition)) continue;
        const bool same =
            symbol.width == Width::long_word ? value.word == *identity : value.word.upper() == identity->upper();
        if (same) continue;
        const CodeAccess& write = *flow_.write(definition).access;
        if (reporter_.warning(
                Code::start_of_reduction, write.where,
                fmt::format("'{}' begins with {}, but what leaves '{}' unchanged is {}: blocks without a j-particle "
                            "send it, and it counts in the result",
                            write.text, text_of(value.word, info), info.mnemonic, source_of_identity(info)))) {
          reporter_.note(symbol.where, fmt::format("'{}' is reduced by '{}'", symbol.name, info.mnemonic));
        }
        break;
      }
    }
  }

  static std::string text_of(const LongWord& value, const isa::OperationInfo& info) {
    if (value == LongWord()) return "0";
    if (info.kind == isa::NumberKind::floating_point) return fmt::format("{}", number_in(value));
    return fmt::format("hl\"{}\"", isa::to_hex(value));
  }

  const Flow& flow_;
  const Declared& declared_;
  Reporter& reporter_;
  std::vector<std::optional<Known>> known_;
};

}  // namespace

void warn_of_constants(const Flow& flow, const Declared& declared, Reporter& reporter) {
  KnownWords(flow, declared, reporter).run();
}

}  // namespace gdr::assembler
