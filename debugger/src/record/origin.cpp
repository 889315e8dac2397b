#include "origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

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

/// True if the unit may write the word; `elements` is the vector length of its line.
bool may_write(const isa::UnitWork& work, unsigned elements, const WordPlace& place) {
  if (place.storage == Storage::flag) return work.flag.flag == place.address && place.element < elements;
  const isa::WordRange wanted{place.address, place.address + isa::short_words(place.width)};
  return std::ranges::any_of(work.destinations(), [&](const isa::Access& write) {
    if (write.storage != place.storage) return false;
    if (place.storage == Storage::t) return place.element < elements;
    for (unsigned element = 0; element < elements; ++element) {
      if (isa::words_of(write, element).meets(wanted)) return true;
    }
    return false;
  });
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
      const isa::LineWork line = isa::line_work(isa::decoded(coded.word));
      const bool may = std::ranges::any_of(
          line.units(), [&](const isa::UnitWork& work) { return may_write(work, line.elements, place); });
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
  origin.name = name_of(place);
  origin.value = text_of(word, place.width, floating, Format::natural);
  origin.finite = finite(word, place.width, floating);
  const std::optional<HostWrite> host = host_(place, before, pe_);
  std::optional<Written> written;
  if (place.storage != Storage::record) written = last_write(place, before, host ? host->since : 0, origin);
  if (!written) {
    origin.text = host ? host->text : "written by nobody: zero since the kernel was loaded";
    return origin;
  }
  origin.written = clock_.position(written->moment);
  add_operands(place, *written, depth, origin);
  return origin;
}

std::string OriginSearch::name_of(const WordPlace& place) const {
  const bool of_pe = place.storage != Storage::bm && place.storage != Storage::record;
  std::string name = symbols_.name_of(place);
  return of_pe && pe_ != focus_pe_ ? fmt::format("{} of PE {}", name, pe_) : name;
}

std::optional<OriginSearch::Written> OriginSearch::write_at(const WordPlace& place, Moment moment) {
  timeline_.seek(moment);
  emulator::BlockStepper block = timeline_.block();
  if (block.done()) return std::nullopt;
  block.step();
  std::optional<Written> last;  // of a word that several elements write
  for (const emulator::WordWrite& write : block.written()) {
    if (meets(place, write, pe_)) last = {moment, write.pe, write.element};
  }
  return last;
}

std::optional<OriginSearch::Written> OriginSearch::last_write(const WordPlace& place, Moment before, Moment since,
                                                              Origin& origin) {
  const std::vector<Clock::Line> lines = writers(program_, place);
  unsigned attempts = 0;
  for (std::optional<Moment> moment = clock_.previous(lines, before); moment && *moment >= since;
       moment = clock_.previous(lines, *moment)) {
    if (const std::optional<Written> write = write_at(place, *moment)) return write;
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

void OriginSearch::add_gate(const isa::Predicate& gate, const emulator::BlockStepper& block, unsigned element,
                            Origin& origin) const {
  if (gate.flag == 0) return;
  const WordPlace flag{Storage::flag, gate.flag, Width::short_word, element};
  origin.gates.push_back(fmt::format("$ok{} is {}", gate.flag,
                                     text_of(read_word(block, flag, pe_), Width::short_word, false, Format::integer)));
}

/// The words that a unit takes: its operands and the T of computed addresses, each once.
std::vector<OriginSearch::Operand> OriginSearch::words_of(const isa::UnitWork& writer,
                                                          const emulator::BlockStepper& block, unsigned element) const {
  std::vector<Operand> words;
  const auto add = [&](const WordPlace& place, bool floating) {
    const bool known = std::ranges::any_of(words, [&](const Operand& other) { return other.place == place; });
    if (!known) words.push_back({0, place, floating});
  };
  const auto add_index = [&](const isa::Access& access) {
    if (access.indirect) add({Storage::t, 0, access.width, element}, false);
  };
  for (const isa::UnitOperand* operand : {&writer.a, &writer.b}) {
    if (operand->kind != isa::UnitOperand::Kind::word) continue;
    const isa::Access& read = operand->word;
    add_index(read);
    WordPlace place{read.storage, read.storage == Storage::t ? 0 : read.address + element * read.step, read.width,
                    element};
    if (read.indirect) {
      const isa::LongWord index = block.registers(pe_).t[element];
      const isa::uint128 offset = read.width == Width::long_word ? index.bits() : isa::uint128{index.upper().bits};
      place.address += static_cast<unsigned>(offset);
    }
    add(place, read.floating || (writer.unit == isa::Unit::bm && symbols_.floating(place)));
  }
  for (const isa::Access& write : writer.destinations()) add_index(write);
  return words;
}

void OriginSearch::add_constant(const isa::UnitWork& writer, const isa::UnitOperand& operand, Origin& origin) {
  if (operand.kind != isa::UnitOperand::Kind::constant) return;
  const bool floating = isa::info_of(writer.op).kind == isa::NumberKind::floating_point;
  Origin constant;
  constant.name = "constant";
  constant.value = text_of(operand.constant, operand.width, floating, floating ? Format::natural : Format::hex);
  constant.finite = finite(operand.constant, operand.width, floating);
  constant.text = "written in the source";
  origin.operands.push_back(std::move(constant));
}

void OriginSearch::add_operands(const WordPlace& place, const Written& written, unsigned depth, Origin& origin) {
  const auto [moment, pe, element] = written;
  timeline_.seek(moment);
  const Position at = *clock_.position(moment);
  const isa::LineWork line = isa::line_work(isa::decoded(program_.lines(at.section)[at.line].word));
  const emulator::BlockStepper block = timeline_.block();
  const isa::UnitWork* writer = nullptr;
  for (const isa::UnitWork& work : line.units()) {
    if (may_write(work, line.elements, place)) writer = &work;
  }
  if (writer == nullptr) return;
  const unsigned reader = std::exchange(pe_, pe);  // a word of broadcast memory may be of another PE
  add_gate({line.mask.flag, line.mask.inverted}, block, element, origin);
  for (const isa::Access& write : writer->destinations()) add_gate(write.predicate, block, element, origin);
  if (writer->flag.flag != 0) add_gate(writer->flag.predicate, block, element, origin);
  std::vector<Operand> found = words_of(*writer, block, element);
  for (Operand& operand : found) {
    const isa::LongWord word = read_word(block, operand.place, pe_);
    Origin added;
    added.name = name_of(operand.place);
    added.value =
        text_of(word, operand.place.width, operand.floating, operand.floating ? Format::natural : Format::hex);
    added.finite = finite(word, operand.place.width, operand.floating);
    operand.index = origin.operands.size();
    origin.operands.push_back(std::move(added));
  }
  for (const isa::UnitOperand* each : {&writer->a, &writer->b}) add_constant(*writer, *each, origin);
  // If an infinity was passed on, only the operands that are infinite matter; otherwise operands are followed as deep
  // as requested.
  const bool passed_on = !origin.finite && std::ranges::any_of(found, [&](const Operand& operand) {
    return !origin.operands[operand.index].finite;
  });
  for (const Operand& operand : found) {
    Origin& own = origin.operands[operand.index];
    if (followed_ >= kMostFollowed) break;
    if (passed_on ? !own.finite : depth > 0) {
      Origin followed = find(operand.place, operand.floating, moment, passed_on ? depth : depth - 1);
      followed.value = own.value;
      own = std::move(followed);
    }
  }
  pe_ = reader;
}

}  // namespace gdr::debugger
