#include "full_scheduler.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>

#include "bundles.h"
#include "gdr/isa/effects.h"

namespace gdr::assembler {
namespace {

using isa::Source;
using isa::Unit;

constexpr unsigned bit(Unit unit) { return 1U << static_cast<unsigned>(unit); }

/// Gives consecutive numbers to keys; equal keys have equal numbers.
template <class Key>
class Numbers {
 public:
  int operator()(const Key& key) { return numbers_.emplace(key, static_cast<int>(numbers_.size())).first->second; }

 private:
  std::map<Key, int> numbers_;
};

auto key_of(const isa::ReadPort& port) {
  return std::tuple(port.address, port.width == isa::Width::long_word, port.vector, port.indirect);
}

auto key_of(const isa::BmPort& port) {
  return std::tuple(port.mode == isa::BmMode::write, port.address, port.width == isa::Width::long_word, port.vector,
                    port.record, port.one_pe, port.pe);
}

auto key_of(const isa::Immediate& immediate) {
  return std::tuple(immediate.width == isa::Width::long_word, immediate.value.high, immediate.value.low);
}

/// Converts the operations of a section for the search.
class Operations {
 public:
  explicit Operations(const FreeSection& section) : section_(section) {}

  std::vector<SearchOperation> all() {
    std::vector<SearchOperation> operations;
    for (std::size_t number = 0; number < section_.operations.size(); ++number) operations.push_back(of(number));
    return operations;
  }

 private:
  SearchOperation of(std::size_t number) {
    const UnitOperation& operation = section_.graph.operations[number];
    const FreeOperation& free = section_.operations[number];
    const isa::Line& line = operation.from->line;
    SearchOperation taken;
    taken.unit = operation.unit;
    taken.units = bit(operation.unit);
    taken.sequencer = line.vlen * 16 + line.mask.flag * 2 + (line.mask.inverted ? 1 : 0);
    taken.result = free.result;
    taken.writes_t = free.writes_t;
    taken.writes_gpr = free.writes_gpr;
    taken.writes_lm = free.writes_lm;
    taken.tenancy_read = free.tenancy_read;
    taken.tenancy_written = free.tenancy_written;
    taken.flag_set = free.flag_set;
    std::ranges::copy_if(free.flags_read, std::back_inserter(taken.flags_used), [](int flag) { return flag >= 0; });
    if (operation.unit == Unit::bm) {
      taken.moves = {Port::bm, broadcasts_(key_of(line.bm))};
      if (line.bm.mode == isa::BmMode::write) taken.inputs[0] = input(number, 0, line.bm.store_source);
      return taken;
    }
    const isa::Slot& slot = isa::slot_of(line, operation.unit);
    if (isa::info_of(slot.op).claims_adder) taken.units |= bit(Unit::adder);
    if (slot.flag.flag != 0 && free.flag_set < 0) taken.flags_kept = 1U << slot.flag.flag;
    taken.inputs = {input(number, 0, slot.a), input(number, 1, slot.b)};
    return taken;
  }

  SearchInput input(std::size_t number, std::size_t role, Source source) {
    const isa::Line& line = section_.graph.operations[number].from->line;
    SearchInput input;
    input.value = section_.operations[number].operands[role];
    if (input.value >= 0) return input;
    if (source == Source::gpr_a) input.stays = {Port::gpr, reads_(key_of(line.gpr_a))};
    if (source == Source::gpr_b) input.stays = {Port::gpr, reads_(key_of(line.gpr_b))};
    if (source == Source::lm) input.stays = {Port::lm, reads_(key_of(line.lm_read))};
    if (source == Source::bm) input.stays = {Port::bm, broadcasts_(key_of(line.bm))};
    if (source == Source::immediate) input.stays = {Port::immediate, immediates_(key_of(line.immediate))};
    return input;
  }

  const FreeSection& section_;
  Numbers<decltype(key_of(isa::ReadPort()))> reads_;
  Numbers<decltype(key_of(isa::BmPort()))> broadcasts_;
  Numbers<decltype(key_of(isa::Immediate()))> immediates_;
};

bool is_free(const FreeSection& section, std::size_t number, const CodeAccess& access) {
  const FreeOperation& operation = section.operations[number];
  if (access.storage == isa::Storage::flag) {
    if (access.write) return operation.flag_set >= 0;
    return access.unit != Unit::none && operation.flags_read[static_cast<std::size_t>(access.role)] >= 0;
  }
  if (!access.write) {
    return access.unit != Unit::none && ((access.role == isa::Role::a && operation.operands[0] >= 0) ||
                                         (access.role == isa::Role::b && operation.operands[1] >= 0));
  }
  return (access.role == isa::Role::t_write && !operation.writes_t) ||
         (access.role == isa::Role::gpr_write && !operation.writes_gpr) ||
         (access.role == isa::Role::lm_write && !operation.writes_lm);
}

/// Notes the fixed accesses to words that other iterations and sections may also access.
void note_ends(const FreeSection& section, const Surroundings& around, SearchGraph& graph) {
  graph.repeats = around.repeats;
  graph.first_read.assign(kAllWords, kNeverRead);
  for (const auto& lines : around.next) {
    for (std::size_t at = lines.size(); at-- > 0;) {
      for (const CodeAccess& access : lines[at]->accesses) {
        if (access.write || access.defines) continue;
        for_words(access, lines[at]->line.vlen, [&](unsigned word, unsigned) {
          graph.first_read[word] = std::min(graph.first_read[word], static_cast<int>(at));
        });
      }
    }
  }
  for (std::size_t number = 0; number < section.operations.size(); ++number) {
    const UnitOperation& operation = section.graph.operations[number];
    for (const CodeAccess& access : operation.from->accesses) {
      if (!belongs(access, operation) || access.defines || is_free(section, number, access)) continue;
      for_words(access, operation.from->line.vlen, [&](unsigned word, unsigned) {
        graph.ends.push_back({number, word, access.write ? int{access.latency} : 0});
      });
    }
  }
}

std::vector<bool> taken_of(const FreeSection& section, unsigned first, unsigned count) {
  std::vector<bool> taken;
  for (unsigned word = first; word < first + count; ++word) taken.push_back(section.taken.test(word));
  return taken;
}

SearchGraph search_graph(const FreeSection& section, const Surroundings& around) {
  SearchGraph graph;
  graph.operations = Operations(section).all();
  for (const FreeValue& value : section.values) {
    graph.values.push_back({value.operation, value.width, value.elements, value.base, value.readers});
  }
  graph.tenancies = section.tenancies;
  graph.flags = section.flags;
  graph.flag_numbers = flag_numbers(section);
  graph.bundles = bundles_of(section.graph);
  graph.gpr_taken = taken_of(section, kFirstGprWord, isa::kGprShortWords);
  graph.lm_taken = taken_of(section, kFirstLmWord, isa::kLmShortWords);
  graph.values_in_lm = section.local_memory_free;
  note_ends(section, around, graph);
  return graph;
}

}  // namespace

std::optional<Plan> find_plan(const FreeSection& section, const Surroundings& around, const ScheduleOptions& options,
                              std::size_t limit) {
  const SearchGraph graph = search_graph(section, around);
  // The cost of a schedule grows with the square of the number of operations if many are ready at a time.
  constexpr double kSteps = 3e6;
  const auto count = static_cast<double>(graph.bundles.bundles.size());
  const double tries = std::clamp(kSteps * options.effort / std::max(count * (1 + count / 50), 1.0), 1.0, 1e7);
  return search_plan(graph, {tries, 0, options.seed, limit});
}

}  // namespace gdr::assembler
