// Where in the machine something happened: floating-point events and faults.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <span>

#include "gdr/emulator/arithmetic.h"
#include "gdr/isa/program.h"

namespace gdr::emulator {

/// An element of a PE in a line. Places are ordered as the machine reaches them: by run, then by line. All chips
/// execute a line at the same time; within a line the order is chip, block, PE, element.
struct PePlace {
  std::uint64_t run = 0;  // number of the run since the program was loaded, from 1; 0: section `initialization`
  isa::Section section = isa::Section::initialization;
  std::uint64_t iteration = 0;  // of the loop body; 0 elsewhere
  std::size_t line = 0;         // index into the section's code
  unsigned chip = 0;
  unsigned block = 0;
  unsigned pe = 0;
  unsigned element = 0;
  friend auto operator<=>(const PePlace&, const PePlace&) = default;
};

/// One floating-point event.
struct PlacedEvent {
  PePlace place;
  isa::Unit unit = isa::Unit::adder;
  FpEvent event = FpEvent::none;
  friend auto operator<=>(const PlacedEvent&, const PlacedEvent&) = default;
};

/// Where words of several blocks or chips are combined.
enum class Junction : std::uint8_t {
  tree,   // a node of a chip's reduction tree
  ring,   // a chip of a board, which adds its word to the sum that passes around the ring
  host,   // the host, which adds the results of a board's chips, or those of the passes of a matrix product
  board,  // the host, which adds the sums of its boards
  rank    // a host, which adds the sums of several processes
};

/// One floating-point event beyond the PEs. Events are ordered as words reach these places.
struct JunctionEvent {
  std::uint64_t run = 1;  // as in PePlace
  Junction junction = Junction::tree;
  unsigned chip = 0;  // whose tree or whose word had the event; of a board, its first chip; of a process, its rank
  std::size_t variable = 0;  // index into the program's variables
  std::uint64_t result = 0;  // i-particle of the run; in a Type II kernel the index among the words of one chip
  unsigned blocks = 0;       // number of blocks that the tree node combines, from first_block on; 0 beyond the chip
  unsigned first_block = 0;
  FpEvent event = FpEvent::none;
  friend auto operator<=>(const JunctionEvent&, const JunctionEvent&) = default;
};

/// Number of first events that are kept with their places. All events are counted.
inline constexpr std::size_t kKeptEvents = 8;

/// Keeps the first kKeptEvents of all events that were added, in order.
template <class Event>
class FirstOf {
 public:
  void add(const Event& event) {
    if (count_ == kKeptEvents && !(event < events_.back())) return;
    count_ = std::min(count_ + 1, kKeptEvents);
    const std::span others = std::span(events_).first(count_ - 1);
    const auto at = std::upper_bound(others.begin(), others.end(), event) - others.begin();
    std::copy_backward(others.begin() + at, others.end(), std::span(events_).first(count_).end());
    events_[static_cast<std::size_t>(at)] = event;
  }
  [[nodiscard]] std::span<const Event> events() const { return std::span(events_).first(count_); }

 private:
  std::array<Event, kKeptEvents> events_{};
  std::size_t count_ = 0;
};
using FirstEvents = FirstOf<PlacedEvent>;
using FirstJunctionEvents = FirstOf<JunctionEvent>;

}  // namespace gdr::emulator
