// Output of a session on a device: results through the tree, events, and words of the state.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "chip/chip_arguments.h"
#include "chip/collect.h"
#include "opencl_session.h"

namespace gdr::emulator::opencl {

std::vector<LongWord> long_words(const std::vector<ulong>& pairs) {
  std::vector<LongWord> words(pairs.size() / 2);
  for (std::size_t n = 0; n < words.size(); ++n) {
    words[n] = {pairs[2 * n], static_cast<std::uint8_t>(pairs[2 * n + 1])};
  }
  return words;
}

PePlace place_of(const ulong (&key)[3], unsigned chip, unsigned block, unsigned pe) {
  PePlace place;
  place.run = key[0];
  place.section = static_cast<isa::Section>(key[1] >> 61);
  place.iteration = key[1] & ((ulong{1} << 61) - 1);
  place.line = key[2] >> 16;
  place.chip = chip;
  place.block = block;
  place.pe = pe;
  place.element = static_cast<unsigned>(key[2] >> 8) & 255;
  return place;
}

Ticket OpenClSession::collect(unsigned chip, unsigned particles, std::span<LongWord> into) {
  require_place(chip, 0);
  const bool type2 = program().is_type2();
  const Piece last = chips_[chip].last;
  require(particles <= (type2 ? 0 : kParticlesPerRun), "particles", particles, 0, type2 ? 0 : kParticlesPerRun);
  const std::size_t words = type2 ? words_out_of(last) : particles * entries_out_.size();
  require(into.size() == words, "into", into.size(), words, words);
  if (into.empty()) return {++tickets_};
  if (type2) {
    post([=, this] {
      if (!chips_[chip].fault) take_collected(chip, last, into);
    });
    return {++tickets_};
  }
  const ChipResults results{chip, last, particles, into};
  if (!waiting_results_ || !waiting_results_->add(results)) {
    const auto together = std::make_shared<ResultsTogether>(results);
    post([this, together] { take_results(together->close()); });
    waiting_results_ = together;
  }
  return {++tickets_};
}

bool OpenClSession::ResultsTogether::add(const ChipResults& results) {
  const std::lock_guard lock(mutex_);
  if (closed_ || results.particles != all_.front().particles) return false;
  all_.push_back(results);
  return true;
}

std::vector<OpenClSession::ChipResults> OpenClSession::ResultsTogether::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  return std::move(all_);
}

void OpenClSession::take_results(std::vector<ChipResults> results) {
  std::erase_if(results, [this](const ChipResults& each) { return chips_[each.chip].fault.has_value(); });
  if (results.empty()) return;
  const unsigned particles = results.front().particles;
  const std::size_t fields = entries_out_.size();
  std::vector<uint> of_chips;
  for (const ChipResults& each : results) of_chips.push_back(each.chip);
  const std::size_t chip_bytes = of_chips.size() * sizeof(uint);
  const Buffer& sent = device_.provide(chips_out_, "chips", chip_bytes);
  if (of_chips != chips_there_) device_.queue().write(sent, 0, of_chips.data(), chip_bytes);
  chips_there_ = of_chips;
  // Words and counts of events stand in one buffer, since each transfer takes as long as a short run.
  const std::size_t result_words = 2 * results.size() * particles * fields;
  std::vector<uint> counts(3 * results.size() * fields);
  std::vector<ulong> pairs(result_words + (counts.size() + 1) / 2);
  const Buffer& words = device_.provide(words_out_, "results", pairs.size() * kWordBytes);
  device_.queue().clear(words, result_words * kWordBytes, (pairs.size() - result_words) * kWordBytes);
  Range range;
  range.counts[0] = particles;
  range.counts[1] = fields;
  range.counts[2] = results.size();
  device_.queue().run(*device_.machine().kernels, "take_results",
                      {states_.get(), fields_out_.get(), static_cast<uint>(fields), &sent, &words}, range);
  device_.queue().read(words, 0, pairs.data(), pairs.size() * kWordBytes);
  std::memcpy(counts.data(), pairs.data() + result_words, counts.size() * sizeof(uint));
  pairs.resize(result_words);
  const std::vector<LongWord> all = long_words(pairs);
  auto own_words = all.begin();
  std::span<const uint> own_counts(counts);
  for (const ChipResults& each : results) {
    std::copy_n(own_words, each.into.size(), each.into.begin());
    own_words += static_cast<std::ptrdiff_t>(each.into.size());
    for (const Entry& field : entries_out_) {
      const std::span<const uint> of_field = own_counts.first(3);
      own_counts = own_counts.subspan(3);
      if (std::ranges::all_of(of_field, [](uint count) { return count == 0; })) continue;
      add_tree_events(chips_[each.chip], of_field);
      place_events_of_results(each.chip, each.piece, field, particles);
    }
  }
}

