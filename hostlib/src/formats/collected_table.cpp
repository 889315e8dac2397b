// The table of the words that a kernel of Type II collects: where each word comes from, and its value.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/hostlib/table.h"
#include "gdr/isa/effects.h"

namespace gdr::hostlib {
namespace {

bool is_real(const isa::Variable& variable) {
  return variable.conversion && isa::info_of(*variable.conversion).floating;
}

/// Rows of the table: a column for each part of a word's place. Columns that the program does not need stay empty.
struct Places {
  std::vector<std::int64_t> turn;
  std::vector<std::int64_t> variable;
  std::vector<std::int64_t> chip;
  std::vector<std::int64_t> block;
  std::vector<std::int64_t> pe;
  std::vector<std::int64_t> entry;
  std::vector<std::int64_t> element;
};

/// The PE that stores an entry of a result, if all stores to the entry are by the same one.
class StoringPes {
 public:
  explicit StoringPes(const isa::Program& program) : program_(program) {
    for (std::size_t section = 0; section < isa::kSections; ++section) {
      for (const isa::ProgramLine& coded : program.lines(static_cast<isa::Section>(section))) {
        const isa::Line line = isa::decoded(coded.word);
        const isa::Effects effects = isa::effects(line);
        for (const isa::Access& write : effects.writes()) {
          if (write.storage == isa::Storage::bm) {
            stores_.push_back({isa::extent_of(write, effects.elements()), line.bm.pe});
          }
        }
      }
    }
  }

  [[nodiscard]] std::optional<unsigned> of_entry(const isa::Variable& result, unsigned entry) const {
    constexpr unsigned kShortWords = 2 * isa::kVectorElements;
    const isa::WordRange words{result.address + kShortWords * entry, result.address + kShortWords * (entry + 1)};
    std::optional<unsigned> pe;
    for (const Store& store : stores_) {
      if (!store.words.meets(words)) continue;
      if (pe && *pe != store.pe) return std::nullopt;
      pe = store.pe;
    }
    return pe;
  }

  /// True if the PE of every word is known that a collect keeps apart.
  [[nodiscard]] bool know_all() const {
    for (const std::vector<isa::Step>& steps : program_.sections) {
      for (const isa::Step& step : steps) {
        const auto* const collect = std::get_if<isa::CollectStep>(&step);
        if (collect == nullptr) continue;
        for (unsigned n = 0; n < collect->entries; ++n) {
          if (!of_entry(program_.variables[collect->variable], collect->first + n)) return false;
        }
      }
    }
    return true;
  }

 private:
  struct Store {
    isa::WordRange words;
    unsigned pe;
  };
  const isa::Program& program_;
  std::vector<Store> stores_;
};

/// Goes through the words in the order in which they reach the host.
class PlacesOfWords {
 public:
  PlacesOfWords(const isa::Program& program, unsigned chips)
      : program_(program), chips_(chips), apart_(program.has_separate_results()) {
    if (apart_ && stores_.know_all()) knows_pes_ = true;
  }

  [[nodiscard]] Places of_run(std::uint64_t turns) {
    for (std::uint64_t turn = 0; turn < turns; ++turn) add(turn, isa::Section::loop_body);
    add(turns, isa::Section::loop_termination);
    return std::move(places_);
  }

 private:
  void add(std::uint64_t turn, isa::Section section) {
    for (const isa::Step& step : program_.steps(section)) {
      const auto* collect = std::get_if<isa::CollectStep>(&step);
      if (collect == nullptr || (collect->not_first && section == isa::Section::loop_body && turn == 0)) continue;
      add(turn, *collect);
    }
  }

  void add(std::uint64_t turn, const isa::CollectStep& collect) {
    using Kind = isa::BlockChoice::Kind;
    const unsigned chips = collect.blocks.is_separate() ? chips_ : 1;
    for (unsigned chip = 0; chip < chips; ++chip) {
      switch (collect.blocks.kind) {
        case Kind::reduced:
          add_words(turn, collect, kCombined, kCombined);
          break;
        case Kind::one:
          add_words(turn, collect, chip, collect.blocks.block);
          break;
        case Kind::each:
          for (unsigned block = 0; block < isa::kBlocks; ++block) add_words(turn, collect, chip, block);
          break;
      }
    }
  }

  void add_words(std::uint64_t turn, const isa::CollectStep& collect, std::int64_t chip, std::int64_t block) {
    const isa::Variable& result = program_.variables[collect.variable];
    for (unsigned word = 0; word < collect.words(); ++word) {
      const unsigned entry = collect.first + word / isa::kVectorElements;
      places_.turn.push_back(static_cast<std::int64_t>(turn));
      places_.variable.push_back(number_of(result));
      places_.entry.push_back(entry);
      places_.element.push_back(word % isa::kVectorElements);
      if (!apart_) continue;
      places_.chip.push_back(chip);
      places_.block.push_back(block);
      if (knows_pes_) places_.pe.push_back(*stores_.of_entry(result, entry));
    }
  }

  [[nodiscard]] std::int64_t number_of(const isa::Variable& result) const {
    return std::ranges::find(results_, &result) - results_.begin();
  }

  static constexpr std::int64_t kCombined = -1;  // chip and block of a word that several of them gave

  const isa::Program& program_;
  unsigned chips_;
  bool apart_;
  bool knows_pes_ = false;
  StoringPes stores_{program_};
  std::vector<const isa::Variable*> results_ = program_.variables_by(isa::Transfer::rrn);
  Places places_;
};

}  // namespace

Table collected_table(const isa::Program& program, std::uint64_t turns, std::span<const std::uint64_t> words,
                      unsigned chips) {
  const std::vector<const isa::Variable*> results = program.variables_by(isa::Transfer::rrn);
  const bool integers = std::ranges::none_of(results, [](const isa::Variable* result) { return is_real(*result); });
  Places places = PlacesOfWords(program, chips).of_run(turns);
  if (places.turn.size() != words.size()) {
    throw Error(fmt::format("{} words are refused: {} turns collect {}", words.size(), turns, places.turn.size()));
  }
  Table table;
  const std::vector<std::int64_t> variables = places.variable;
  table.add("turn", std::move(places.turn));
  table.add("variable", std::move(places.variable));
  if (!places.chip.empty()) {
    table.add("chip", std::move(places.chip));
    table.add("block", std::move(places.block));
  }
  if (!places.pe.empty()) table.add("pe", std::move(places.pe));
  table.add("entry", std::move(places.entry));
  table.add("element", std::move(places.element));
  if (integers) {
    std::vector<std::int64_t> values;
    for (const std::uint64_t word : words) values.push_back(std::bit_cast<std::int64_t>(word));
    table.add("value", std::move(values));
    return table;
  }
  constexpr std::int64_t kLargest = std::int64_t{1} << std::numeric_limits<double>::digits;  // below, all are doubles
  std::vector<double> values;
  for (std::size_t n = 0; n < words.size(); ++n) {
    const isa::Variable& result = *results[static_cast<std::size_t>(variables[n])];
    const auto whole = std::bit_cast<std::int64_t>(words[n]);
    if (!is_real(result) && (whole < -kLargest || whole > kLargest)) {
      throw Error(fmt::format("result '{}': the integer {} has no place in a column of doubles", result.name, whole));
    }
    values.push_back(is_real(result) ? std::bit_cast<double>(words[n]) : static_cast<double>(whole));
  }
  table.add("value", std::move(values));
  return table;
}

Table collected_table(const isa::Program& program, std::uint64_t turns, std::span<const std::uint64_t> words) {
  return collected_table(program, turns, words, 1);
}

}  // namespace gdr::hostlib
