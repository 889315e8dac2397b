#include "line_facts.h"

namespace gdr::emulator::simd {

using isa::Storage;

RowPattern pattern_of(const isa::Access& access, unsigned elements) {
  if (access.storage == Storage::t) return pattern_of_t(elements);
  const unsigned base = access.storage == Storage::gpr ? 0 : kLmRow;
  return {base + access.address, access.step, isa::short_words(access.width), elements};
}

RowPattern pattern_of_t(unsigned elements) { return {kTRow, 2, 2, elements}; }

namespace {

RowRange rows_of(const isa::Access& access, unsigned elements) {
  return access.indirect ? kLmRows : pattern_of(access, elements).rows();
}

std::uint8_t with_flag(std::uint8_t flags, unsigned flag) { return static_cast<std::uint8_t>(flags | (1u << flag)); }

/// True if the write reaches every PE and every element of the line.
bool is_whole(const isa::Access& write, const isa::Effects& effects) {
  return !effects.masked() && !write.indirect && !write.one_pe && write.predicate == isa::Predicate{};
}

}  // namespace

LineFacts& LineFacts::operator|=(const LineFacts& other) {
  reads |= other.reads;
  writes |= other.writes;
  flags_read = static_cast<std::uint8_t>(flags_read | other.flags_read);
  flags_written = static_cast<std::uint8_t>(flags_written | other.flags_written);
  reads_bm = reads_bm || other.reads_bm;
  indirect = indirect || other.indirect;
  return *this;
}

LineFacts facts_of(const isa::Effects& effects) {
  LineFacts facts;
  facts.reads_bm = effects.reads_bm();
  for_each_read(effects, [&](const isa::Access& read) {
    if (in_registers(read)) facts.reads.add(rows_of(read, effects.elements()));
    if (read.storage == Storage::flag) facts.flags_read = with_flag(facts.flags_read, read.address);
    facts.indirect = facts.indirect || read.indirect;
  });
  for (const isa::Access& write : effects.writes()) {
    const bool lands_late = write.storage == Storage::gpr || write.storage == Storage::lm;
    if (lands_late) facts.writes.add(rows_of(write, effects.elements()));
    if (write.storage == Storage::flag) facts.flags_written = with_flag(facts.flags_written, write.address);
    facts.indirect = facts.indirect || write.indirect;
  }
  return facts;
}

RowSet overwritten_unread(const std::vector<const DecodedLine*>& lines, std::span<const LineFacts> facts) {
  RowSet read;
  RowSet written;
  RowSet landing;  // writes of the line before, not readable yet
  for (std::size_t line = 0; line < lines.size(); ++line) {
    const isa::Effects& effects = lines[line]->effects;
    read |= facts[line].reads - written;
    written |= landing;
    landing = {};
    RowSet partly;  // partial writes: the words of other PEs or elements are kept
    for (const isa::Access& write : effects.writes()) {
      if (!in_registers(write)) continue;
      const bool whole = is_whole(write, effects);
      RowSet& rows = !whole ? partly : write.storage == Storage::t ? written : landing;
      rows.add(rows_of(write, effects.elements()));
    }
    read |= partly - written - landing;
  }
  return (written | landing) - read;
}

}  // namespace gdr::emulator::simd
