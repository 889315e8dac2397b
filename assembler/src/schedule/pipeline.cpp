#include "pipeline.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "bundles.h"

namespace gdr::assembler {
namespace {

using isa::Memory;
using isa::Source;
using isa::Storage;
using isa::Unit;

constexpr int kForEver = std::numeric_limits<int>::max();
constexpr double kScanEffort = 0.02;       // effort of the search for each cut
constexpr double kSecondScanEffort = 0.1;  // effort for each of the best cuts
constexpr std::size_t kMostScanned = 12;
constexpr std::size_t kMostOffered = 3;

/// Registers or local memory: for each short word, the line after which it may be written again.
class Places {
 public:
  Places(const Words& taken, unsigned first, unsigned count) : until_(count, -1) {
    for (unsigned word = 0; word < count; ++word) {
      if (taken.test(first + word)) until_[word] = kForEver;
    }
  }

  std::optional<unsigned> take(unsigned words, unsigned step, int from, int until) {
    for (unsigned address = 0; address + words <= until_.size(); address += step) {
      const auto first = until_.begin() + address;
      if (std::any_of(first, first + words, [&](int busy) { return busy >= from; })) continue;
      std::fill(first, first + words, until);
      return address;
    }
    return std::nullopt;
  }

 private:
  std::vector<int> until_;
};

bool reads_record(const CodeLine& line) {
  return std::ranges::any_of(
      line.accesses, [](const CodeAccess& access) { return !access.write && access.storage == Storage::record; });
}

CodeLine made(isa::Line line, const Place& where) {
  CodeLine code;
  code.line = line;
  code.where = where;
  code.text = isa::print(line);
  add_accesses(code);
  return code;
}

/// A line that sets the flag of all elements to a condition on zero: `zero` sets the flag, `negative` clears it.
CodeLine flag_line(unsigned flag, isa::Condition condition, bool jvalid, const Place& where) {
  isa::Line line;
  line.vlen = isa::kVectorElements;
  line.alu.op = isa::Op::UXOR;
  line.alu.a = line.alu.b = Source::pe_id;
  line.alu.flag = {static_cast<std::uint8_t>(flag), condition, {0, false, jvalid}};
  return made(line, where);
}

/// The rotated body with one operation on each line (a long product on two).
struct Rotation {
  std::vector<CodeLine> lines;
  std::size_t second = 0;  // number of lines of the second stage, which come first
  std::size_t set = 0;     // index of the line that sets the flag for an earlier iteration
};

/// A value that both stages read: the second stage reads a copy at `address`.
struct Crossing {
  std::size_t value = 0;
  isa::Memory memory = isa::Memory::gpr;
  unsigned address = 0;
};

/// A rotated body under construction.
struct Draft {
  Plan plan;
  std::vector<bool> second;  // for each operation, true if it is in the second stage
  Places gpr;
  Places lm;
  std::vector<bool> in_lm;  // values that a reader reads from local memory
  std::vector<Crossing> crossings;
};

bool reads_through(const isa::Line& line, Source port) {
  const std::array<const isa::Slot*, 3> slots{&line.adder, &line.multiplier, &line.alu};
  return std::ranges::any_of(slots, [&](const isa::Slot* slot) { return slot->a == port || slot->b == port; });
}

/// A register port that the line's only operation does not use: its other operand takes at most one of the two.
Source free_port(const isa::Line& line) { return reads_through(line, Source::gpr_a) ? Source::gpr_b : Source::gpr_a; }

isa::ReadPort& port_of(isa::Line& line, Source port) { return port == Source::gpr_a ? line.gpr_a : line.gpr_b; }

/// A line in place of another one.
CodeLine remade(const isa::Line& line, const CodeLine& before) {
  CodeLine code = made(line, before.where);
  code.text = before.text;
  return code;
}

class Pipeliner {
 public:
  Pipeliner(const PipelineJob& job, const FreeSection& section)
      : job_(job), section_(section), bundles_(bundles_of(section.graph)), turned_(job.flags[0]), valid_(job.flags[1]) {
    find_order();
  }