void OpenClSession::take_collected(unsigned chip, const Piece& piece, std::span<LongWord> into) {
  const Buffer& words = device_.provide(words_out_, "results", into.size_bytes());
  const std::vector<Collected> batches = collects_of(program(), iterations_of(piece), piece.begins, piece.ends);
  std::vector<uint> counts(3);
  const Buffer& counted = device_.provide(counts_, "events of the tree", counts.size() * sizeof(uint));
  device_.queue().clear(counted, 0, counted.bytes());
  const auto launch = [&](const Collected& batch, unsigned block, std::size_t first_out) {
    const isa::Variable& variable = *batch.result;
    Range range;
    range.counts[0] = batch.words;
    device_.queue().run(*device_.machine().kernels, "take_collected",
                        {collected_.get(), std::uint64_t{chip * kBlocks * collected_room_},
                         std::uint64_t{collected_room_}, std::uint64_t{batch.first}, std::uint64_t{first_out},
                         variable.reduction ? static_cast<uint>(*variable.reduction) : uint{0},
                         isa::info_of(*variable.conversion).width == Width::long_word ? uint{1} : uint{0}, uint{block},
                         &words, &counted},
                        range);
  };
  // Consecutive collects of one kind are combined, except where the words of each block follow one another.
  for (std::size_t n = 0; n < batches.size();) {
    Collected joined = batches[n++];
    const bool each = joined.blocks.kind == isa::BlockChoice::Kind::each;
    while (!each && n < batches.size() && batches[n].result == joined.result && batches[n].blocks == joined.blocks) {
      joined.words += batches[n++].words;
    }
    if (joined.words == 0) continue;
    switch (joined.blocks.kind) {
      case isa::BlockChoice::Kind::reduced:
        launch(joined, joined.result->block, joined.first_out);
        break;
      case isa::BlockChoice::Kind::one:
        launch(joined, joined.blocks.block, joined.first_out);
        break;
      case isa::BlockChoice::Kind::each:
        for (unsigned block = 0; block < kBlocks; ++block) {
          launch(joined, block, joined.first_out + block * joined.words);
        }
        break;
    }
  }
  std::vector<ulong> pairs(2 * into.size());
  device_.queue().read(words, 0, pairs.data(), pairs.size() * kWordBytes);
  device_.queue().read(counted, 0, counts.data(), counts.size() * sizeof(uint));
  std::ranges::copy(long_words(pairs), into.begin());
  if (std::ranges::all_of(counts, [](uint count) { return count == 0; })) return;
  add_tree_events(chips_[chip], counts);
  for (const Collected& batch : batches) {
    if (batch.result->reduction) place_events_of_collected(chip, piece, batch);
  }
}

void OpenClSession::add_tree_events(OneChip& one, std::span<const uint> counts) {
  one.tree.invalid += counts[0];
  one.tree.overflow += counts[1];
  one.tree.underflow += counts[2];
}

/// The device only counts events of the tree. If there are any, the words are read once more to find the places.
void OpenClSession::place_events_of_results(unsigned chip, const Piece& piece, const Entry& entry, unsigned particles) {
  std::array<std::vector<LongWord>, kBlocks> words;
  std::array<std::span<const LongWord>, kBlocks> blocks;
  const unsigned step = isa::short_words(entry.where.width);
  for (unsigned block = 0; block < kBlocks; ++block) {
    const BlockWords all = read_block(chip, block);
    for (unsigned particle = 0; particle < particles; ++particle) {
      const unsigned row = first_row(entry.where.memory) + entry.where.address + particle % entry.where.count * step;
      const unsigned pe = particle / entry.where.count;
      words[block].push_back(step == 2 ? all.long_word(row, pe)
                                       : isa::widen({all.rows[std::size_t{row} * kPesPerBlock + pe]}));
    }
    blocks[block] = words[block];
  }
  JunctionEvent place;
  place.run = piece.run;
  place.chip = chip;
  place.variable = static_cast<std::size_t>(entry.variable - program().variables.data());
  place_tree_events(*entry.variable->reduction, isa::info_of(*entry.variable->conversion).width, blocks, place,
                    chips_[chip].tree_events);
}

