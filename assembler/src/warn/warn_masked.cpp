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

/// For each of the 32 ways in which four flags and $jvalid can stand, a bit: whether a condition holds, or a word is
/// good. Flag K is bit K - 1 of the way's number, $jvalid the one above.
using Ways = std::uint32_t;
constexpr unsigned kJvalid = isa::kFlags;
constexpr Ways kAlways = ~Ways{0};

/// The ways in which a bit is set.
constexpr Ways where_set(unsigned bit) {
  Ways ways = 0;
  for (unsigned way = 0; way < 32; ++way) ways |= ((way >> bit) & 1u) << way;
  return ways;
}

/// What holds of each way, of the way that differs from it in one bit.
constexpr Ways of_the_other(Ways ways, unsigned bit) {
  const unsigned distance = 1u << bit;
  return ((ways & where_set(bit)) >> distance) | ((ways & ~where_set(bit)) << distance);
}

Ways condition(unsigned flag, bool inverted) {
  if (flag == 0) return kAlways;
  return inverted ? ~where_set(flag - 1) : where_set(flag - 1);
}

/// The write that left a word behind where its condition does not hold, and the first read of it.
struct Origin {
  const CodeLine* line = nullptr;
  const CodeAccess* write = nullptr;
  const CodeAccess* read = nullptr;
};

struct MaskedWord {
  Ways good = 0;
  Origin origin;
};
using MaskedState = std::vector<MaskedWord>;

class MaskedWords {
 public:
  MaskedWords(const Flow& flow, const Declared& declared, Reporter& reporter)
      : flow_(flow), declared_(declared), reporter_(reporter) {}

  void run() {
    MaskedState state(kAllWords);
    walk(Section::initialization, state);
    for (const Symbol& symbol : declared_.symbols.all()) {
      const bool from_host = symbol.kind == SymbolKind::parameter ||
                             (symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::hlt);
      const isa::WordRange words = from_host ? numbered_words(symbol) : isa::WordRange();
      for (unsigned word = words.first; word < words.last; ++word) state[word] = {kAlways, {}};
    }
    walk(Section::loop_initialization, state);
    MaskedState entering = state;
    MaskedState turn;
    for (bool changed = true; changed;) {
      turn = entering;
      walk(Section::loop_body, turn);
      MaskedState again = entering;
      meet(again, turn);
      changed = !std::equal(again.begin(), again.end(), entering.begin(),
                            [](const MaskedWord& a, const MaskedWord& b) { return a.good == b.good; });
      entering = std::move(again);
    }
    meet(state, turn);
    walk(Section::loop_termination, state);
    for (const Symbol& symbol : declared_.symbols.all()) {
      if (symbol.kind == SymbolKind::variable && symbol.transfer == isa::Transfer::rrn) report(symbol, state);
    }
  }

 private:
  static void meet(MaskedState& state, const MaskedState& other) {
    for (unsigned word = 0; word < kAllWords; ++word) {
      const Ways good = state[word].good & other[word].good;
      if (other[word].good != kAlways && state[word].origin.write == nullptr) state[word].origin = other[word].origin;
      state[word].good = good;
    }
  }

  void walk(Section section, MaskedState& state) {
    for (const FlowLine& at : flow_.lines()) {
      if (at.section == section) run_line(*at.line, state);
    }
    for (MaskedWord& word : state) {  // the next turn's record is another one
      word.good &= of_the_other(word.good, kJvalid);
    }
  }

  struct Result {
    Ways good = kAlways;
    Origin origin;
  };

  /// What the operation of a unit makes of its operands, for each element.
  [[nodiscard]] std::array<Result, isa::kVectorElements> results_of(const CodeLine& line, Unit unit,
                                                                    const MaskedState& state) const {
    std::array<Result, isa::kVectorElements> results;
    for (const CodeAccess& access : line.accesses) {
      const bool own = access.unit == unit || access.unit == Unit::none;
      if (access.write || access.defines || access.indirect || !own) continue;
      for (unsigned element = 0; element < line.line.vlen; ++element) {
        Result& result = results[element];
        const isa::WordRange words = numbered_words(access, element);
        for (unsigned word = words.first; word < words.last; ++word) {
          const MaskedWord& operand = state[word];
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

  void run_line(const CodeLine& line, MaskedState& state) {
    std::array<std::array<Result, isa::kVectorElements>, isa::kUnits + 1> results;
    for (const CodeAccess& access : line.accesses) {
      if (access.write) results[static_cast<std::size_t>(access.unit)] = results_of(line, access.unit, state);
    }
    for (const CodeAccess& access : line.accesses) {
      if (!access.write) continue;
      const Ways gates = condition(line.line.mask.flag, line.line.mask.inverted) &
                         condition(access.predicate.flag, access.predicate.inverted) &
                         (access.predicate.jvalid ? where_set(kJvalid) : kAlways);
      if (access.storage == Storage::flag) forget(access.address, gates, state);
      const auto& of_unit = results[static_cast<std::size_t>(access.unit)];
      // Shared words: the last element stays.
      for (unsigned element = 0; element < line.line.vlen; ++element) {
        const isa::WordRange words = numbered_words(access, element);
        for (unsigned word = words.first; word < words.last; ++word) {
          if (access.indirect) {
            write_somewhere(state[word], of_unit[element]);
          } else {
            write(state[word], of_unit[element], gates, line, access);
          }
        }
      }
    }
  }

  static void write(MaskedWord& word, const Result& value, Ways gates, const CodeLine& line, const CodeAccess& access) {
    const Ways good = (word.good & ~gates) | (value.good & gates);
    if (good == kAlways) {
      word = {kAlways, {}};
      return;
    }
    const bool spoilt = (value.good & gates) != gates && value.origin.write != nullptr;
    if (spoilt) {
      word.origin = value.origin;
    } else if (word.good == 0 || word.origin.write == nullptr) {
      word.origin = {&line, &access, nullptr};
    }
    word.good = good;
  }

  /// Which word an index reaches is not known: what is good makes the table good, what is not harms none of it.
  static void write_somewhere(MaskedWord& word, const Result& value) {
    if (value.good == kAlways) word = {kAlways, {}};
  }

  /// The flag has another value where `gates` hold: what was known of ways that may have become others ends.
  static void forget(unsigned flag, Ways gates, MaskedState& state) {
    const unsigned bit = flag - 1;
    const Ways others_changed = of_the_other(gates, bit);
    for (MaskedWord& word : state) {
      if (word.good != kAlways) word.good &= of_the_other(word.good, bit) | ~others_changed;
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

  void report(const Symbol& symbol, const MaskedState& state) {
    const isa::WordRange words = numbered_words(symbol);
    for (unsigned at = words.first; at < words.last; ++at) {
      const MaskedWord& word = state[at];
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
