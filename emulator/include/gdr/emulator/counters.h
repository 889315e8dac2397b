// Counters of the work of chips and of their control processors.
#pragma once

#include <cstdint>

#include "gdr/emulator/chip.h"
#include "gdr/emulator/conversion.h"

namespace gdr::emulator {

/// Counted since the program was loaded, all chips together. Words are long words. The units are those of Koike et al.
/// 2009, section 2.4.
struct Counters {
  std::uint64_t runs = 0;
  std::uint64_t iterations = 0;
  std::uint64_t lines = 0;
  std::uint64_t adder_lines = 0;  // lines that keep the unit busy
  std::uint64_t multiplier_lines = 0;
  std::uint64_t alu_lines = 0;
  std::uint64_t bm_lines = 0;
  std::uint64_t host_bytes_in = 0;     // HIC
  std::uint64_t host_bytes_out = 0;    // HIC
  std::uint64_t em_words_written = 0;  // EMI
  std::uint64_t em_words_read = 0;     // EMI
  std::uint64_t idp_words = 0;         // SDI
  std::uint64_t odp_words = 0;         // SDI
  std::uint64_t ring_words = 0;        // ODPRRN: sent to the next chip
  FpEvents fp;                         // of live PEs and of all junctions (gdr/emulator/events.h)
  FpLanes fp_lanes;                    // work of the engine, not of the machine
  ConversionEvents conversions;        // HET and OHT
  Counters& operator+=(const Counters& other);
  /// Each difference is modulo 2^64.
  Counters& operator-=(const Counters& other);
};

}  // namespace gdr::emulator
