#include "fresh_places.h"

#include <algorithm>
#include <utility>

#include "gdr/emulator/chip.h"
#include "gdr/hostlib/recording.h"
#include "gdr/isa/effects.h"

namespace gdr::hostlib {
namespace {

using emulator::kBlocks;
using emulator::kParticlesPerRun;
using isa::LongWord;

bool stores_to_bm(const isa::Program& program) {
  for (std::size_t section = 0; section < isa::kSections; ++section) {
    for (const isa::ProgramLine& line : program.lines(static_cast<isa::Section>(section))) {
      if (isa::effects(isa::decoded(line.word)).writes_bm()) return true;
    }
  }
  return false;
}

}  // namespace

FreshPlaces::FreshPlaces(const isa::Program& program, const emulator::Session& session) {
  const std::size_t fields = program.record_fields(isa::Transfer::hlt);
  if (fields == 0) return;
  every_place_counts_ = stores_to_bm(program);
  ParticlesCommand command;
  command.particles = kParticlesPerRun;
  command.words.resize(fields * kParticlesPerRun);
  blocks_.assign(1, command.words);
  if (program.lines(isa::Section::initialization).empty()) return;
  // Blocks may set different words, by their number. Chips have none.
  blocks_.assign(kBlocks, command.words);
  const std::vector<ParticleField> where = fields_of(program, command);
  for (unsigned block = 0; block < kBlocks; ++block) {
    for (std::size_t field = 0; field < fields; ++field) {
      for (unsigned place = 0; place < kParticlesPerRun; place += isa::kVectorElements) {
        const std::vector<LongWord> words = session.read_pe(0, block, place / isa::kVectorElements, where[field].where);
        std::ranges::copy(words,
                          blocks_[block].begin() + static_cast<std::ptrdiff_t>(field * kParticlesPerRun + place));
      }
    }
  }
}

bool FreshPlaces::are_used() { return std::exchange(used_, true) && !blocks_.empty(); }

void FreshPlaces::before_run(emulator::Session& session, std::size_t count) {
  if (!are_used() || !every_place_counts_ || count >= kParticlesPerRun) return;
  for (unsigned block = 0; block < kBlocks; ++block) {
    session.write_particles({0, session.chips()}, {block, 1}, kParticlesPerRun, of_block(block));
  }
  session.wait(session.run({}));
}

void FreshPlaces::before_turns(emulator::Session& session, std::size_t count) {
  if (!are_used()) return;
  for (unsigned block = 0; block < session.chips() * kBlocks; ++block) {
    if ((std::size_t{block} + 1) * kParticlesPerRun <= count) continue;
    session.write_particles({block / kBlocks, 1}, {block % kBlocks, 1}, kParticlesPerRun, of_block(block % kBlocks));
  }
  session.wait(session.run({}));
}

}  // namespace gdr::hostlib