  void run(const std::function<bool(const Pipelined&)>& accept) {
    std::multimap<std::size_t, Rotation> found;  // ordered by number of lines
    ScheduleOptions quick = job_.options;
    quick.effort *= kScanEffort;
    for (const std::vector<bool>& second : cuts()) {
      for (const Way crossing : {Way::gpr, Way::lm, Way::none}) {
        auto rotation = rotated(second, crossing);
        if (!rotation) continue;
        if (const auto plan = plan_of(*rotation, quick, job_.limit)) found.emplace(plan->lines, *std::move(rotation));
      }
    }
    found = better_of(std::move(found));
    std::multimap<std::size_t, Pipelined> offers;
    for (const auto& [lines, rotation] : found) {
      if (offers.size() == kMostOffered) break;
      if (auto offer = finished(rotation)) {
        const std::size_t packed = offer->body.size();
        offers.emplace(packed, *std::move(offer));
      }
    }
    for (const auto& [lines, offer] : offers) {
      if (accept(offer)) return;
    }
  }

 private:
  /// The best candidates of a scan, ordered by what a longer search finds.
  [[nodiscard]] std::multimap<std::size_t, Rotation> better_of(std::multimap<std::size_t, Rotation>&& found) const {
    ScheduleOptions longer = job_.options;
    longer.effort *= kSecondScanEffort;
    std::multimap<std::size_t, Rotation> better;
    std::size_t scanned = 0;
    for (auto& [lines, rotation] : found) {
      if (scanned++ == kMostScanned) break;
      const auto plan = plan_of(rotation, longer, lines);
      better.emplace(plan ? plan->lines : lines, std::move(rotation));
    }
    return better;
  }

  // ---- stages ------------------------------------------------------------------------------------------------------

  /// Orders bundles so that each comes after those it waits for, and otherwise as in the source.
  void find_order() {
    std::vector<unsigned> waits_for = bundles_.predecessors();
    const auto later = [&](std::size_t a, std::size_t b) { return first_of(a) > first_of(b); };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
    levels_.assign(bundles_.bundles.size(), 0);
    for (std::size_t bundle = 0; bundle < levels_.size(); ++bundle) {
      if (waits_for[bundle] == 0) ready.push(bundle);
    }
    while (!ready.empty()) {
      const std::size_t bundle = ready.top();
      ready.pop();
      order_.push_back(bundle);
      for (const Edge& edge : bundles_.edges[bundle]) {
        levels_[edge.to] = std::max(levels_[edge.to], levels_[bundle] + edge.lines);
        if (--waits_for[edge.to] == 0) ready.push(edge.to);
      }
    }
  }
  [[nodiscard]] std::size_t first_of(std::size_t bundle) const {
    return bundles_.bundles[bundle].members.front().operation;
  }

  /// For each cut, which bundles are in the second stage: by the earliest and by the latest line that they can be on.
  [[nodiscard]] std::vector<std::vector<bool>> cuts() const {
    const std::vector<std::ptrdiff_t> ways = bundles_.ways().value();
    const std::ptrdiff_t depth = *std::ranges::max_element(ways);
    std::vector<std::vector<bool>> all;
    for (const bool late : {false, true}) {
      for (std::ptrdiff_t level = 1; level <= depth; ++level) {
        std::vector<bool> second(order_.size());
        for (const std::size_t bundle : order_) {
          if ((late ? depth - ways[bundle] : levels_[bundle]) >= level) second[bundle] = true;
          if (!second[bundle]) continue;
          for (const Edge& edge : bundles_.edges[bundle]) second[edge.to] = true;
        }
        // An edge may lead to a bundle whose own level puts it in the first stage.
        for (const std::size_t bundle : order_) {
          for (const Edge& edge : bundles_.edges[bundle]) second[edge.to] = second[edge.to] || second[bundle];
        }
        const bool both = std::ranges::count(second, true) > 0 && std::ranges::count(second, false) > 0;
        if (both && std::ranges::find(all, second) == all.end()) all.push_back(std::move(second));
      }
    }
    return all;
  }

