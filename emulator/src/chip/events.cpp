// Floating-point events as text.
#include "gdr/emulator/events.h"

#include <fmt/format.h>

#include "gdr/base/names.h"
#include "gdr/emulator/chip.h"

namespace gdr::emulator {
namespace {

constexpr base::Names<FpEvent> kFpEvents({{FpEvent::none, "none"},
                                          {FpEvent::invalid, "invalid"},
                                          {FpEvent::overflow, "overflow"},
                                          {FpEvent::underflow, "underflow"}});
constexpr base::Names<Junction> kJunctions({{Junction::tree, "tree"},
                                            {Junction::ring, "ring"},
                                            {Junction::host, "host"},
                                            {Junction::board, "board"},
                                            {Junction::rank, "rank"}});

std::string text_of_junction(const JunctionEvent& event) {
  switch (event.junction) {
    case Junction::tree:
      return fmt::format("in the tree of chip {}, blocks {} to {}", event.chip, event.first_block,
                         event.first_block + event.blocks - 1);
    case Junction::ring:
      return fmt::format("in the ring, at chip {}", event.chip);
    case Junction::host:
      return fmt::format("in the host's sum, at chip {}", event.chip);
    case Junction::board:
      return fmt::format("in the host's sum over boards, at the board of chip {}", event.chip);
    case Junction::rank:
      break;
  }
  return fmt::format("in the sum over ranks, at rank {}", event.chip);
}

}  // namespace

std::string_view name_of(FpEvent event) { return kFpEvents[event]; }

std::string text_of(const PlacedEvent& event) {
  return fmt::format("{} of the {} at {}", name_of(event.event), isa::name_of(event.unit), text_of(event.place));
}

std::string_view name_of(Junction junction) { return kJunctions[junction]; }

std::string text_of(const isa::Program& program, const JunctionEvent& event) {
  std::string text = fmt::format("{} {}: result {} of {}", name_of(event.event), text_of_junction(event), event.result,
                                 program.variables[event.variable].name);
  if (event.run > 1) text += fmt::format(", run {}", event.run);
  return text;
}

}  // namespace gdr::emulator