void OpenClSession::place_events_of_collected(unsigned chip, const Piece& piece, const Collected& batch) {
  const isa::Variable& variable = *batch.result;
  std::array<std::vector<LongWord>, kBlocks> read;
  std::array<std::span<const LongWord>, kBlocks> blocks;
  for (unsigned block = 0; block < kBlocks; ++block) {
    std::vector<ulong> pairs(2 * batch.words);
    const std::size_t at = (std::size_t{chip} * kBlocks + block) * collected_room_ + batch.first;
    device_.queue().read(*collected_, at * kLongBytes, pairs.data(), pairs.size() * kWordBytes);
    read[block] = long_words(pairs);
    blocks[block] = read[block];
  }
  JunctionEvent place;
  place.run = piece.run;
  place.chip = chip;
  place.variable = static_cast<std::size_t>(&variable - program().variables.data());
  place.result = batch.first_out;
  if (!piece.begins) place.result += words_out(program(), piece.first_iteration, true, false);
  place_tree_events(*variable.reduction, isa::info_of(*variable.conversion).width, blocks, place,
                    chips_[chip].tree_events);
}

// ---- events --------------------------------------------------------------------------------------------------------

std::vector<PeEvents> OpenClSession::pe_events(unsigned chip) const {
  std::vector<PeEvents> events(std::size_t{kBlocks} * kPesPerBlock);
  const std::size_t bytes = events.size() * sizeof(PeEvents);
  as_errors([&] { device_.queue().read(*events_, chip * bytes, events.data(), bytes); });
  return events;
}

FpEvents OpenClSession::events(unsigned chip) const {
  require_place(chip, 0);
  FpEvents all = chips_[chip].tree;
  for (const PeEvents& of_pe : pe_events(chip)) {
    all += FpEvents{of_pe.counts[0], of_pe.counts[1], of_pe.counts[2]};
  }
  return all;
}

std::vector<PlacedEvent> OpenClSession::first_events() const {
  FirstEvents first;
  for (unsigned chip = 0; chip < chips(); ++chip) {
    const std::vector<PeEvents> events = pe_events(chip);
    for (std::size_t at = 0; at < events.size(); ++at) {
      for (std::size_t n = 0; n < events[at].kept; ++n) {
        const ulong(&key)[3] = events[at].keys[n];
        first.add({place_of(key, chip, static_cast<unsigned>(at / kPesPerBlock), at % kPesPerBlock),
                   static_cast<isa::Unit>((key[2] >> 4) & 15), static_cast<FpEvent>(key[2] & 15)});
      }
    }
  }
  return {first.events().begin(), first.events().end()};
}

std::vector<JunctionEvent> OpenClSession::first_tree_events() const {
  FirstJunctionEvents first;
  for (const OneChip& one : chips_) {
    for (const JunctionEvent& event : one.tree_events.events()) first.add(event);
  }
  return {first.events().begin(), first.events().end()};
}

FpLanes OpenClSession::fp_lanes(unsigned chip) const {
  require_place(chip, 0);
  return {};
}

// ---- access from outside -------------------------------------------------------------------------------------------

LongWord OpenClSession::BlockWords::long_word(unsigned row, unsigned pe) const {
  return isa::join({rows[std::size_t{row} * kPesPerBlock + pe]}, {rows[std::size_t{row + 1} * kPesPerBlock + pe]});
}

OpenClSession::BlockWords OpenClSession::read_block(unsigned chip, unsigned block) const {
  BlockWords words;
  words.rows.resize(kBmPlace);
  words.bm.resize(isa::kBmShortWords);
  words.flags.resize(kPesPerBlock);
  const std::size_t place = std::size_t{chip} * kBlocks + block;
  as_errors([&] {
    Queue& queue = device_.queue();
    queue.read(*states_, place * kBlockWords * kWordBytes, words.rows.data(), words.rows.size() * kWordBytes);
    queue.read(*states_, (place * kBlockWords + kBmPlace) * kWordBytes, words.bm.data(), words.bm.size() * kWordBytes);
    queue.read(*flags_, place * kPesPerBlock * sizeof(uint), words.flags.data(), words.flags.size() * sizeof(uint));
  });
  return words;
}

std::vector<LongWord> OpenClSession::read_pe(unsigned chip, unsigned block, unsigned pe, const PeWords& where) const {
  require_place(chip, block);
  require_pe(pe);
  require_pe_words(where);
  const BlockWords all = read_block(chip, block);
  std::vector<LongWord> words;
  const unsigned step = isa::short_words(where.width);
  for (unsigned n = 0; n < where.count; ++n) {
    const unsigned row = first_row(where.memory) + where.address + n * step;
    words.push_back(step == 2 ? all.long_word(row, pe) : isa::widen({all.rows[std::size_t{row} * kPesPerBlock + pe]}));
  }
  return words;
}

namespace {

constexpr unsigned kFlagMask = (1U << isa::kFlags) - 1;

}  // namespace

PeRegisters OpenClSession::registers(unsigned chip, unsigned block, unsigned pe) const {
  require_place(chip, block);
  require_pe(pe);
  return state(chip, block).registers[pe];
}

