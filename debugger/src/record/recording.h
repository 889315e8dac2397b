// A run as the host library records it, and what the user of the debugger changes in it.
#pragma once

#include <cstdint>
#include <vector>

#include "gdr/hostlib/recording.h"

namespace gdr::debugger {

using hostlib::BroadcastCommand;
using hostlib::InitializeCommand;
using hostlib::make_recorder;
using hostlib::ParticlesCommand;

/// A word that the user of the debugger has given another value, just before the line of a moment.
struct Patch {
  std::uint64_t moment = 0;  // on the clock of the chip
  unsigned chip = 0;
  unsigned block = 0;
  unsigned pe = 0;
  isa::Memory memory = isa::Memory::gpr;
  std::uint16_t address = 0;  // short words
  isa::Width width = isa::Width::long_word;
  isa::LongWord word;
};

struct Recording : hostlib::Recording {
  std::vector<Patch> patches;  // in the order in which they were made
};

}  // namespace gdr::debugger
