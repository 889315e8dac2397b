// Words that are written under a condition alone. Each word knows under which flags it holds what the program gave it,
// and a result of an operation is as good as its operands: a word that is read where it was not written does no harm as
// long as nothing made of it is kept there. So what counts is what reaches the results.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "warn.h"

namespace gdr::assembler {
namespace {

using isa::Section;
using isa::Storage;
using isa::Unit;

/// Conditions any one of which makes a word good: flag K set (bit 2 (K - 1)), clear (the bit behind it), $jvalid.
using Conditions = std::uint32_t;
constexpr Conditions kJvalid = 1u << (2 * isa::kFlags);
constexpr Conditions kAlways = 2 * kJvalid - 1;

Conditions condition(unsigned flag, bool inverted) {
  return flag == 0 ? 0 : 1u << (2 * (flag - 1) + (inverted ? 1 : 0));
}
Conditions both_of(unsigned flag) { return condition(flag, false) | condition(flag, true); }

/// A condition and its complement are always.
Conditions simplified(Conditions conditions) {
  for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
    if ((conditions & both_of(flag)) == both_of(flag)) return kAlways;
  }
  return conditions;
}

Conditions complement(Conditions conditions) {
  Conditions result = 0;
  for (unsigned flag = 1; flag <= isa::kFlags; ++flag) {
    if ((conditions & condition(flag, false)) != 0) result |= condition(flag, true);
    if ((conditions & condition(flag, true)) != 0) result |= condition(flag, false);
  }
  return result;
}

/// The write that left a word behind where its condition does not hold, and the first read of it.
struct Origin {
  const CodeLine* line = nullptr;
  const CodeAccess* write = nullptr;
  const CodeAccess* read = nullptr;
  friend bool operator==(const Origin&, const Origin&) = default;
};

struct Word {
  Conditions good = 0;
  Origin origin;
};
using State = std::vector<Word>;

class MaskedWords {
 public:
  MaskedWords(const Flow& flow, const Declared& declared, Reporter& reporter)
      : flow_(flow), declared_(declared), reporter_(reporter) {}