  // ---- the rotated body --------------------------------------------------------------------------------------------

  [[nodiscard]] std::optional<Rotation> rotated(const std::vector<bool>& second, Way crossing) const {
    Plan plan;
    plan.operations.resize(section_.operations.size());
    plan.values.resize(section_.values.size());
    Draft draft{std::move(plan),
                std::vector<bool>(section_.operations.size()),
                {section_.taken, kFirstGprWord, isa::kGprShortWords},
                {section_.taken, kFirstLmWord, isa::kLmShortWords},
                std::vector<bool>(section_.values.size()),
                {}};
    Rotation rotation;
    for (const bool stage : {true, false}) {
      for (const std::size_t bundle : order_) {
        if (second[bundle] != stage) continue;
        std::size_t taken = 0;
        for (const Bundle::Member& member : bundles_.bundles[bundle].members) {
          draft.plan.operations[member.operation].line = static_cast<int>(draft.plan.lines + member.offset);
          draft.second[member.operation] = stage;
          taken = std::max(taken, member.offset + 1);
        }
        if (bundles_.bundles[bundle].members.size() > taken) return std::nullopt;  // operations that share a line
        draft.plan.lines += taken;
      }
      if (stage) rotation.second = draft.plan.lines;
    }
    if (!give_places(draft, crossing)) return std::nullopt;
    rotation.lines = lines_of(draft.plan, section_);
    if (!can_wait(rotation)) return std::nullopt;
    cross(draft, rotation);
    if (!copy_records(rotation, draft.gpr)) return std::nullopt;
    add_flags(rotation);
    return rotation;
  }

  /// Gives a value a place from one line to another, and its readers the way to it; false if no place is free.
  bool give_place(Draft& draft, std::size_t value, int from, int until) const {
    const FreeValue& free = section_.values[value];
    const FreeOperation& writer = section_.operations[free.operation];
    const unsigned step = isa::short_words(free.width);
    std::optional<unsigned> address;
    if (!writer.writes_gpr) address = draft.gpr.take(free.words(), step, from, until);
    const Way way = address ? Way::gpr : Way::lm;
    if (!address && !writer.writes_lm && may_stand_in_local_memory(draft, value)) {
      address = draft.lm.take(free.words(), step, from, until);
    }
    if (!address) return false;
    if (way == Way::lm) draft.in_lm[value] = true;
    Plan& plan = draft.plan;
    (way == Way::gpr ? plan.gpr : plan.lm)[value] = *address;
    (way == Way::gpr ? plan.values[value].gpr : plan.values[value].lm) = 1;
    plan.values[value].line = plan.operations[free.operation].line;
    for (const std::size_t reader : free.readers) {
      for (std::size_t operand = 0; operand < 2; ++operand) {
        if (section_.operations[reader].operands[operand] == static_cast<int>(value)) {
          plan.operations[reader].ways[operand] = static_cast<int>(way);
        }
      }
    }
    return true;
  }

