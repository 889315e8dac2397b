#include "row_transitions.h"

#include <atomic>

namespace gdr::emulator::simd {
namespace {

constexpr std::array<std::string_view, kTransitions> kNames{
    "packed",       "gone on",           "ended by packing", "ended by run", "ended by look",
    "ended across", "given up going on", "given up",         "stopped",      "landed",
    "viewed",       "viewed in part",    "copied",           "alike put",    "alike given"};
static_assert(kNames.back() == "alike given" && static_cast<std::size_t>(Transition::alike_given) == kTransitions - 1);

std::array<std::atomic<std::uint64_t>, kTransitions> counts{};

}  // namespace

std::string_view name_of(Transition transition) { return kNames[static_cast<std::size_t>(transition)]; }

std::array<std::uint64_t, kTransitions> row_transitions() {
  std::array<std::uint64_t, kTransitions> now{};
  for (std::size_t n = 0; n < kTransitions; ++n) now[n] = counts[n].load(std::memory_order_relaxed);
  return now;
}

void count(Transition transition) {
  counts[static_cast<std::size_t>(transition)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace gdr::emulator::simd