  void run() {
    State state(kAllWords);
    walk(Section::initialization, state);
    for (const Symbol& symbol : declared_.symbols.all()) {
      const bool from_host = symbol.kind == SymbolKind::parameter ||
                             (symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::hlt);
      const isa::WordRange words = from_host ? numbered_words(symbol) : isa::WordRange();
      for (unsigned word = words.first; word < words.last; ++word) state[word] = {kAlways, {}};
    }
    walk(Section::loop_initialization, state);
    State entering = state;
    State turn;
    for (bool changed = true; changed;) {
      turn = entering;
      walk(Section::loop_body, turn);
      State again = entering;
      meet(again, turn);
      changed = !std::equal(again.begin(), again.end(), entering.begin(),
                            [](const Word& a, const Word& b) { return a.good == b.good; });
      entering = std::move(again);
    }
    meet(state, turn);
    walk(Section::loop_termination, state);
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::rrn) report(symbol, state);
    }
  }

 private:
  static void meet(State& state, const State& other) {
    for (unsigned word = 0; word < kAllWords; ++word) {
      const Conditions good = state[word].good & other[word].good;
      if (other[word].good != kAlways && state[word].origin.write == nullptr) state[word].origin = other[word].origin;
      state[word].good = good;
    }
  }

  void walk(Section section, State& state) {
    for (const FlowLine& at : flow_.lines()) {
      if (at.section == section) run_line(*at.line, state);
    }
    for (Word& word : state) {  // the next turn's record is another one
      if (word.good != kAlways) word.good &= ~kJvalid;
    }
  }

  struct Result {
    Conditions good = kAlways;
    Origin origin;
  };

  /// What the operation of a unit makes of its operands, for each element.
  [[nodiscard]] std::array<Result, isa::kVectorElements> results_of(const CodeLine& line, Unit unit,
                                                                    const State& state) const {
    std::array<Result, isa::kVectorElements> results;
    for (const CodeAccess& access : line.accesses) {
      const bool own = access.unit == unit || access.unit == Unit::none;
      if (access.write || access.defines || access.indirect || !own) continue;
      for (unsigned element = 0; element < line.line.vlen; ++element) {
        Result& result = results[element];
        const isa::WordRange words = numbered_words(access, element);
        for (unsigned word = words.first; word < words.last; ++word) {
          const Word& operand = state[word];
          if (operand.good != kAlways && result.origin.write == nullptr) {
            result.origin = operand.origin;
            if (result.origin.read == nullptr) result.origin.read = &access;
          }
          result.good &= operand.good;
        }
      }
    }
    return results;
  }

  void run_line(const CodeLine& line, State& state) {
    std::array<std::array<Result, isa::kVectorElements>, isa::kUnits + 1> results;
    for (const CodeAccess& access : line.accesses) {
      if (access.write) results[static_cast<std::size_t>(access.unit)] = results_of(line, access.unit, state);
    }
    for (const CodeAccess& access : line.accesses) {
      if (!access.write) continue;
      const Conditions gates = condition(line.line.mask.flag, line.line.mask.inverted) |
                               condition(access.predicate.flag, access.predicate.inverted) |
                               (access.predicate.jvalid ? kJvalid : 0);
      if (access.storage == Storage::flag) forget(access.address, state);
      const auto& of_unit = results[static_cast<std::size_t>(access.unit)];
      // Shared words: the last element stays.
      for (unsigned element = 0; element < line.line.vlen; ++element) {
        const isa::WordRange words = numbered_words(access, element);
        for (unsigned word = words.first; word < words.last; ++word) {
          write(state[word], of_unit[element], access.indirect ? kJvalid | kAlways : gates, line, access);
        }
      }
    }
  }

  static void write(Word& word, Result value, Conditions gates, const CodeLine& line, const CodeAccess& access) {
    if ((value.good & gates) != 0) value.good = kAlways;  // good wherever it is kept
    if (gates == 0) {
      word = {value.good, value.good == kAlways ? Origin() : value.origin};
      return;
    }
    if (value.good == kAlways) {
      const Conditions before = word.good;
      word.good = simplified(before | gates);
      if (word.good == kAlways) {
        word.origin = {};
      } else if (before == 0 || word.origin.write == nullptr) {
        word.origin = {&line, &access, nullptr};
      }
      return;
    }
    const Conditions kept = word.good == kAlways ? complement(gates) | value.good : word.good & value.good;
    word = {simplified(kept), value.origin};
  }

  /// The flag has another value now: conditions on the old one say nothing any more.
  static void forget(unsigned flag, State& state) {
    for (Word& word : state) {
      if (word.good != kAlways) word.good &= ~both_of(flag);
    }
  }

  static std::string condition_text(const CodeLine& line, const CodeAccess& write) {
    if (write.predicate.flag != 0) {
      return fmt::format("flag {} is {}", write.predicate.flag, write.predicate.inverted ? "clear" : "set");
    }
    if (line.line.mask.flag != 0) {
      return fmt::format("flag {} is {}", line.line.mask.flag, line.line.mask.inverted ? "clear" : "set");
    }
    return "$jvalid holds";
  }

  void report(const Symbol& symbol, const State& state) {
    const isa::WordRange words = numbered_words(symbol);
    for (unsigned at = words.first; at < words.last; ++at) {
      const Word& word = state[at];
      if (word.good == kAlways || word.origin.write == nullptr) continue;
      const CodeAccess& write = *word.origin.write;
      if (!told_.emplace(&write, word.origin.read).second) continue;  // reaches another result too
      const std::string where = condition_text(*word.origin.line, write);
      if (word.origin.read == nullptr) {
        reporter_.warning(
            Code::masked_definition, write.where,
            fmt::format("result '{}' is written only where {}; write it for all first", symbol.name, where));
        continue;
      }
      if (reporter_.warning(
              Code::masked_definition, word.origin.read->where,
              fmt::format("'{}' is written only where {}, but what is read here reaches result '{}' elsewhere too; "
                          "write '{}' for all before, or under the opposite condition as well",
                          word.origin.read->text, where, symbol.name, write.text))) {
        reporter_.note(write.where, fmt::format("'{}' is written here", write.text));
      }
    }
  }

  const Flow& flow_;
  const Declared& declared_;
  Reporter& reporter_;
  std::set<std::pair<const CodeAccess*, const CodeAccess*>> told_;  // writes and reads
};

}  // namespace

void warn_of_masked_definitions(const Flow& flow, const Declared& declared, Reporter& reporter) {
  MaskedWords(flow, declared, reporter).run();
}

}  // namespace gdr::assembler