  /// Gives each value a register or a word of local memory. A value that goes from the first to the second stage has a
  /// place of its own, from which the second stage reads it. If the first stage reads it, too, it may be copied there;
  /// until the copy is made, the second stage has the value of the iteration before. `crossing` says where such copies
  /// are made; none: no copies.
  [[nodiscard]] bool give_places(Draft& draft, Way crossing) const {
    Plan& plan = draft.plan;
    plan.gpr.resize(section_.values.size());
    plan.lm.resize(section_.values.size());
    const auto line_of = [&](std::size_t operation) { return plan.operations[operation].line; };
    std::vector<std::size_t> order;
    for (std::size_t value = 0; value < section_.values.size(); ++value) {
      const FreeValue& free = section_.values[value];
      const auto by_second = static_cast<std::size_t>(
          std::ranges::count_if(free.readers, [&](std::size_t reader) { return draft.second[reader]; }));
      if (draft.second[free.operation] || by_second == 0) {
        order.push_back(value);
      } else if (by_second == free.readers.size() || crossing == Way::none) {
        if (!give_place(draft, value, 0, kForEver)) return false;
      } else {
        order.push_back(value);
        if (!add_crossing(draft, value, crossing)) return false;
      }
    }
    std::ranges::sort(order, {},
                      [&](std::size_t value) { return std::pair(line_of(section_.values[value].operation), value); });
    for (const std::size_t value : order) {
      const FreeValue& free = section_.values[value];
      const int from = line_of(free.operation);
      int until = from;
      for (const std::size_t reader : free.readers) {
        if (draft.second[reader] == draft.second[free.operation]) until = std::max(until, line_of(reader));
      }
      const bool copied = std::ranges::any_of(draft.crossings, [&](const Crossing& one) { return one.value == value; });
      if (!give_place(draft, value, from, copied ? kForEver - 1 : until)) return false;
    }
    return true;
  }

  bool add_crossing(Draft& draft, std::size_t value, Way crossing) const {
    const FreeValue& free = section_.values[value];
    const unsigned step = isa::short_words(free.width);
    const Memory preferred = crossing == Way::lm ? Memory::lm : Memory::gpr;
    for (const Memory memory : {preferred, preferred == Memory::gpr ? Memory::lm : Memory::gpr}) {
      if (memory == Memory::lm && !may_stand_in_local_memory(draft, value)) continue;
      Places& places = memory == Memory::gpr ? draft.gpr : draft.lm;
      const auto address = places.take(free.words(), step, 0, kForEver);
      if (!address) continue;
      if (memory == Memory::lm) draft.in_lm[value] = true;
      draft.crossings.push_back({value, memory, *address});
      return true;
    }
    return false;
  }

  /// Copies the values that both stages read, and makes the second stage read the copies.
  void cross(const Draft& draft, Rotation& rotation) const {
    for (const Crossing& crossing : draft.crossings) {
      const FreeValue& free = section_.values[crossing.value];
      const isa::ReadPort from{static_cast<std::uint16_t>(crossing.address), free.width, true, false};
      for (const std::size_t reader : free.readers) {
        if (!draft.second[reader]) continue;
        const auto at = static_cast<std::size_t>(draft.plan.operations[reader].line);
        isa::Line line = rotation.lines[at].line;
        for (std::size_t operand = 0; operand < 2; ++operand) {
          if (section_.operations[reader].operands[operand] != static_cast<int>(crossing.value)) continue;
          isa::Slot& slot = isa::slot_of(line, section_.graph.operations[reader].unit);
          Source& source = operand == 0 ? slot.a : slot.b;
          const Source before = std::exchange(source, Source::none);
          const bool from_gpr = before == Source::gpr_a || before == Source::gpr_b;
          if (from_gpr && !reads_through(line, before)) port_of(line, before) = {};
          source = crossing.memory == Memory::lm ? Source::lm : free_port(line);
          (crossing.memory == Memory::lm ? line.lm_read : port_of(line, source)) = from;
        }
        rotation.lines[at] = remade(line, rotation.lines[at]);
      }
      const CodeLine& writer = rotation.lines[static_cast<std::size_t>(draft.plan.operations[free.operation].line)];
      const bool in_gpr = draft.plan.values[crossing.value].gpr != 0;
      isa::Line copy;
      copy.vlen = free.elements;
      copy.alu.op = isa::Op::UPASSA;
      copy.alu.width = free.width;
      copy.alu.a = in_gpr ? Source::gpr_a : Source::lm;
      const unsigned place = (in_gpr ? draft.plan.gpr : draft.plan.lm)[crossing.value];
      (in_gpr ? copy.gpr_a : copy.lm_read) = {static_cast<std::uint16_t>(place), free.width, true, false};
      (crossing.memory == Memory::gpr ? copy.gpr_write : copy.lm_write) = {
          Unit::alu, static_cast<std::uint16_t>(crossing.address), true, false, {}};
      rotation.lines.push_back(made(copy, writer.where));
    }
  }

