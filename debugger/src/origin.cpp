#include "origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gdr::debugger {
namespace {

using isa::Storage;
using isa::Width;

constexpr unsigned kMostFollowed = 64;    // words in one answer
constexpr unsigned kMostAttempts = 4096;  // executed lines that may have written a word, but did not
constexpr std::size_t kMostHeldBack = 4;

bool meets(const WordPlace& place, const emulator::WordWrite& write, unsigned pe) {
  if (write.storage != place.storage) return false;
  if (place.storage == Storage::bm)
    return write.address >= place.address && write.address < place.address + isa::short_words(place.width);
  if (write.pe != pe) return false;
  if (place.storage == Storage::t) return write.element == place.element;
  if (place.storage == Storage::flag) return write.element == place.element && write.address == place.address;
  return write.address >= place.address && write.address < place.address + isa::short_words(place.width);
}

/// True if the access may touch the word; `elements` is the vector length of its line.
bool may_touch(const isa::Access& access, unsigned elements, const WordPlace& place) {
  if (access.storage != place.storage) return false;
  if (place.storage == Storage::t) return place.element < elements;
  if (place.storage == Storage::flag) return access.address == place.address && place.element < elements;
  const isa::WordRange wanted{place.address, place.address + isa::short_words(place.width)};
  for (unsigned element = 0; element < elements; ++element) {
    if (isa::words_of(access, element).meets(wanted)) return true;
  }
  return false;
}

bool finite(isa::LongWord word, Width width, bool floating) {
  return !floating || std::isfinite(value_of(word, width, true).real);
}

}  // namespace

isa::LongWord read_word(const emulator::BlockStepper& block, const WordPlace& place, unsigned pe) {
  switch (place.storage) {
    case Storage::t: {
      const isa::LongWord word = block.registers(pe).t[place.element];
      return place.width == Width::long_word ? word : isa::widen(word.upper());
    }
    case Storage::flag: {
      const unsigned flags = block.registers(pe).flags[place.element];
      return isa::widen(isa::ShortWord{(flags >> (place.address - 1)) & 1});
    }
    case Storage::gpr:
    case Storage::lm: {
      const isa::Memory memory = place.storage == Storage::gpr ? isa::Memory::gpr : isa::Memory::lm;
      return block.read_pe(pe, {memory, static_cast<std::uint16_t>(place.address), place.width, 1}).front();
    }
    case Storage::bm:
    case Storage::record:
      break;
  }
  const unsigned address = place.address + (place.storage == Storage::record ? block.record_base() : 0);
  const isa::LongWord word = block.read_bm(address / 2, 1).front();
  if (place.width == Width::long_word) return word;
  return isa::widen(address % 2 == 0 ? word.upper() : word.lower());
}

std::vector<Clock::Line> writers(const isa::Program& program, const WordPlace& place) {
  std::vector<Clock::Line> lines;
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    std::size_t number = 0;
    for (const isa::ProgramLine& coded : program.lines(static_cast<isa::Section>(section))) {
      const isa::Effects effects = isa::effects(isa::decoded(coded.word));
      const bool may = std::ranges::any_of(
          effects.writes(), [&](const isa::Access& access) { return may_touch(access, effects.elements(), place); });
      if (may) lines.push_back({static_cast<isa::Section>(section), number});
      ++number;
    }
  }
  return lines;
}

Origin OriginSearch::find(const WordPlace& place, bool floating, Moment before, unsigned depth) {
  ++followed_;
  timeline_.seek(before);
  const isa::LongWord word = read_word(timeline_.block(), place, pe_);
  Origin origin;
  origin.name = symbols_.name_of(place);
  origin.value = text_of(word, place.width, floating, Format::natural);
  origin.finite = finite(word, place.width, floating);
  const std::optional<HostWrite> host = host_(place, before);
  std::optional<Moment> written;
  if (place.storage != Storage::record) written = last_write(place, before, host ? host->since : 0, origin);
  if (!written) {
    origin.text = host ? host->text : "written by nobody: zero since the kernel was loaded";
    return origin;
  }
  origin.written = clock_.position(*written);
  add_operands(place, *written, depth, origin);
  return origin;
}

bool OriginSearch::writes_at(const WordPlace& place, Moment moment) {
  timeline_.seek(moment);
  emulator::BlockStepper block = timeline_.block();
  if (block.done()) return false;
  block.step();
  return std::ranges::any_of(block.written(),
                             [&](const emulator::WordWrite& write) { return meets(place, write, pe_); });
}

