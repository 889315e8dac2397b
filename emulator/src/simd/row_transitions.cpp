#include "row_transitions.h"

#include <atomic>

#include "gdr/base/names.h"

namespace gdr::emulator::simd {
namespace {

constexpr base::Names<Transition> kNames({{Transition::packed, "packed"},
                                          {Transition::gone_on, "gone on"},
                                          {Transition::ended_by_packing, "ended by packing"},
                                          {Transition::ended_by_run, "ended by run"},
                                          {Transition::ended_by_look, "ended by look"},
                                          {Transition::ended_across, "ended across"},
                                          {Transition::given_up_going_on, "given up going on"},
                                          {Transition::given_up, "given up"},
                                          {Transition::stopped, "stopped"},
                                          {Transition::landed, "landed"},
                                          {Transition::viewed, "viewed"},
                                          {Transition::viewed_in_part, "viewed in part"},
                                          {Transition::copied, "copied"},
                                          {Transition::alike_put, "alike put"},
                                          {Transition::alike_given, "alike given"}});

std::array<std::atomic<std::uint64_t>, kTransitions> counts{};

}  // namespace

std::string_view name_of(Transition transition) { return kNames[transition]; }

std::array<std::uint64_t, kTransitions> row_transitions() {
  std::array<std::uint64_t, kTransitions> now{};
  for (std::size_t n = 0; n < kTransitions; ++n) now[n] = counts[n].load(std::memory_order_relaxed);
  return now;
}

void count(Transition transition) {
  counts[static_cast<std::size_t>(transition)].fetch_add(1, std::memory_order_relaxed);
}

}  // namespace gdr::emulator::simd