  /// True if no reader also reads another word of local memory.
  [[nodiscard]] bool may_stand_in_local_memory(const Draft& draft, std::size_t value) const {
    if (!section_.local_memory_free) return false;
    return std::ranges::none_of(section_.values[value].readers, [&](std::size_t reader) {
      const UnitOperation& operation = section_.graph.operations[reader];
      std::array<Source, 2> sources{operation.from->line.bm.store_source, Source::none};
      if (operation.unit != Unit::bm) {
        const isa::Slot& slot = isa::slot_of(operation.from->line, operation.unit);
        sources = {slot.a, slot.b};
      }
      for (std::size_t operand = 0; operand < 2; ++operand) {
        const int other = section_.operations[reader].operands[operand];
        if (other == static_cast<int>(value)) continue;
        if (other < 0 ? sources[operand] == Source::lm : draft.in_lm[static_cast<std::size_t>(other)]) return true;
      }
      return false;
    });
  }

  /// True if the second stage can be skipped: its writes can take one more condition, and it has no other effects.
  [[nodiscard]] static bool can_wait(const Rotation& rotation) {
    for (std::size_t at = 0; at < rotation.second; ++at) {
      const isa::Line& line = rotation.lines[at].line;
      for (const isa::WritePort* port : {&line.t_write, &line.gpr_write, &line.lm_write}) {
        if (port->predicate.flag != 0) return false;
      }
      for (const isa::Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
        if (slot->flag.predicate.flag != 0) return false;
      }
      const bool indirect = line.lm_read.indirect || line.lm_write.indirect;  // its address may be anything
      if (indirect || line.bm.mode == isa::BmMode::write) return false;
    }
    return true;
  }

  /// The j-record is no longer there when the second stage runs, so the first stage copies the words that the second
  /// one reads.
  [[nodiscard]] bool copy_records(Rotation& rotation, Places& gpr) const {
    std::vector<std::pair<isa::BmPort, isa::ReadPort>> copied;
    std::vector<CodeLine> copies;
    for (std::size_t at = 0; at < rotation.second; ++at) {
      if (!reads_record(rotation.lines[at])) continue;
      isa::Line line = rotation.lines[at].line;
      const auto moves = [](const isa::WritePort& port) { return port.source == Unit::bm; };
      if (moves(line.t_write) || moves(line.gpr_write) || moves(line.lm_write) || line.mask.flag != 0) return false;
      auto found = std::ranges::find(copied, line.bm, &std::pair<isa::BmPort, isa::ReadPort>::first);
      if (found == copied.end()) {
        const unsigned step = isa::short_words(line.bm.width);
        const auto address = gpr.take(step * (line.bm.vector ? isa::kVectorElements : 1U), step, 0, kForEver);
        if (!address) return false;
        copied.emplace_back(line.bm,
                            isa::ReadPort{static_cast<std::uint16_t>(*address), line.bm.width, line.bm.vector, false});
        found = std::prev(copied.end());
        isa::Line copy;
        copy.vlen = isa::kVectorElements;
        copy.bm = line.bm;
        copy.gpr_write = {Unit::bm, found->second.address, line.bm.vector, false, {}};
        copies.push_back(made(copy, rotation.lines[at].where));
      }
      const Source port = free_port(line);
      for (isa::Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
        if (slot->a == Source::bm) slot->a = port;
        if (slot->b == Source::bm) slot->b = port;
      }
      port_of(line, port) = found->second;
      line.bm = {};
      rotation.lines[at] = remade(line, rotation.lines[at]);
    }
    rotation.lines.insert(rotation.lines.begin() + static_cast<std::ptrdiff_t>(rotation.second), copies.begin(),
                          copies.end());
    return true;
  }

