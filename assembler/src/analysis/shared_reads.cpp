#include "shared_reads.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "gdr/isa/effects.h"
#include "gdr/isa/line.h"

namespace gdr::assembler {
namespace {

using isa::Source;
using isa::Unit;

/// Sets of operations.
class OperationSets {
 public:
  explicit OperationSets(std::size_t operations)
      : words_((operations + kBits - 1) / kBits), sets_(operations * words_, 0) {}

  [[nodiscard]] bool has(std::size_t set, std::size_t operation) const {
    return (sets_[set * words_ + operation / kBits] >> operation % kBits & 1U) != 0;
  }
  /// Returns whether this changes the set.
  bool add(std::size_t set, std::size_t operation) {
    std::uint64_t& word = sets_[set * words_ + operation / kBits];
    const std::uint64_t before = word;
    word |= std::uint64_t{1} << operation % kBits;
    return word != before;
  }
  /// Adds to a set all of a set in `from`; returns whether this changes the set.
  bool add_all(std::size_t set, const OperationSets& from, std::size_t other) {
    bool changed = false;
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t& here = sets_[set * words_ + word];
      const std::uint64_t before = here;
      here |= from.sets_[other * words_ + word];
      changed = changed || here != before;
    }
    return changed;
  }

 private:
  static constexpr std::size_t kBits = 64;
  std::size_t words_;
  std::vector<std::uint64_t> sets_;
};

/// For each operation those that must be on a later line.
OperationSets later_operations(const SectionGraph& graph) {
  const std::size_t count = graph.operations.size();
  std::vector<std::vector<const Dependence*>> after(count);
  for (const Dependence& edge : graph.dependences) after[edge.before].push_back(&edge);
  OperationSets following(count);  // on the same line or later
  OperationSets later(count);
  for (bool changed = true; changed;) {  // edges within a line may lead backward
    changed = false;
    for (std::size_t at = count; at-- > 0;) {
      for (const Dependence* edge : after[at]) {
        changed = following.add(at, edge->after) || changed;
        changed = following.add_all(at, following, edge->after) || changed;
        changed = later.add_all(at, later, edge->after) || changed;
        if (edge->lines == 0) continue;
        changed = later.add(at, edge->after) || changed;
        changed = later.add_all(at, following, edge->after) || changed;
      }
    }
  }
  return later;
}

/// Reads that are equal in all that a line has only once.
template <class Port>
struct Group {
  Port port;
  const isa::Line* line = nullptr;
  std::vector<std::size_t> readers;  // operations, in the order of lines; without a graph empty
  unsigned loads = 0;                // to registers, each of which takes a line of its own
};

/// The longest sequence of readers that must be on different lines.
std::vector<std::size_t> longest_sequence(const OperationSets& later, const std::vector<std::size_t>& readers) {
  std::vector<std::vector<std::size_t>> ending;  // the longest one that ends with each reader
  for (const std::size_t reader : readers) {
    std::vector<std::size_t> longest;
    for (const std::vector<std::size_t>& before : ending) {
      if (later.has(before.back(), reader) && before.size() > longest.size()) longest = before;
    }
    longest.push_back(reader);
    ending.push_back(std::move(longest));
  }
  return *std::ranges::max_element(ending, {}, &std::vector<std::size_t>::size);
}

/// Readers of one word of which no two can be on one line: they follow each other, or one unit executes all of them.
std::vector<std::size_t> apart(const SectionGraph& graph, const OperationSets& later,
                               const std::vector<std::size_t>& readers) {
  std::vector<std::size_t> most = longest_sequence(later, readers);
  for (const isa::UnitInfo& unit : isa::units()) {
    std::vector<std::size_t> of_unit;
    std::ranges::copy_if(readers, std::back_inserter(of_unit),
                         [&](std::size_t reader) { return graph.operations[reader].unit == unit.unit; });
    if (of_unit.size() > most.size()) most = std::move(of_unit);
  }
  return most;
}

template <class Port>
class Groups {
 public:
  Group<Port>& of(const Port& port, const isa::Line& line) {
    const auto same = [&](const Group<Port>& group) {
      return group.port == port && group.line->vlen == line.vlen && group.line->mask == line.mask;
    };
    const auto found = std::ranges::find_if(groups_, same);
    if (found != groups_.end()) return *found;
    return groups_.emplace_back(Group<Port>{port, &line, {}, 0});
  }

