#include "line_facts.h"

#include "decoded_program.h"

namespace gdr::emulator::simd {

using isa::BmMode;
using isa::Line;
using isa::Predicate;
using isa::Slot;
using isa::Source;
using isa::Unit;
using isa::WritePort;

RowSet Access::rows() const {
  RowSet set;
  for (unsigned element = 0; element < elements; ++element) add_to(set, element);
  return set;
}

RowSet whole_pairs(const RowSet& rows) {
  static const RowSet even = [] {
    RowSet set;
    for (unsigned row = 0; row < kRegisterRows; row += 2) set.set(row);
    return set;
  }();
  return rows | ((rows & even) << 1) | ((rows >> 1) & even);
}

const RowSet& lm_rows() {
  static const RowSet rows = [] {
    RowSet set;
    for (unsigned row = kLmRow; row < kTRow; ++row) set.set(row);
    return set;
  }();
  return rows;
}

Access access_of(isa::Memory memory, unsigned address, Width width, bool vector, unsigned elements) {
  const unsigned base = memory == isa::Memory::gpr ? 0 : kLmRow;
  return {base + address, vector ? stride_of(width) : 0, stride_of(width), elements};
}

Access access_of_t(unsigned elements) { return {kTRow, 2, 2, elements}; }

bool uses(const Line& line, Source source) {
  for (const Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
    if (acts(*slot) && (slot->a == source || slot->b == source)) return true;
  }
  return line.bm.mode == BmMode::write && line.bm.store_source == source;
}

void add_rows_read(RowSet& rows, const Line& line, Source source, unsigned element) {
  const auto port = [&](isa::Memory memory, const isa::ReadPort& p) {
    access_of(memory, p.address, p.width, p.vector, line.vlen).add_to(rows, element);
  };
  switch (source) {
    case Source::gpr_a:
      return port(isa::Memory::gpr, line.gpr_a);
    case Source::gpr_b:
      return port(isa::Memory::gpr, line.gpr_b);
    case Source::lm:
      if (!line.lm_read.indirect) return port(isa::Memory::lm, line.lm_read);
      rows |= lm_rows();
      return;
    case Source::t_short:
    case Source::t_long:
      return access_of_t(line.vlen).add_to(rows, element);
    default:
      return;
  }
}

LineFacts& LineFacts::operator|=(const LineFacts& other) {
  reads |= other.reads;
  writes |= other.writes;
  flags_read = static_cast<std::uint8_t>(flags_read | other.flags_read);
  flags_written = static_cast<std::uint8_t>(flags_written | other.flags_written);
  reads_bm = reads_bm || other.reads_bm;
  indirect = indirect || other.indirect;
  return *this;
}

LineFacts facts_of(const Line& line) {
  LineFacts facts;
  for (const Source source : {Source::gpr_a, Source::gpr_b, Source::lm, Source::t_short, Source::t_long}) {
    if (!uses(line, source)) continue;
    for (unsigned element = 0; element < line.vlen; ++element) add_rows_read(facts.reads, line, source, element);
  }
  facts.reads_bm = line.bm.mode == BmMode::read;
  facts.indirect = (uses(line, Source::lm) && line.lm_read.indirect) ||
                   (line.lm_write.source != Unit::none && line.lm_write.indirect);
  if (facts.indirect) facts.reads |= access_of_t(line.vlen).rows();

  const auto write = [&](isa::Memory memory, const WritePort& port) {
    if (port.source == Unit::none) return;
    const Width width = isa::result_width(line, port.source);
    facts.writes |= port.indirect ? lm_rows() : access_of(memory, port.address, width, port.vector, line.vlen).rows();
  };
  write(isa::Memory::gpr, line.gpr_write);
  write(isa::Memory::lm, line.lm_write);

  const auto read_flag = [&](unsigned flag) {
    if (flag != 0) facts.flags_read = static_cast<std::uint8_t>(facts.flags_read | (1u << flag));
  };
  read_flag(line.mask.flag);
  for (const WritePort* port : {&line.t_write, &line.gpr_write, &line.lm_write}) {
    if (port->source != Unit::none) read_flag(port->predicate.flag);
  }
  for (const Slot* slot : {&line.adder, &line.multiplier, &line.alu}) {
    if (!acts(*slot) || slot->flag.flag == 0) continue;
    read_flag(slot->flag.predicate.flag);
    facts.flags_written = static_cast<std::uint8_t>(facts.flags_written | (1u << slot->flag.flag));
  }
  return facts;
}

RowSet overwritten_unread(const std::vector<const Line*>& lines) {
  RowSet read;
  RowSet written;
  RowSet landing;  // writes of the line before, not readable yet
  for (const Line* each : lines) {
    const Line& line = *each;
    const LineFacts facts = facts_of(line);
    read |= facts.reads & ~written;
    if (facts.indirect) read |= lm_rows() & ~written;
    written |= landing;
    landing.reset();
    const auto whole = [&](const WritePort& port) {
      const bool by_one_pe = port.source == Unit::bm && line.bm.one_pe;
      return port.source != Unit::none && !port.indirect && line.mask.flag == 0 && !by_one_pe &&
             port.predicate == Predicate{};
    };
    const auto write = [&](isa::Memory memory, const WritePort& port) {
      if (!whole(port)) return;
      landing |= access_of(memory, port.address, isa::result_width(line, port.source), port.vector, line.vlen).rows();
    };
    write(isa::Memory::gpr, line.gpr_write);
    write(isa::Memory::lm, line.lm_write);
    // A partial write keeps what other PEs hold.
    if (!whole(line.gpr_write) || !whole(line.lm_write)) read |= facts.writes & ~written & ~landing;
    if (line.t_write.source != Unit::none) {
      const RowSet t = access_of_t(line.vlen).rows();
      if (whole(line.t_write)) {
        written |= t;
      } else {
        read |= t & ~written;
      }
    }
  }
  return (written | landing) & ~read;
}

}  // namespace gdr::emulator::simd
