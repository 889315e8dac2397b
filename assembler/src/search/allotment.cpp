#include "allotment.h"

#include <algorithm>
#include <numeric>

namespace gdr::assembler {
namespace {

using isa::Width;

/// Assigns words of one storage to values in the order of lines; each value gets the first free words. The last reader
/// of a word reads it before a new value is written, so the next value's life may begin on that line.
class Addresses {
 public:
  explicit Addresses(const std::vector<bool>& taken) : until_(taken.size(), 0) {
    for (std::size_t word = 0; word < taken.size(); ++word) {
      if (taken[word]) until_[word] = kNeverRead;
    }
  }

  /// Calls must have ascending `from`.
  std::optional<unsigned> place(unsigned words, unsigned step, int from, int until) {
    for (unsigned address = 0; address + words <= until_.size(); address += step) {
      const auto first = until_.begin() + address;
      if (std::any_of(first, first + words, [&](int busy) { return busy > from; })) continue;
      std::fill(first, first + words, until);
      return address;
    }
    return std::nullopt;
  }

  /// Takes the last free words, for the whole section.
  std::optional<unsigned> place_at_end(unsigned words) {
    for (std::size_t address = until_.size() - until_.size() % words; address >= words; address -= words) {
      const auto first = until_.begin() + static_cast<std::ptrdiff_t>(address - words);
      if (std::any_of(first, first + words, [](int busy) { return busy != 0; })) continue;
      std::fill(first, first + words, kNeverRead);
      return static_cast<unsigned>(address - words);
    }
    return std::nullopt;
  }

 private:
  std::vector<int> until_;  // for each word, the first line in which it may be written again
};

class Allotment {
 public:
  Allotment(const SearchGraph& graph, const Placement& placement, std::size_t lines) : graph_(graph) {
    plan_.lines = lines;
    plan_.operations = placement.operations();
    plan_.values = placement.values();
    plan_.constants = placement.constants();
    plan_.gpr.resize(graph.values.size());
    plan_.lm.resize(graph.values.size());
    plan_.constant_addresses.resize(graph.constants.size());
    plan_.flags.resize(graph.flags);
    by_line_.resize(graph.values.size());
    std::iota(by_line_.begin(), by_line_.end(), std::size_t{0});
    std::ranges::stable_sort(by_line_, {}, [&](std::size_t value) { return plan_.values[value].line; });
  }

  std::optional<Plan> run() {
    drop_unread();
    if (!give_registers() || !(graph_.lm_by_name ? give_names() : give_local_memory()) || !number_flags()) {
      return std::nullopt;
    }
    return std::move(plan_);
  }

 private:
  /// Keeps a value only in places where it, or a value that overwrites it, is read.
  void drop_unread() {
    std::vector<std::array<bool, 2>> read(plan_.values.size(), {false, false});
    for (std::size_t number = 0; number < plan_.operations.size(); ++number) {
      for (std::size_t input = 0; input < 2; ++input) {
        const auto way = static_cast<Way>(plan_.operations[number].ways[input]);
        const int value = graph_.operations[number].inputs[input].value;
        if (value < 0 || way == Way::t) continue;
        for (int at = value; at >= 0; at = graph_.values[static_cast<std::size_t>(at)].base) {
          read[static_cast<std::size_t>(at)][way == Way::gpr ? 0 : 1] = true;
        }
      }
    }
    for (std::size_t value = 0; value < read.size(); ++value) {
      if (!read[value][0]) plan_.values[value].gpr = 0;
      if (!read[value][1]) plan_.values[value].lm = 0;
    }
  }

  [[nodiscard]] bool give_registers() {
    Addresses registers(graph_.gpr_taken);
    for (std::size_t constant = 0; constant < plan_.constants.size(); ++constant) {
      if (static_cast<Way>(plan_.constants[constant]) != Way::gpr) continue;
      const auto address = registers.place_at_end(isa::short_words(graph_.constants[constant].width));
      if (!address) return false;
      plan_.constant_addresses[constant] = *address;
    }
    return give(registers, &PlacedValue::gpr, &PlacedValue::gpr_until, plan_.gpr);
  }

