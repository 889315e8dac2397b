#include "event_study.h"

#include <algorithm>
#include <utility>

#include "gdr/isa/effects.h"

namespace gdr::hostlib {

using isa::Storage;

namespace {

std::size_t unit_index(isa::Unit unit) { return static_cast<std::size_t>(unit); }

}  // namespace

EventStudy::EventStudy(const KernelWords& words, unsigned pes, IsCollected is_collected)
    : words_(words), is_collected_(std::move(is_collected)), pes_(pes), done_(pes) {}

void EventStudy::begin_iteration(const emulator::NextLine& line) {
  if (line.section == section_ && line.iteration == iteration_ && line.line != 0) return;
  section_ = line.section;
  iteration_ = line.iteration;
  for (Pe& pe : pes_) pe.own.fill(0);
}

EventStudy::Group EventStudy::joined(Group a, Group b) {
  if (a == 0 || a == b) return b;
  if (b == 0) return a;
  take(std::min(a, b));
  return std::max(a, b);
}

void EventStudy::take(Group group) {
  if (group != 0) groups_[group].taken = true;
}

EventStudy::Group EventStudy::read(const Pe& pe, const isa::Access& access, unsigned element) {
  switch (access.storage) {
    case Storage::t:
      return pe.t[element];
    case Storage::flag:
      return pe.flags[access.address][element];
    case Storage::gpr:
    case Storage::lm:
      break;
    case Storage::bm:
    case Storage::record:
      return 0;  // what depends on an event there counts as taken
  }
  const std::span<const Group> words = access.storage == Storage::gpr ? std::span<const Group>(pe.gpr) : pe.lm;
  const isa::WordRange range = isa::words_of(access, element);
  Group found = 0;
  for (unsigned n = range.first; n < std::min<std::size_t>(range.last, words.size()); ++n) {
    found = joined(found, words[n]);
  }
  return found;
}

/// `gate` decides whether the word is written, so it depends on the gate in either case.
void EventStudy::write(unsigned number, const isa::Access& access, unsigned element, Group value, Group gate,
                       const Done& done) {
  Pe& pe = pes_[number];
  const auto set = [&](Group& word, bool written) {
    word = written ? joined(value, gate) : joined(word, gate);
    pe.depends = pe.depends || word != 0;
  };
  switch (access.storage) {
    case Storage::t:
      return set(pe.t[element], done.t);
    case Storage::flag:
      return set(pe.flags[access.address][element], done.flags[access.address]);
    case Storage::bm:
    case Storage::record:
      if (done.bm) take(joined(value, gate));
      return;
    case Storage::gpr:
    case Storage::lm:
      break;
  }
  const bool in_gpr = access.storage == Storage::gpr;
  const bool written = in_gpr ? done.gpr : done.lm;
  const bool is_result = !access.indirect && words_.results().meets(access, element);
  if (access.indirect || (is_result && is_collected_(number, element))) take(written ? joined(value, gate) : gate);
  if (is_result) value = gate = 0;
  if (access.indirect) return;
  const std::span<Group> words = in_gpr ? std::span<Group>(pe.gpr) : pe.lm;
  const isa::WordRange range = isa::words_of(access, element);
  for (unsigned n = range.first; n < std::min<std::size_t>(range.last, words.size()); ++n) set(words[n], written);
}

void EventStudy::follow(const KernelWords::Line& line, unsigned number, const DoneOfPe& done) {
  Pe& pe = pes_[number];
  struct Write {
    const isa::Access* access;
    unsigned element;
    Group value;
    Group gate;
  };
  std::vector<Write> writes;  // all operands are read before a result is written
  for (unsigned element = 0; element < line.elements; ++element) {
    std::array<Group, isa::kUnits + 1> values{};
    std::array<Group, isa::kUnits + 1> gates{};
    Group mask = 0;
    for (const isa::Access& access : line.accesses) {
      if (access.write) continue;
      const Group found = access.defines ? 0 : read(pe, access, element);
      if (access.unit == isa::Unit::none) {
        mask = joined(mask, found);
      } else if (access.purpose == isa::Purpose::gate) {
        gates[unit_index(access.unit)] = joined(gates[unit_index(access.unit)], found);
      } else {
        values[unit_index(access.unit)] = joined(values[unit_index(access.unit)], found);
      }
    }
    for (std::size_t unit = 0; unit < values.size(); ++unit) {
      if (done[element].events[unit]) values[unit] = joined(values[unit], pe.own[element]);
    }
    for (const isa::Access& access : line.accesses) {
      if (!access.write) continue;
      const std::size_t unit = unit_index(access.unit);
      writes.push_back({&access, element, values[unit], joined(gates[unit], mask)});
    }
  }
  for (const Write& one : writes) write(number, *one.access, one.element, one.value, one.gate, done[one.element]);
}

bool EventStudy::follow(const emulator::NextLine& line, const emulator::BlockStepper& block) {
  begin_iteration(line);
  const std::vector<emulator::PlacedEvent> line_events = block.events();
  for (const emulator::PlacedEvent& event : line_events) {
    Pe& pe = pes_[event.place.pe];
    Group& own = pe.own[event.place.element];
    if (own == 0) {
      own = static_cast<Group>(groups_.size());
      groups_.emplace_back();
    }
    Events& events = groups_[own];
    events.counts += event.event;
    if (events.first.size() < emulator::kKeptEvents) events.first.push_back(event);
    done_[event.place.pe][event.place.element].events[unit_index(event.unit)] = true;
    pe.depends = true;
  }
  if (std::ranges::none_of(pes_, &Pe::depends)) return false;
  for (const emulator::WordWrite& write : block.written()) {
    Done& of_element = done_[write.pe][write.element];
    switch (write.storage) {
      case Storage::t:
        of_element.t = true;
        break;
      case Storage::flag:
        of_element.flags[write.address] = true;
        break;
      case Storage::gpr:
        of_element.gpr = true;
        break;
      case Storage::lm:
        of_element.lm = true;
        break;
      case Storage::bm:
      case Storage::record:
        of_element.bm = true;
        break;
    }
  }
  const KernelWords::Line& code = words_.line(line.section, line.line);
  for (unsigned pe = 0; pe < pes_.size(); ++pe) {
    if (pes_[pe].depends) follow(code, pe, done_[pe]);
    done_[pe] = {};
  }
  return !line_events.empty();
}

bool EventStudy::forget_all_but(const PeWordSet& live) {
  bool nothing = true;
  const auto forget = [](auto& groups, const auto& kept) {
    bool any = false;
    for (std::size_t n = 0; n < groups.size(); ++n) {
      if (!kept[n]) groups[n] = 0;
      any = any || groups[n] != 0;
    }
    return any;
  };
  for (Pe& pe : pes_) {
    if (!pe.depends) continue;
    pe.depends = forget(pe.t, live.t);
    for (std::size_t flag = 0; flag < pe.flags.size(); ++flag) {
      if (forget(pe.flags[flag], live.flags[flag])) pe.depends = true;
    }
    if (forget(pe.gpr, live.gpr)) pe.depends = true;
    if (forget(pe.lm, live.lm)) pe.depends = true;
    nothing = nothing && !pe.depends;
  }
  return nothing;
}

void EventStudy::take_the_rest() {
  for (const Pe& pe : pes_) {
    if (!pe.depends) continue;
    std::ranges::for_each(pe.t, [&](Group group) { take(group); });
    for (const auto& flag : pe.flags) std::ranges::for_each(flag, [&](Group group) { take(group); });
    std::ranges::for_each(pe.gpr, [&](Group group) { take(group); });
    std::ranges::for_each(pe.lm, [&](Group group) { take(group); });
  }
}

emulator::FpEvents EventStudy::untaken() const {
  emulator::FpEvents all;
  for (const Events& group : groups_) {
    if (!group.taken) all += group.counts;
  }
  return all;
}

emulator::FpEvents EventStudy::all() const {
  emulator::FpEvents all;
  for (const Events& group : groups_) all += group.counts;
  return all;
}

void EventStudy::add_taken(emulator::FirstEvents& first) const {
  for (const Events& group : groups_) {
    if (!group.taken) continue;
    for (const emulator::PlacedEvent& event : group.first) first.add(event);
  }
}

}  // namespace gdr::hostlib