std::vector<LongWord> OpenClSession::read_bm(unsigned chip, unsigned block, unsigned address, unsigned count) const {
  require_place(chip, block);
  require_bm(address, count);
  const std::vector<LongWord> all = state(chip, block).bm;
  return {all.begin() + address, all.begin() + address + count};
}

void OpenClSession::set_breakpoints(std::vector<Breakpoint> lines, std::function<void(const Stop&)> /*stopped*/) {
  for (const Breakpoint& breakpoint : lines) {
    const std::size_t code = program().lines(breakpoint.section).size();
    if (breakpoint.line >= code) {
      throw Error(fmt::format("breakpoint: {} has no line {}: it has {}", isa::name_of(breakpoint.section),
                              breakpoint.line, code));
    }
  }
  if (!lines.empty()) throw Error("breakpoints: this engine does not stop at lines; engine reference does");
}

BlockState OpenClSession::state(unsigned chip, unsigned block) const {
  require_place(chip, block);
  const BlockWords words = read_block(chip, block);
  BlockState state;
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    for (unsigned row = 0; row < simd::kLmRow; row += 2) state.gpr.push_back(words.long_word(row, pe));
    for (unsigned row = simd::kLmRow; row < simd::kTRow; row += 2) state.lm.push_back(words.long_word(row, pe));
    PeRegisters registers{};
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      registers.t[element] = words.long_word(simd::kTRow + 2 * element, pe);
      registers.flags[element] = static_cast<std::uint8_t>((words.flags[pe] >> (isa::kFlags * element)) & kFlagMask);
    }
    state.registers.push_back(registers);
  }
  for (unsigned n = 0; n < isa::kBmShortWords; n += 2) state.bm.push_back(isa::join({words.bm[n]}, {words.bm[n + 1]}));
  return state;
}

void OpenClSession::set_state(unsigned chip, unsigned block, const BlockState& state) {
  require_place(chip, block);
  constexpr std::size_t kGprWords = isa::kGprShortWords / 2;
  constexpr std::size_t kLmWords = isa::kLmShortWords / 2;
  constexpr std::size_t kBmWords = isa::kBmShortWords / 2;
  require(state.gpr.size() == kPesPerBlock * kGprWords, "state.gpr", state.gpr.size(), kPesPerBlock * kGprWords,
          kPesPerBlock * kGprWords);
  require(state.lm.size() == kPesPerBlock * kLmWords, "state.lm", state.lm.size(), kPesPerBlock * kLmWords,
          kPesPerBlock * kLmWords);
  require(state.registers.size() == kPesPerBlock, "state.registers", state.registers.size(), kPesPerBlock,
          kPesPerBlock);
  require(state.bm.size() <= kBmWords, "state.bm", state.bm.size(), 0, kBmWords);
  pool_->wait(lane_);
  chips_[chip].touched = true;
  std::vector<ulong> words(kBlockWords);
  std::vector<uint> flags(kPesPerBlock);
  const auto put = [&](unsigned row, unsigned pe, LongWord word) {
    words[std::size_t{row} * kPesPerBlock + pe] = word.upper().bits;
    words[std::size_t{row + 1} * kPesPerBlock + pe] = word.lower().bits;
  };
  for (unsigned pe = 0; pe < kPesPerBlock; ++pe) {
    for (unsigned n = 0; n < kGprWords; ++n) put(2 * n, pe, state.gpr[pe * kGprWords + n]);
    for (unsigned n = 0; n < kLmWords; ++n) put(simd::kLmRow + 2 * n, pe, state.lm[pe * kLmWords + n]);
    for (unsigned element = 0; element < isa::kVectorElements; ++element) {
      put(simd::kTRow + 2 * element, pe, state.registers[pe].t[element]);
      flags[pe] |= (state.registers[pe].flags[element] & kFlagMask) << (isa::kFlags * element);
    }
  }
  words.resize(kBmPlace + 2 * state.bm.size());
  for (std::size_t n = 0; n < state.bm.size(); ++n) {
    words[kBmPlace + 2 * n] = state.bm[n].upper().bits;
    words[kBmPlace + 2 * n + 1] = state.bm[n].lower().bits;
  }
  const std::size_t place = std::size_t{chip} * kBlocks + block;
  as_errors([&] {
    device_.queue().write(*states_, place * kBlockWords * kWordBytes, words.data(), words.size() * kWordBytes);
    device_.queue().write(*flags_, place * kPesPerBlock * sizeof(uint), flags.data(), flags.size() * sizeof(uint));
  });
}

}  // namespace gdr::emulator::opencl
