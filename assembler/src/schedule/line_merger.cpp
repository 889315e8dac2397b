#include "line_merger.h"

#include <algorithm>
#include <array>

#include "gdr/isa/effects.h"

namespace gdr::assembler {
namespace {

using isa::BmMode;
using isa::Line;
using isa::Slot;
using isa::Source;
using isa::Unit;

constexpr std::array kWritePorts{&Line::t_write, &Line::gpr_write, &Line::lm_write};

/// Shares a port through which `to` already reads the same, or takes a free port.
template <class Port>
bool share(Line& to, Source source, Port Line::* port, const Port& wanted) {
  if (isa::reads(to, source) && to.*port != wanted) return false;
  to.*port = wanted;
  return true;
}

bool share_bm(Line& to, const isa::BmPort& wanted) {
  if (to.bm.mode != BmMode::none && to.bm != wanted) return false;
  to.bm = wanted;
  return true;
}

/// Finds the source of `to` that gives the same word that `from` reads through `source`, and takes its port. False if
/// none is free.
bool take_source(Line& to, const Line& from, Source source, Source& taken) {
  taken = source;
  switch (source) {
    case Source::gpr_a:
    case Source::gpr_b: {
      const isa::ReadPort& wanted = source == Source::gpr_a ? from.gpr_a : from.gpr_b;
      taken = Source::gpr_a;
      if (share(to, Source::gpr_a, &Line::gpr_a, wanted)) return true;
      taken = Source::gpr_b;
      return share(to, Source::gpr_b, &Line::gpr_b, wanted);
    }
    case Source::lm:
      return share(to, source, &Line::lm_read, from.lm_read);
    case Source::immediate:
      return share(to, source, &Line::immediate, from.immediate);
    case Source::bm:
      return share_bm(to, from.bm);
    case Source::none:
    case Source::t_short:
    case Source::t_long:
    case Source::pe_id:
    case Source::bb_id:
      return true;  // these take no port
  }
  return false;
}

bool take_writes(Line& to, const Line& from, Unit unit) {
  for (const auto port : kWritePorts) {
    if ((from.*port).source != unit) continue;
    if ((to.*port).source != Unit::none) return false;
    to.*port = from.*port;
  }
  return true;
}

bool take_slot(Line& to, const Line& from, Unit unit, const isa::Effects& there) {
  const Slot& wanted = isa::slot_of(from, unit);
  if (there.busy(unit) || (isa::info_of(wanted.op).claims_adder && there.busy(Unit::adder))) return false;
  for (const isa::Access& write : there.writes()) {
    if (write.storage == isa::Storage::flag && write.address == wanted.flag.flag) return false;
  }
  Slot& slot = isa::slot_of(to, unit);
  slot = wanted;
  slot.a = slot.b = Source::none;  // they claim no port yet
  Source taken = Source::none;
  if (!take_source(to, from, wanted.a, taken)) return false;
  slot.a = taken;
  if (!take_source(to, from, wanted.b, taken)) return false;
  slot.b = taken;
  return true;
}

bool take_bm(Line& to, const Line& from, const isa::Effects& there) {
  if (there.works(Unit::bm)) return false;
  isa::BmPort wanted = from.bm;
  if (wanted.mode == BmMode::write) {
    if (there.busy(Unit::bm) || !take_source(to, from, wanted.store_source, wanted.store_source)) return false;
  }
  return share_bm(to, wanted);
}

}  // namespace

bool add_operation(Line& to, const Line& from, Unit unit) {
  isa::Effects there = isa::effects(to);
  const auto works = [&](const isa::UnitInfo& info) { return there.works(info.unit); };
  if (std::ranges::none_of(isa::units(), works)) {
    to = {};
    to.vlen = from.vlen;
    to.mask = from.mask;
    there = isa::effects(to);
  }
  if (to.vlen != from.vlen || to.mask != from.mask) return false;
  const bool placed = unit == Unit::bm ? take_bm(to, from, there) : take_slot(to, from, unit, there);
  return placed && take_writes(to, from, unit);
}

}  // namespace gdr::assembler
