// What a host does to the chips in a run, kept instead of done: enough to execute any block of any chip again, alone,
// to any line.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "gdr/emulator/session.h"
#include "gdr/hostlib/device.h"

namespace gdr::debugger {

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

/// Section `initialization` on all chips.
struct InitializeCommand {};

/// In the order in which the host gave them.
using HostCommand = std::variant<BroadcastCommand, ParticlesCommand, InitializeCommand, emulator::Piece>;

struct Recording {
  isa::Program program;
  unsigned chips = 0;
  std::vector<HostCommand> commands;
  std::vector<std::vector<isa::LongWord>> memory;  // external, of each chip; written before the first piece
};

/// An engine whose sessions write down what they are told and compute nothing: results are zero. `into` must outlive
/// its sessions.
[[nodiscard]] std::unique_ptr<emulator::Engine> make_recorder(Recording& into);

}  // namespace gdr::debugger