  [[nodiscard]] bool give_local_memory() {
    Addresses words(graph_.lm_taken);
    return give(words, &PlacedValue::lm, &PlacedValue::lm_until, plan_.lm);
  }

  [[nodiscard]] bool give(Addresses& addresses, int PlacedValue::* stands, int PlacedValue::* until,
                          std::vector<unsigned>& given) const {
    for (const std::size_t value : by_line_) {
      const PlacedValue& placed = plan_.values[value];
      if (placed.*stands == 0) continue;
      const SearchValue& known = graph_.values[value];
      if (known.base >= 0) {
        given[value] = given[static_cast<std::size_t>(known.base)];
        continue;
      }
      const auto address = addresses.place(known.words(), isa::short_words(known.width), placed.line, placed.*until);
      if (!address) return false;
      given[value] = *address;
    }
    return true;
  }

  /// Gives each value a name of its own if there are enough words, otherwise shares names between values that are not
  /// live at the same time.
  [[nodiscard]] bool give_names() {
    unsigned words = 0;
    for (std::size_t constant = 0; constant < plan_.constants.size(); ++constant) {
      if (static_cast<Way>(plan_.constants[constant]) == Way::lm)
        words += isa::short_words(graph_.constants[constant].width);
    }
    const unsigned copies = words;
    std::vector<std::size_t> named;
    for (const std::size_t value : by_line_) {
      if (plan_.values[value].lm == 0 || graph_.values[value].base >= 0) continue;
      named.push_back(value);
      words += graph_.values[value].words();
    }
    const auto most = static_cast<unsigned>(graph_.lm_taken.size());
    plan_.shared_names = words > most;
    if (plan_.shared_names) words = copies + share_names(named);
    plan_.lm_words = words;
    return words <= most;
  }

  /// Returns the number of words that the names take.
  unsigned share_names(const std::vector<std::size_t>& values) {
    unsigned words = 0;
    std::array<std::vector<int>, 2> until;  // for short and for long names
    for (const std::size_t value : values) {
      std::vector<int>& names = until[graph_.values[value].width == Width::long_word ? 1 : 0];
      auto name = std::ranges::find_if(names, [&](int busy) { return busy <= plan_.values[value].line; });
      if (name == names.end()) {
        words += graph_.values[value].words();
        name = names.insert(names.end(), 0);
      }
      *name = std::max(plan_.values[value].lm_until, plan_.values[value].line);
      plan_.lm[value] = static_cast<unsigned>(name - names.begin());
    }
    for (const std::size_t value : by_line_) {
      if (const int base = graph_.values[value].base; base >= 0)
        plan_.lm[value] = plan_.lm[static_cast<std::size_t>(base)];
    }
    return words;
  }

  [[nodiscard]] bool number_flags() {
    struct Life {
      int from = 0;
      int until = 0;
    };
    std::vector<Life> lives(graph_.flags);
    for (std::size_t number = 0; number < plan_.operations.size(); ++number) {
      const int line = plan_.operations[number].line;
      const SearchOperation& operation = graph_.operations[number];
      if (operation.flag_set >= 0) lives[static_cast<std::size_t>(operation.flag_set)].from = line;
      for (const int flag : operation.flags_used) {
        int& until = lives[static_cast<std::size_t>(flag)].until;
        until = std::max(until, line);
      }
    }
    std::vector<std::size_t> order(graph_.flags);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t flag) { return lives[flag].from; });
    Addresses numbers(std::vector<bool>(graph_.flag_numbers.size(), false));
    for (const std::size_t flag : order) {
      const auto number = numbers.place(1, 1, lives[flag].from, std::max(lives[flag].from, lives[flag].until));
      if (!number) return false;
      plan_.flags[flag] = graph_.flag_numbers[*number];
    }
    return true;
  }

  const SearchGraph& graph_;
  Plan plan_;
  std::vector<std::size_t> by_line_;  // values, ordered by line
};

}  // namespace

std::optional<Plan> allotted(const SearchGraph& graph, const Placement& placement, std::size_t lines) {
  return Allotment(graph, placement, lines).run();
}

}  // namespace gdr::assembler