  /// Adds two flags: whether there was an iteration before, and whether this one has a record, which is true for all
  /// iterations but the last.
  void add_flags(Rotation& rotation) const {
    const Place where = rotation.lines.back().where;
    rotation.lines.push_back(flag_line(valid_, isa::Condition::negative, false, where));
    rotation.lines.push_back(flag_line(valid_, isa::Condition::zero, true, where));
    rotation.set = rotation.lines.size();
    rotation.lines.push_back(flag_line(turned_, isa::Condition::zero, false, where));
  }

  // ---- its lines ---------------------------------------------------------------------------------------------------

  /// Words that are live at both ends: those that pass from one iteration to the next are.
  [[nodiscard]] Words ends_of(const Rotation& rotation) const {
    Words leaving = job_.leaving | job_.entering;
    for (const std::size_t at : {rotation.set, rotation.set - 1}) {  // loop termination reads the flags
      for (const CodeAccess& access : rotation.lines[at].accesses) {
        if (access.write) for_words(access, isa::kVectorElements, [&](unsigned word, unsigned) { leaving.set(word); });
      }
    }
    Words words = leaving;
    for (auto line = rotation.lines.rbegin(); line != rotation.lines.rend(); ++line) words = live_before(*line, words);
    return leaving | words;
  }

  [[nodiscard]] std::optional<FreeSection> free_of(const Rotation& rotation) const {
    const Words ends = ends_of(rotation);
    std::optional<FreeSection> free =
        free_section(rotation.lines, job_.tails, job_.record_words, ends, ends, Conditions::free);
    if (!free) return free;
    std::size_t set = 0;
    std::vector<std::size_t> second;
    for (std::size_t number = 0; number < free->graph.operations.size(); ++number) {
      const auto at = static_cast<std::size_t>(free->graph.operations[number].from - rotation.lines.data());
      if (at == rotation.set) set = number;
      if (at < rotation.second) second.push_back(number);
    }
    // If the second stage is skipped in the first iteration, a word keeps its value from before the loop. Such words
    // must stay.
    const auto of_second = [&](std::size_t number) { return std::ranges::binary_search(second, number); };
    for (const FreeValue& value : free->values) {
      const bool returns = of_second(value.operation) && !std::ranges::all_of(value.readers, of_second);
      const bool merged = value.base >= 0 && of_second(free->values[static_cast<std::size_t>(value.base)].operation);
      if (returns || (merged && !of_second(value.operation))) return std::nullopt;
    }
    // The second stage depends on the flag.
    for (const std::size_t number : second) free->graph.dependences.push_back({number, set, 0});
    return free;
  }

  [[nodiscard]] std::optional<Plan> plan_of(const Rotation& rotation, const ScheduleOptions& options,
                                            std::size_t limit) const {
    const auto free = free_of(rotation);
    return free ? find_plan(*free, job_.around, options, limit) : std::nullopt;
  }

  [[nodiscard]] std::optional<Pipelined> finished(const Rotation& rotation) const {
    const auto free = free_of(rotation);
    const auto plan = find_plan(*free, job_.around, job_.options, job_.limit);
    if (!plan) return std::nullopt;
    Pipelined result;
    result.left = free->left | section_.left;
    result.body = lines_of(*plan, *free);
    for (std::size_t number = 0; number < plan->operations.size(); ++number) {
      const UnitOperation& operation = free->graph.operations[number];
      if (static_cast<std::size_t>(operation.from - rotation.lines.data()) >= rotation.second) continue;
      gate(result.body[static_cast<std::size_t>(plan->operations[number].line)].line, operation.unit, turned_, turned_);
    }
    for (CodeLine& line : result.body) renew_accesses(line);
    if (!add_epilogue(rotation, result)) return std::nullopt;
    add_prologue(rotation, result);
    return result;
  }