  /// For each group, readers of which no two can be on one line.
  [[nodiscard]] SeparateReads separate(const SectionGraph* graph, const OperationSets* later) const {
    SeparateReads all;
    for (const Group<Port>& group : groups_) {
      std::vector<std::size_t> readers;
      if (graph != nullptr) readers = apart(*graph, *later, group.readers);
      all.fewest += std::max({static_cast<unsigned>(readers.size()), group.loads, 1U});
      all.readers.insert(all.readers.end(), readers.begin(), readers.end());
    }
    return all;
  }

 private:
  std::vector<Group<Port>> groups_;
};

class Reads {
 public:
  /// What a unit of a line reads; `operation` is its number in the graph, or nothing.
  void add(const isa::Line& line, Unit unit, std::optional<std::size_t> operation) {
    const auto add_to = [&](auto& groups, const auto& port) {
      auto& group = groups.of(port, line);
      // Both sources of an operation may read one word.
      const bool is_known = operation && !group.readers.empty() && group.readers.back() == *operation;
      if (operation && !is_known) group.readers.push_back(*operation);
      return &group;
    };
    const bool is_bm = unit == Unit::bm;
    if (is_bm && line.bm.mode == isa::BmMode::write) {
      ++stores_;
    } else if (is_bm) {
      ++add_to(bm_, line.bm)->loads;
    }
    std::vector<Source> sources{line.bm.store_source};
    if (!is_bm) sources = {isa::slot_of(line, unit).a, isa::slot_of(line, unit).b};
    std::ranges::sort(sources);
    const auto repeated = std::ranges::unique(sources);
    sources.erase(repeated.begin(), repeated.end());
    for (const Source source : sources) {
      if (source == Source::gpr_a) add_to(gpr_, line.gpr_a);
      if (source == Source::gpr_b) add_to(gpr_, line.gpr_b);
      if (source == Source::lm) add_to(lm_, line.lm_read);
      if (source == Source::immediate) add_to(immediate_, line.immediate);
      if (source == Source::bm) add_to(bm_, line.bm);
    }
  }

  [[nodiscard]] FewestReads fewest(const SectionGraph* graph, const OperationSets* later) const {
    return {gpr_.separate(graph, later), lm_.separate(graph, later), immediate_.separate(graph, later),
            bm_.separate(graph, later).fewest + stores_};
  }

 private:
  Groups<isa::ReadPort> gpr_;
  Groups<isa::ReadPort> lm_;
  Groups<isa::Immediate> immediate_;
  Groups<isa::BmPort> bm_;
  unsigned stores_ = 0;
};

}  // namespace

FewestReads fewest_reads(const std::vector<CodeLine>& body, const SectionGraph* graph) {
  Reads reads;
  if (graph != nullptr) {
    for (std::size_t number = 0; number < graph->operations.size(); ++number) {
      const UnitOperation& operation = graph->operations[number];
      reads.add(operation.from->line, operation.unit, number);
    }
    const OperationSets later = later_operations(*graph);
    return reads.fewest(graph, &later);
  }
  for (const CodeLine& line : body) {
    const isa::Effects effects = isa::effects(line.line);
    for (const isa::UnitInfo& unit : isa::units()) {
      if (effects.works(unit.unit)) reads.add(line.line, unit.unit, std::nullopt);
    }
  }
  return reads.fewest(nullptr, nullptr);
}

}  // namespace gdr::assembler