std::optional<Moment> OriginSearch::last_write(const WordPlace& place, Moment before, Moment since, Origin& origin) {
  const std::vector<Clock::Line> lines = writers(program_, place);
  unsigned attempts = 0;
  for (std::optional<Moment> moment = clock_.previous(lines, before); moment && *moment >= since;
       moment = clock_.previous(lines, *moment)) {
    if (writes_at(place, *moment)) return moment;
    if (origin.held_back.size() < kMostHeldBack) {
      const Position at = *clock_.position(*moment);
      const bool told = std::ranges::any_of(origin.held_back, [&](const Position& other) {
        return other.section == at.section && other.line == at.line;
      });
      if (!told) origin.held_back.push_back(at);
    }
    if (++attempts == kMostAttempts) break;
  }
  return std::nullopt;
}

void OriginSearch::add_operands(const WordPlace& place, Moment moment, unsigned depth, Origin& origin) {
  timeline_.seek(moment);
  const Position at = *clock_.position(moment);
  const isa::Line line = isa::decoded(program_.lines(at.section)[at.line].word);
  const isa::Effects effects = isa::effects(line);
  const emulator::BlockStepper block = timeline_.block();
  isa::Unit unit = isa::Unit::none;
  for (const isa::Access& write : effects.writes()) {
    if (may_touch(write, effects.elements(), place)) unit = write.unit;
  }
  // The element that wrote the word; for a word that all elements share, the last one.
  unsigned element = element_;
  for (const isa::Access& write : effects.writes()) {
    if (write.unit != unit || place.storage == Storage::t || place.storage == Storage::flag || write.indirect) continue;
    for (unsigned each = 0; each < effects.elements(); ++each) {
      if (isa::words_of(write, each).meets({place.address, place.address + isa::short_words(place.width)}))
        element = each;
    }
  }
  std::vector<Operand> found;
  for (const isa::Access& read : effects.reads()) {
    if (read.purpose == isa::Purpose::gate) {
      if (read.unit != unit && read.unit != isa::Unit::none) continue;
      const WordPlace flag{Storage::flag, read.address, Width::short_word, element};
      origin.gates.push_back(
          fmt::format("$ok{} is {}", read.address,
                      text_of(read_word(block, flag, pe_), Width::short_word, false, Format::integer)));
      continue;
    }
    if (read.unit != unit) continue;
    WordPlace from{read.storage, read.address + element * read.step, read.width, element};
    if (read.storage == Storage::t) from.address = 0;
    if (read.indirect) {
      const isa::LongWord index = block.registers(pe_).t[element];
      const isa::uint128 offset = read.width == Width::long_word ? index.bits() : isa::uint128{index.upper().bits};
      from.address += static_cast<unsigned>(offset);
    }
    const bool told = std::ranges::any_of(found, [&](const Operand& other) { return other.place == from; });
    if (told) continue;  // both operands are the same word
    const bool floating = read.floating || (unit == isa::Unit::bm && symbols_.floating(from));
    const isa::LongWord word = read_word(block, from, pe_);
    Origin operand;
    operand.name = symbols_.name_of(from);
    operand.value = text_of(word, from.width, floating, floating ? Format::natural : Format::hex);
    operand.finite = finite(word, from.width, floating);
    found.push_back({origin.operands.size(), from, floating});
    origin.operands.push_back(std::move(operand));
  }
  if (unit != isa::Unit::bm && unit != isa::Unit::none) {
    const isa::Slot& slot = isa::slot_of(line, unit);
    for (const isa::Source source : {slot.a, slot.b}) {
      if (source != isa::Source::immediate) continue;
      const bool floating = isa::info_of(slot.op).kind == isa::NumberKind::floating_point;
      Origin constant;
      constant.name = "constant";
      constant.value =
          text_of(line.immediate.value, line.immediate.width, floating, floating ? Format::natural : Format::hex);
      constant.finite = finite(line.immediate.value, line.immediate.width, floating);
      constant.text = "written in the source";
      origin.operands.push_back(std::move(constant));
    }
  }
  // If an infinity was passed on, only the operands that are infinite matter; otherwise operands are followed as deep
  // as requested.
  const bool passed_on = !origin.finite && std::ranges::any_of(found, [&](const Operand& operand) {
    return !origin.operands[operand.index].finite;
  });
  for (const Operand& operand : found) {
    Origin& own = origin.operands[operand.index];
    if (followed_ >= kMostFollowed) return;
    if (passed_on ? !own.finite : depth > 0) {
      Origin followed = find(operand.place, operand.floating, moment, passed_on ? depth : depth - 1);
      followed.value = own.value;
      own = std::move(followed);
    }
  }
}

}  // namespace gdr::debugger
