// The commands that a host gives to the chips in a run, recorded instead of executed. They suffice to execute any block
// of any chip again, alone, up to any line.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "gdr/emulator/session.h"

namespace gdr::hostlib {

/// Words for all broadcast memories.
struct BroadcastCommand {
  unsigned address = 0;  // long words
  std::vector<isa::LongWord> words;
};

/// i-particles, as Session::write_particles() takes them.
struct ParticlesCommand {
  emulator::ChipRange chips;
  emulator::BlockRange blocks;
  unsigned particles = 0;
  std::vector<isa::LongWord> words;
};

/// One field of i-particles: where it lies in each PE, and its words, one for each particle.
struct ParticleField {
  emulator::PeWords where;
  std::span<const isa::LongWord> words;
};

/// The fields of a command's particles in the order of its words. The command must outlive them.
[[nodiscard]] std::vector<ParticleField> fields_of(const isa::Program& program, const ParticlesCommand& command);

/// Section `initialization` on all chips.
struct InitializeCommand {};

/// One command; commands are kept in the order in which the host gave them.
using HostCommand = std::variant<BroadcastCommand, ParticlesCommand, InitializeCommand, emulator::Piece>;

struct Recording {
  isa::Program program;
  unsigned chips = 0;
  std::vector<HostCommand> commands;
  std::vector<std::vector<isa::LongWord>> memory;  // external memory of each chip; written before the first piece
};

/// An engine whose sessions record their commands in `into` and compute nothing: all results are zero. `into` must
/// outlive its sessions.
[[nodiscard]] std::unique_ptr<emulator::Engine> make_recorder(Recording& into);

}  // namespace gdr::hostlib
