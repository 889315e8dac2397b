#include "placement.h"

#include <algorithm>

#include "gdr/isa/effects.h"

namespace gdr::assembler {
namespace {

// Keys of ports that read a value; smaller keys belong to words that keep their place.
constexpr int kValueKey = 1 << 20;
constexpr int kConstantKey = 1 << 29;  // keys of ports that read a constant's copy
constexpr std::size_t kBehind = 4;     // lines after the last one that a bundle may reach
constexpr int kComponents = 8;         // number of keys of a value: one for the whole value and one for each component

}  // namespace

Placement::Placement(const SearchGraph& graph)
    : graph_(graph),
      flag_order_(graph),
      gpr_free_(static_cast<unsigned>(std::ranges::count(graph.gpr_taken, false))),
      lm_free_(static_cast<unsigned>(std::ranges::count(graph.lm_taken, false))),
      bundle_of_(graph.operations.size()),
      offset_of_(graph.operations.size()),
      waits_(graph.bundles.bundles.size()),
      flag_users_(graph.flags) {
  for (std::size_t bundle = 0; bundle < waits_.size(); ++bundle) {
    for (const Bundle::Member& member : graph.bundles.bundles[bundle].members) {
      bundle_of_[member.operation] = bundle;
      offset_of_[member.operation] = member.offset;
      farthest_ = std::max(farthest_, member.offset + kBehind);
    }
    for (const Edge& edge : graph.bundles.edges[bundle]) waits_[edge.to].push_back({bundle, edge.lines});
  }
  for (const SearchOperation& operation : graph.operations) {
    for (const int flag : operation.flags_used) ++flag_users_[static_cast<std::size_t>(flag)];
  }
  for (const SearchValue& value : graph.values) {
    const isa::UnitInfo& unit = isa::info_of(graph.operations[value.operation].unit);
    latencies_.push_back({unit.forward_latency, unit.register_latency});
    words_.push_back(static_cast<int>(value.words()));
  }
  note_chains();
  note_register_readers();
  note_partners();
  note_units();
}

void Placement::note_chains() {
  over_.assign(graph_.values.size(), kNone);
  for (std::size_t value = 0; value < over_.size(); ++value) {
    if (const int base = graph_.values[value].base; base >= 0) {
      over_[static_cast<std::size_t>(base)] = static_cast<int>(value);
    }
  }
  for (std::size_t value = 0; value < over_.size(); ++value) {
    std::size_t root = value;
    while (graph_.values[root].base >= 0) root = static_cast<std::size_t>(graph_.values[root].base);
    std::size_t last = value;
    while (over_[last] >= 0) last = static_cast<std::size_t>(over_[last]);
    root_.push_back(root);
    last_.push_back(last);
  }
  uses_.assign(graph_.values.size(), 0);
  for (std::size_t value = 0; value < root_.size(); ++value) {
    uses_[root_[value]] += static_cast<int>(graph_.values[value].readers.size()) + (root_[value] != value ? 1 : 0);
  }
}

bool Placement::takes_lm(const SearchOperation& operation) {
  return std::ranges::any_of(operation.inputs, [](const SearchInput& input) { return input.stays.port == Port::lm; });
}

void Placement::note_register_readers() {
  for (const SearchValue& value : graph_.values) {
    const auto takes = [&](std::size_t reader) { return takes_lm(graph_.operations[reader]); };
    register_readers_.push_back(static_cast<int>(std::ranges::count_if(value.readers, takes)));
    if (!graph_.values_in_lm) ++register_readers_.back();  // a reader that is never placed
  }
}

void Placement::note_units() {
  for (const Bundle& bundle : graph_.bundles.bundles) {
    first_step_.push_back(steps_.size());
    for (const Bundle::Member& member : bundle.members) {
      steps_.push_back({member.offset, static_cast<int>(graph_.operations[member.operation].units)});
    }
  }
  first_step_.push_back(steps_.size());
}

void Placement::note_partners() {
  for (std::size_t value = 0; value < graph_.values.size(); ++value) {
    std::vector<Partner>& partners = partners_.emplace_back();
    for (const std::size_t reader : graph_.values[value].readers) {
      for (const SearchInput& input : graph_.operations[reader].inputs) {
        if (input.value < 0 || input.value == static_cast<int>(value)) continue;
        partners.push_back({reader, static_cast<std::size_t>(input.value)});
      }
    }
  }
}

void Placement::restart(std::size_t lines, const Genes& genes) {
  genes_ = &genes;
  // Schedules that are given up early leave most lines as they were.
  const std::size_t used = std::min(now_ + farthest_, lines_.size());
  std::fill_n(lines_.begin(), used, LineUse{});
  std::fill_n(gpr_words_used_.begin(), used, 0);
  std::fill_n(lm_words_used_.begin(), used, 0);
  lines_.resize(lines + kBehind);
  gpr_words_used_.resize(lines_.size(), 0);
  lm_words_used_.resize(lines_.size(), 0);
  now_ = 0;
  operations_.assign(graph_.operations.size(), {});
  values_.assign(graph_.values.size(), {});
  for (std::size_t value = 0; value < values_.size(); ++value) {
    values_[value].readers_left = static_cast<int>(graph_.values[value].readers.size());
  }
  register_readers_left_ = register_readers_;
  constants_.assign(graph_.constants.size(), 0);
  flags_left_ = flag_users_;
  flag_placed_.assign(graph_.flags, 0);
  homes_.assign(genes.homes ? graph_.values.size() : 0, 0);
  uses_left_ = uses_;
  held_.clear();
  flags_used_ = gpr_copies_ = lm_copies_ = lm_held_ = gpr_most_ = gpr_words_live_ = 0;
  tenant_ = kNone;
  for (std::size_t tenancy = 0; tenancy < graph_.tenancies.size(); ++tenancy) {
    if (!graph_.tenancies[tenancy].from_entry) continue;
    tenant_ = static_cast<int>(tenancy);
    tenant_left_ = static_cast<int>(graph_.tenancies[tenancy].accesses);
  }
  journal_.clear();
}

void Placement::begin_line(std::size_t line) {
  now_ = line;
  if (tenant_ >= 0 && lines_[line].t_holds < 0) lines_[line].t_holds = tenant_;
}

bool Placement::place(std::size_t bundle, std::size_t line) {
  released_ = false;
  journal_.clear();
  for (const Bundle::Member& member : graph_.bundles.bundles[bundle].members) {
    const std::size_t at = line + member.offset;
    if (at + 1 >= lines_.size() || !place_operation(member.operation, at)) {
      journal_.undo(0);
      return false;
    }
  }
  return true;
}

bool Placement::place_operation(std::size_t number, std::size_t line) {
  const SearchOperation& operation = graph_.operations[number];
  LineUse& use = lines_[line];
  if (!take_units(operation, use)) return false;
  for (const SearchInput& input : operation.inputs) {
    if (input.stays.port != Port::none && !take_ports(input.stays, line, operation.input_lines)) return false;
  }
  if (operation.moves.port != Port::none && !take_port(operation.moves, use)) return false;
  if (!take_tenancies(number, line) || !take_writes(number, line) || !take_flags(operation)) return false;
  set(operations_[number].line, static_cast<int>(line));
  return read_inputs(number, line, 0);
}

bool Placement::take_units(const SearchOperation& operation, LineUse& use) {
  const auto units = static_cast<int>(operation.units);
  const auto flags = static_cast<int>(operation.flags_kept);
  if ((use.units & units) != 0 || !shareable(use.sequencer, operation.sequencer) || (use.flags & flags) != 0) {
    return false;
  }
  set(use.sequencer, operation.sequencer);
  set(use.units, use.units | units);
  set(use.flags, use.flags | flags);
  return true;
}

bool Placement::take_port(PortKey port, LineUse& use) {
  const auto take = [&](int& place) {
    if (!shareable(place, port.key)) return false;
    set(place, port.key);
    return true;
  };
  switch (port.port) {
    case Port::none:
      return true;
    case Port::gpr:
      return std::ranges::any_of(use.gpr_read, take);
    case Port::lm:
      return take(use.lm_read);
    case Port::bm:
      return take(use.bm);
    case Port::immediate:
      return take(use.immediate);
  }
  return false;
}

bool Placement::take_ports(PortKey port, std::size_t line, unsigned lines) {
  for (std::size_t at = line; at < line + lines; ++at) {
    if (!take_port(port, lines_[at])) return false;
  }
  return true;
}

/// Reserves T for accesses that stay in T.
bool Placement::take_tenancies(std::size_t number, std::size_t line) {
  const SearchOperation& operation = graph_.operations[number];
  LineUse& use = lines_[line];
  const auto access = [&](int tenancy) {
    set(tenant_left_, tenant_left_ - 1);
    if (tenant_left_ > 0 || graph_.tenancies[static_cast<std::size_t>(tenancy)].to_end) return;
    set(tenant_, kNone);
    released_ = true;
  };
  if (const int tenancy = operation.tenancy_read; tenancy >= 0) {
    if (tenant_ != tenancy || !shareable(use.t_holds, tenancy)) return false;
    set(use.t_holds, tenancy);
    access(tenancy);
  }
  if (const int tenancy = operation.tenancy_written; tenancy >= 0) {
    if (use.t_write >= 0 || (tenant_ >= 0 && tenant_ != tenancy)) return false;
    if (tenant_ < 0) {
      set(tenant_, tenancy);
      set(tenant_left_, static_cast<int>(graph_.tenancies[static_cast<std::size_t>(tenancy)].accesses));
    }
    access(tenancy);
  }
  return true;
}

/// Reserves ports for results that keep their place.
bool Placement::take_writes(std::size_t number, std::size_t line) {
  const SearchOperation& operation = graph_.operations[number];
  LineUse& use = lines_[line];
  // If the second line of a long product reads T again on the next line, T must still hold the same tenancy there.
  if (operation.writes_t && !shareable(lines_[line + 1].t_holds, operation.tenancy_written)) return false;
  const auto take = [&](bool wanted, int& port) {
    if (!wanted) return true;
    if (port >= 0) return false;
    set(port, static_cast<int>(number));
    return true;
  };
  return take(operation.writes_t, use.t_write) && take(operation.writes_gpr, use.gpr_write) &&
         take(operation.writes_lm, use.lm_write);
}

/// Flags are in use while they have users that are not placed.
bool Placement::take_flags(const SearchOperation& operation) {
  for (const int flag : operation.flags_used) {
    int& left = flags_left_[static_cast<std::size_t>(flag)];
    set(left, left - 1);
    if (left > 0) continue;
    set(flags_used_, flags_used_ - 1);
    released_ = true;
  }
  if (operation.flag_set < 0) return true;
  const auto flag = static_cast<std::size_t>(operation.flag_set);
  set(flag_placed_[flag], 1);
  if (flag_users_[flag] == 0) return true;
  if (flags_used_ >= static_cast<int>(graph_.flag_numbers.size())) return false;
  if (genes_->flags_in_order) {
    for (std::size_t earlier = 0; earlier < flag; ++earlier) {
      if (flag_placed_[earlier] == 0 && flag_users_[earlier] > 0) return false;
    }
  }
  set(flags_used_, flags_used_ + 1);
  return !genes_->homes || flags_have_end();
}

bool Placement::flags_have_end() const {
  if (!flag_order_.is_known() || graph_.flags <= graph_.flag_numbers.size()) return true;
  std::uint64_t set = 0;
  std::uint64_t in_use = 0;
  for (std::size_t flag = 0; flag < flag_placed_.size(); ++flag) {
    if (flag_placed_[flag] == 0) continue;
    set |= std::uint64_t{1} << flag;
    if (flags_left_[flag] > 0) in_use |= std::uint64_t{1} << flag;
  }
  return flag_order_.has_end(set, in_use);
}

/// Finds ways to read the inputs from `input` on: values first, because they have more ways than constants. All
/// combinations of ways are tried until one has room.
bool Placement::read_inputs(std::size_t number, std::size_t line, std::size_t input) {
  const std::array<SearchInput, 2>& inputs = graph_.operations[number].inputs;
  if (input == inputs.size()) {
    for (std::size_t at = 0; at < inputs.size(); ++at) {
      if (inputs[at].constant >= 0 && !read_constant(number, line, at)) return false;
    }
    return finish(number, line);
  }
  if (inputs[input].value < 0) {
    if (inputs[input].stays.port != Port::none) set(operations_[number].ways[input], static_cast<int>(Way::own));
    return read_inputs(number, line, input + 1);
  }
  const auto value = static_cast<std::size_t>(inputs[input].value);
  const PlacedValue& placed = values_[value];
  if (placed.line < 0) return false;
  std::array<bool, 5> tried{};
  const auto try_way = [&](Way way) {
    bool& known = tried[static_cast<std::size_t>(way)];
    if (std::exchange(known, true)) return false;
    const std::size_t mark = journal_.mark();
    if (read_value(number, line, input, way) && read_inputs(number, line, input + 1)) return true;
    journal_.undo(mark);
    return false;
  };
  // Where the value already is, reading it needs only a port.
  if (placed.gpr != 0 && try_way(Way::gpr)) return true;
  if (placed.lm != 0 && try_way(Way::lm)) return true;
  if (lines_[line].t_holds == in_t(value) && try_way(Way::t)) return true;
  static constexpr std::array<std::array<Way, 3>, kPreferences> kOrders{{{Way::t, Way::gpr, Way::lm},
                                                                         {Way::gpr, Way::lm, Way::t},
                                                                         {Way::t, Way::lm, Way::gpr},
                                                                         {Way::lm, Way::gpr, Way::t}}};
  return std::ranges::any_of(kOrders[static_cast<std::size_t>(genes_->preferences[value])], try_way);
}

/// Reads a constant through its own port, or from a copy that exists or can be made.
bool Placement::read_constant(std::size_t number, std::size_t line, std::size_t input) {
  const SearchOperation& operation = graph_.operations[number];
  const auto constant = static_cast<std::size_t>(operation.inputs[input].constant);
  const auto attempt = [&](Way way) {
    const int key = kConstantKey + static_cast<int>(constant);
    const PortKey port =
        way == Way::own ? graph_.constants[constant].own : PortKey{way == Way::gpr ? Port::gpr : Port::lm, key};
    const std::size_t mark = journal_.mark();
    set(operations_[number].ways[input], static_cast<int>(way));
    if (take_ports(port, line, operation.input_lines) && (way == Way::own || copy_constant(constant, way))) return true;
    journal_.undo(mark);
    return false;
  };
  if (attempt(Way::own)) return true;
  if (!graph_.constants_move) return false;
  if (const auto copy = static_cast<Way>(constants_[constant]); copy != Way::none) return attempt(copy);
  return attempt(Way::gpr) || attempt(Way::lm);
}

bool Placement::copy_constant(std::size_t constant, Way way) {
  if (constants_[constant] != static_cast<int>(Way::none)) return true;
  const bool gpr = way == Way::gpr;
  const std::vector<int>& used = gpr ? gpr_words_used_ : lm_words_used_;
  int& copies = gpr ? gpr_copies_ : lm_copies_;
  const auto words = static_cast<int>(isa::short_words(graph_.constants[constant].width));
  int most = *std::max_element(used.begin(), used.begin() + static_cast<std::ptrdiff_t>(now_ + 1));
  if (genes_->homes) most = gpr ? std::max(gpr_most_, words_held(now_)) : std::max(most, lm_held_);
  if (most + copies + words > static_cast<int>(gpr ? gpr_free_ : lm_free_)) return false;
  set(copies, copies + words);
  set(constants_[constant], static_cast<int>(way));
  return true;
}

bool Placement::has_latency_passed(std::size_t value, std::size_t line, Way way) const {
  const Latencies& latencies = latencies_[value];
  return line >= line_of(value) + (way == Way::t ? latencies.forward : latencies.elsewhere);
}

bool Placement::read_value(std::size_t number, std::size_t line, std::size_t input, Way way) {
  const SearchOperation& operation = graph_.operations[number];
  const auto value = static_cast<std::size_t>(operation.inputs[input].value);
  const int component = operation.inputs[input].component;
  const std::size_t until = line + operation.input_lines - 1;
  if (!has_latency_passed(value, line, way)) return false;
  if (way == Way::t ? component >= 0 || !read_in_t(value, until)
                    : !read_in_memory(value, component, line, until, way)) {
    return false;
  }
  set(operations_[number].ways[input], static_cast<int>(way));
  const bool again = input == 1 && operation.inputs[0].value == operation.inputs[1].value;
  if (again) return true;
  int& left = values_[value].readers_left;
  set(left, left - 1);
  if (left == 0 && values_[value].gpr != 0) set(gpr_words_live_, gpr_words_live_ - words_of(value));
  if (genes_->homes) note_use(value);
  if (takes_lm(operation)) set(register_readers_left_[value], register_readers_left_[value] - 1);
  if (left == 0 && line_of(value) + 1 == line) released_ = true;
  if (way == Way::t && tenant_ == in_t(value)) {
    set(tenant_left_, tenant_left_ - 1);
    if (tenant_left_ == 0) {
      set(tenant_, kNone);
      released_ = true;
    }
  }
  return true;
}

bool Placement::read_in_t(std::size_t value, std::size_t until) {
  // T keeps its tenant after the line that is being filled.
  if (until > now_ && line_of(value) + 1 > now_ && tenant_ >= 0 && tenant_ != in_t(value)) return false;
  return keep_in_t(value, until);
}

/// Keeps the value in T from its line on.
bool Placement::keep_in_t(std::size_t value, std::size_t until) {
  PlacedValue& placed = values_[value];
  const std::size_t from = line_of(value);
  const auto writer = static_cast<int>(graph_.values[value].operation);
  if (!shareable(lines_[from].t_write, writer)) return false;
  for (std::size_t at = from + 1; at <= until; ++at) {
    if (!shareable(lines_[at].t_holds, in_t(value)) || (at < until && lines_[at].t_write >= 0)) return false;
  }
  for (std::size_t at = from + 1; at <= until; ++at) set(lines_[at].t_holds, in_t(value));
  set(lines_[from].t_write, writer);
  set(placed.t, 1);
  // Where the condition does not hold, the base remains, so it must have been in T.
  const int base = graph_.values[value].base;
  return base < 0 || keep_in_t(static_cast<std::size_t>(base), from);
}

bool Placement::read_in_memory(std::size_t value, int component, std::size_t line, std::size_t until, Way way) {
  const bool gpr = way == Way::gpr;
  if (values_[value].in_t_alone != 0 || (!gpr && !may_stand_in_lm(value))) {
    return false;
  }
  // Ports are checked first: that is cheap, and they are what is most often missing.
  const int key = kValueKey + kComponents * static_cast<int>(value) + component + 1;
  for (std::size_t at = line; at <= until; ++at) {
    if (!take_port({gpr ? Port::gpr : Port::lm, key}, lines_[at])) return false;
  }
  if (genes_->homes ? !has_home(value, way) : !stand(value, gpr)) return false;
  const std::size_t root = root_[value];
  int& kept = gpr ? values_[root].gpr_until : values_[root].lm_until;
  const auto from = static_cast<std::size_t>(std::max(kept, values_[root].line));
  if (from >= until) return true;
  const int words = words_of(root);
  const int most = gpr ? static_cast<int>(gpr_free_) - gpr_copies_ : static_cast<int>(lm_free_) - lm_copies_;
  if (!take_words(gpr ? gpr_words_used_ : lm_words_used_, words, most, from, until)) return false;
  set(kept, static_cast<int>(until));
  return true;
}

/// Whoever needs local memory's port for something else must find it in a register.
bool Placement::may_stand_in_lm(std::size_t value) const {
  return graph_.values_in_lm && (register_readers_left_[value] == 0 || values_[value].gpr != 0);
}

/// The value, and what it overwrites, stand in a register or in local memory.
bool Placement::stand(std::size_t value, bool gpr) {
  int& there = gpr ? values_[value].gpr : values_[value].lm;
  if (there != 0) return true;
  LineUse& use = lines_[line_of(value)];
  int& port = gpr ? use.gpr_write : use.lm_write;
  if (port >= 0 || values_[value].in_t_alone != 0) return false;
  set(port, static_cast<int>(graph_.values[value].operation));
  set(there, 1);
  if (gpr && values_[value].readers_left > 0) set(gpr_words_live_, gpr_words_live_ + words_of(value));
  const int base = graph_.values[value].base;
  return base < 0 || stand(static_cast<std::size_t>(base), gpr);
}

/// Takes `more` words in each line from one to before another.
bool Placement::take_words(std::vector<int>& words, int more, int most, std::size_t from, std::size_t until) {
  int* const first = words.data() + from;
  const std::size_t lines = until - from;
  int busiest = 0;
  for (std::size_t line = 0; line < lines; ++line) busiest = std::max(busiest, first[line]);
  if (busiest + more > most) return false;
  journal_.add(first, lines, more);
  return true;
}

/// All inputs are read: whatever has no place yet must have room, the operation's result included.
bool Placement::finish(std::size_t number, std::size_t line) {
  const SearchOperation& operation = graph_.operations[number];
  for (const SearchInput& input : operation.inputs) {
    if (input.value >= 0 && !has_room(line_of(static_cast<std::size_t>(input.value)))) return false;
  }
  if (operation.result < 0) return has_room(line);
  const auto value = static_cast<std::size_t>(operation.result);
  set(values_[value].line, static_cast<int>(line));
  set(lines_[line].results[static_cast<std::size_t>(operation.unit) - 1], operation.result);
  if (genes_->careful && !stand_at_once(value)) return false;
  if (genes_->homes && !stand_with_base(value)) return false;
  const int base = graph_.values[value].base;
  if (base >= 0 && !has_room(line_of(static_cast<std::size_t>(base)))) return false;
  if (genes_->homes && line == now_ && !has_room(line + 1)) return false;
  return has_room(line);
}

/// Keeps the value in T alone: nothing else is written there until all its readers are placed.
bool Placement::keep_in_t_alone(std::size_t value, std::size_t line) {
  PlacedValue& placed = values_[value];
  if (!is_homeless(value) || graph_.values[value].base >= 0 || over_[value] >= 0 || tenant_ >= 0) return false;
  const auto writer = static_cast<int>(graph_.values[value].operation);
  if (!shareable(lines_[line].t_write, writer) || !shareable(lines_[line + 1].t_holds, in_t(value))) return false;
  for (const std::size_t reader : graph_.values[value].readers) {
    for (const SearchInput& input : graph_.operations[reader].inputs) {
      if (input.value == static_cast<int>(value) && input.component >= 0) return false;
    }
  }
  set(tenant_, in_t(value));
  set(tenant_left_, placed.readers_left);
  set(lines_[line].t_write, writer);
  set(placed.t, 1);
  set(placed.in_t_alone, 1);
  return true;
}

/// Gives a value a place as soon as it is computed, for sections that run out of places otherwise.
bool Placement::stand_at_once(std::size_t value) {
  if (values_[value].readers_left == 0 && over_[value] < 0) return true;
  if (const int base = graph_.values[value].base; base >= 0) {
    return stand(value, values_[static_cast<std::size_t>(base)].gpr != 0);
  }
  constexpr int kSpare = 8;  // short words
  int words = gpr_words_live_ + gpr_copies_;
  if (values_[value].gpr == 0 || values_[value].readers_left == 0) words += words_of(value);
  return stand(value, words + kSpare <= static_cast<int>(gpr_free_) || register_readers_left_[value] > 0);
}

/// True if the value will be read and is not yet in a register or local memory.
bool Placement::is_homeless(std::size_t value) const {
  const PlacedValue& placed = values_[value];
  if (placed.gpr != 0 || placed.lm != 0 || placed.in_t_alone != 0) return false;
  if (const int over = over_[value]; over >= 0) {
    return values_[static_cast<std::size_t>(over)].line < 0 || is_homeless(static_cast<std::size_t>(over));
  }
  return placed.readers_left > 0;
}

Placement::Homeless Placement::homeless_of(std::size_t line) const {
  Homeless found;
  for (const int result : lines_[line].results) {
    if (result < 0 || !is_homeless(static_cast<std::size_t>(result))) continue;
    ++found.all;
    const bool to_register = genes_->homes ? !may_move_to_lm(root_[static_cast<std::size_t>(result)])
                                           : register_readers_left_[last_[static_cast<std::size_t>(result)]] > 0;
    if (to_register) ++found.for_registers;
  }
  return found;
}

int Placement::crowding(std::size_t line) const {
  const LineUse& use = lines_[line];
  const Homeless homeless = homeless_of(line);
  const int over = std::max(homeless.all - (use.lm_write < 0 ? 1 : 0), homeless.for_registers);
  if (over <= 0) return 0;
  return use.gpr_write < 0 && (!genes_->homes || has_words(line)) ? over - 1 : over;
}

/// True if all values of a line that still have readers can get a place: in a register, in local memory, or one of them
/// in T if a reader can take it there in the next line.
bool Placement::has_room(std::size_t line) const {
  const int over = crowding(line);
  if (over > 0 && (over > 1 || genes_->strict || !forwarded_from(line))) return false;
  return over > 0 || std::ranges::none_of(lines_[line].results, [&](int result) {
           if (result < 0) return false;
           const auto value = static_cast<std::size_t>(result);
           const bool no_register = is_for_lm(value) || (genes_->homes && is_homeless(value) && !has_words(line));
           return no_register && meets_another_in_lm(value);
         });
}

/// True if local memory is the only place left for the value.
bool Placement::is_for_lm(std::size_t value) const {
  const PlacedValue& placed = values_[value];
  if (placed.readers_left == 0 || placed.in_t_alone != 0) return false;
  // What will overwrite another value is there, too.
  if (genes_->homes && homes_[root_[value]] != 0) return has_home(value, Way::lm);
  return placed.line >= 0 && placed.gpr == 0 && lines_[line_of(value)].gpr_write >= 0;
}

/// True if some operation would read two words of local memory, whose port reads one.
bool Placement::meets_another_in_lm(std::size_t value) const {
  return std::ranges::any_of(partners_[value], [&](const Partner& partner) {
    return operations_[partner.reader].line < 0 && is_for_lm(partner.value);
  });
}

bool Placement::forwarded_from(std::size_t line) const {
  if (line + 1 < now_ || tenant_ >= 0) return false;
  const LineUse& use = lines_[line];
  return std::ranges::any_of(use.results, [&](int result) {
    if (result < 0) return false;
    const auto value = static_cast<std::size_t>(result);
    const auto writer = static_cast<int>(graph_.values[value].operation);
    if (!is_homeless(value) || over_[value] >= 0 || !shareable(use.t_write, writer) ||
        !shareable(lines_[line + 1].t_holds, in_t(value))) {
      return false;
    }
    int left = 0;
    std::size_t last = 0;
    for (const std::size_t reader : graph_.values[value].readers) {
      if (operations_[reader].line >= 0) continue;
      ++left;
      last = reader;
    }
    if (left != 1 || !may_stand(last, line + 1)) return false;
    return std::ranges::none_of(graph_.operations[last].inputs, [&](const SearchInput& input) {
      return input.value == result && input.component >= 0;
    });
  });
}

/// True if the dependences of the operation allow it on this line.
bool Placement::may_stand(std::size_t number, std::size_t line) const {
  if (offset_of_[number] != 0) return false;
  return std::ranges::all_of(waits_[bundle_of_[number]], [&](const Waits& waits) {
    const int before = operations_[graph_.bundles.bundles[waits.bundle].members.front().operation].line;
    return before >= 0 && before + waits.lines <= static_cast<std::ptrdiff_t>(line);
  });
}

bool Placement::relieves(std::size_t bundle, std::size_t line) const {
  return std::ranges::any_of(graph_.bundles.bundles[bundle].members, [&](const Bundle::Member& member) {
    return std::ranges::any_of(graph_.operations[member.operation].inputs, [&](const SearchInput& input) {
      if (input.value < 0 || input.component >= 0) return false;
      const auto value = static_cast<std::size_t>(input.value);
      return values_[value].line == static_cast<int>(line) && is_homeless(value);
    });
  });
}

bool Placement::settle(std::size_t line) {
  const int over = crowding(line);
  if (over <= 0) return !genes_->homes || give_homes(line);
  if (over > 1 || lines_[line + 1].t_write >= 0) return false;
  for (const int result : lines_[line].results) {
    if (result < 0 || lines_[line + 2].t_holds >= 0) continue;
    journal_.clear();
    if (!keep_in_t_alone(static_cast<std::size_t>(result), line)) continue;
    if (crowding(line) <= 0) {
      lines_[line + 1].t_holds = tenant_;
      return !genes_->homes || give_homes(line);
    }
    journal_.undo(0);
  }
  return false;
}

}  // namespace gdr::assembler
