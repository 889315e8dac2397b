#include "event_study.h"

#include <algorithm>
#include <utility>

#include "gdr/isa/effects.h"

namespace gdr::debugger {

using isa::Storage;
using isa::Unit;

namespace {

std::size_t number_of(Unit unit) { return static_cast<std::size_t>(unit); }

}  // namespace

EventStudy::EventStudy(const isa::Program& program) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& coded : program.lines(static_cast<isa::Section>(section))) {
      const isa::Effects effects = isa::effects(isa::decoded(coded.word));
      Line line;
      line.elements = effects.elements();
      line.accesses.assign(effects.reads().begin(), effects.reads().end());
      line.accesses.insert(line.accesses.end(), effects.writes().begin(), effects.writes().end());
      lines_[section].push_back(std::move(line));
    }
  }
  for (const isa::Variable* result : program.variables_by(isa::Transfer::rrn)) {
    if (result->memory == isa::Memory::bm) continue;
    std::vector<bool>& words = result->memory == isa::Memory::gpr ? result_gpr_ : result_lm_;
    const unsigned length =
        result->elements * isa::short_words(result->width) * (result->vector ? isa::kVectorElements : 1);
    for (unsigned n = result->address; n < std::min<std::size_t>(result->address + length, words.size()); ++n) {
      words[n] = true;
    }
  }
}

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

bool EventStudy::is_result(const isa::Access& access, unsigned element) const {
  const std::vector<bool>& words = access.storage == Storage::gpr ? result_gpr_ : result_lm_;
  const isa::WordRange range = isa::words_of(access, element);
  for (unsigned n = range.first; n < std::min<std::size_t>(range.last, words.size()); ++n) {
    if (words[n]) return true;
  }
  return false;
}

/// `gate` decides whether the word is written, so it depends on the gate in either case.
void EventStudy::write(Pe& pe, const isa::Access& access, unsigned element, Group value, Group gate, const Done& done) {
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
  if (is_result(access, element) || access.indirect) {
    take(written ? joined(value, gate) : gate);
    if (!access.indirect) value = gate = 0;
  }
  if (access.indirect) return;
  const std::span<Group> words = in_gpr ? std::span<Group>(pe.gpr) : pe.lm;
  const isa::WordRange range = isa::words_of(access, element);
  for (unsigned n = range.first; n < std::min<std::size_t>(range.last, words.size()); ++n) set(words[n], written);
}

void EventStudy::follow(const Line& line, Pe& pe, const DoneOfPe& done) {
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
      if (access.unit == Unit::none) {
        mask = joined(mask, found);
      } else if (access.purpose == isa::Purpose::gate) {
        gates[number_of(access.unit)] = joined(gates[number_of(access.unit)], found);
      } else {
        values[number_of(access.unit)] = joined(values[number_of(access.unit)], found);
      }
    }
    for (std::size_t unit = 0; unit < values.size(); ++unit) {
      if (done[element].events[unit]) values[unit] = joined(values[unit], pe.own[element]);
    }
    for (const isa::Access& access : line.accesses) {
      if (!access.write) continue;
      const std::size_t unit = number_of(access.unit);
      writes.push_back({&access, element, values[unit], joined(gates[unit], mask)});
    }
  }
  for (const Write& one : writes) write(pe, *one.access, one.element, one.value, one.gate, done[one.element]);
}

void EventStudy::follow(const emulator::NextLine& line, const emulator::BlockStepper& block) {
  begin_iteration(line);
  std::vector<DoneOfPe> done(isa::kPesPerBlock);
  for (const emulator::PlacedEvent& event : block.events()) {
    Pe& pe = pes_[event.place.pe];
    Group& own = pe.own[event.place.element];
    if (own == 0) {
      own = static_cast<Group>(groups_.size());
      groups_.emplace_back();
    }
    Events& events = groups_[own];
    events.counts += event.event;
    if (events.first.size() < emulator::kKeptEvents) events.first.push_back(event);
    done[event.place.pe][event.place.element].events[number_of(event.unit)] = true;
    pe.depends = true;
  }
  const bool any = std::ranges::any_of(pes_, [](const Pe& pe) { return pe.depends; });
  if (!any) return;
  for (const emulator::WordWrite& write : block.written()) {
    Done& of_element = done[write.pe][write.element];
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
  const Line& code = lines_[static_cast<std::size_t>(line.section)][line.line];
  for (std::size_t pe = 0; pe < pes_.size(); ++pe) {
    if (pes_[pe].depends) follow(code, pes_[pe], done[pe]);
  }
}

emulator::FpEvents EventStudy::untaken() const {
  emulator::FpEvents all;
  for (const Events& group : groups_) {
    if (!group.taken) all += group.counts;
  }
  return all;
}

void EventStudy::add_taken(emulator::FirstEvents& first) const {
  for (const Events& group : groups_) {
    if (!group.taken) continue;
    for (const emulator::PlacedEvent& event : group.first) first.add(event);
  }
}

}  // namespace gdr::debugger