  /// Puts the unit's writes under a flag. Results, which `$jvalid` gates in a body, are put under `valid`.
  static void gate(isa::Line& line, Unit unit, unsigned flag, unsigned valid) {
    const auto under = [&](isa::Predicate& predicate) {
      predicate = {static_cast<std::uint8_t>(predicate.jvalid ? valid : flag), false, false};
    };
    for (isa::WritePort* port : {&line.t_write, &line.gpr_write, &line.lm_write}) {
      if (port->source == unit) under(port->predicate);
    }
    if (unit == Unit::bm) return;
    isa::Slot& slot = isa::slot_of(line, unit);
    if (slot.flag.flag != 0) under(slot.flag.predicate);
  }

  static void renew_accesses(CodeLine& line) {
    line.accesses.clear();
    add_accesses(line);
  }

  /// The second stage of the last iteration: it writes its results only if that iteration had a record, and nothing if
  /// there was no iteration.
  bool add_epilogue(const Rotation& rotation, Pipelined& result) const {
    const std::vector<CodeLine> lines(rotation.lines.begin(),
                                      rotation.lines.begin() + static_cast<std::ptrdiff_t>(rotation.second));
    const auto free =
        free_section(lines, {}, job_.record_words, ends_of(rotation), job_.leaving | job_.entering, Conditions::kept);
    if (!free) return false;
    ScheduleOptions quick = job_.options;
    quick.effort *= kScanEffort;
    constexpr std::size_t kMostForEach = 4;  // lines for each operation, including what it waits for
    const auto plan = find_plan(*free, {}, quick, kMostForEach * lines.size() + kMostForEach);
    if (!plan) return false;
    result.left |= free->left;
    result.epilogue = lines_of(*plan, *free);
    for (std::size_t number = 0; number < plan->operations.size(); ++number) {
      gate(result.epilogue[static_cast<std::size_t>(plan->operations[number].line)].line,
           free->graph.operations[number].unit, turned_, valid_);
    }
    for (CodeLine& line : result.epilogue) renew_accesses(line);
    return true;
  }

  /// Initialises every word that the second stage may read before the first stage has written it, and clears the flags.
  void add_prologue(const Rotation& rotation, Pipelined& result) const {
    Words wanted = ends_of(rotation) & ~(job_.entering | job_.leaving);
    for (const CodeLine& code : rotation.lines) {
      for (const CodeAccess& access : code.accesses) {
        if (!access.write) continue;
        bool needed = false;
        for_words(access, code.line.vlen, [&](unsigned word, unsigned) {
          needed = needed || wanted.test(word);
          wanted.reset(word);
        });
        if (!needed) continue;
        if (access.storage == Storage::flag) {
          result.prologue.push_back(flag_line(access.address, isa::Condition::negative, false, code.where));
          continue;
        }
        isa::Line line;
        line.vlen = isa::kVectorElements;
        line.alu.op = isa::Op::UXOR;
        line.alu.a = line.alu.b = Source::pe_id;
        line.alu.width = access.width;
        isa::WritePort port{Unit::alu, static_cast<std::uint16_t>(access.address), access.step > 0, false, {}};
        if (access.storage == Storage::t) {
          line.t_write = {Unit::alu, 0, false, false, {}};
        } else {
          (access.storage == Storage::gpr ? line.gpr_write : line.lm_write) = port;
        }
        result.prologue.push_back(made(line, code.where));
      }
    }
  }

  const PipelineJob& job_;
  const FreeSection& section_;
  BundleGraph bundles_;
  unsigned turned_;                     // flag: there was an iteration before
  unsigned valid_;                      // flag: the last iteration had a record
  std::vector<std::size_t> order_;      // of bundles
  std::vector<std::ptrdiff_t> levels_;  // for each bundle the first line that it can be on
};

}  // namespace

void pipeline(const PipelineJob& job, const std::function<bool(const Pipelined&)>& accept) {
  constexpr std::size_t kFlags = 2;
  if (job.flags.size() < kFlags || job.body.empty()) return;
  const auto section = free_section(job.body, job.tails, job.record_words, job.entering, job.leaving, Conditions::kept);
  if (section && !section->operations.empty()) Pipeliner(job, *section).run(accept);
}

}  // namespace gdr::assembler
