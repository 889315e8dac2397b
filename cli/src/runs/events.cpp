#include "events.h"

#include <fmt/format.h>

#include "gdr/hostlib/run_rules.h"

namespace gdr::cli {
void print_events(std::FILE* out, const Device& device, const TakenEvents& taken) {
  emulator::Counters untaken;
  std::optional<std::vector<emulator::PlacedEvent>> first;
  if (taken) untaken.fp = taken->untaken, first = taken->first;
  for (const std::string& text : hostlib::event_texts(device, untaken, first)) {
    fmt::print(out, "{}{}\n", text.starts_with(' ') ? "" : "gdr run: ", text);
  }
}

}  // namespace gdr::cli
