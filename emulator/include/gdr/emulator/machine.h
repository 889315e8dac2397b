// Descriptions of boards: what a file of kind "board" gives.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"

namespace gdr::emulator {

/// Which of the board's ways to send data is modelled: as implemented in 2009, or as planned then.
enum class TransferMode : std::uint8_t { as_of_2009, ideal };

struct MachineDescription {
  std::string name;
  std::string title;
  unsigned chips = 0;
  double clock_mhz = 0;
  std::uint64_t em_words = 0;  // long words of external memory per chip
  double em_rate = 0;          // million long words per second out of external memory, within a row
  unsigned em_row_words = 0;   // long words of a row
  double em_row_ns = 0;        // to close a row and open the next
  double em_refresh_interval_us = 0;
  double em_refresh_ns = 0;       // that a refresh takes
  unsigned idp_clocks = 0;        // per long word into the BMs
  unsigned idp_burst = 0;         // long words that one BM gets before the next has its turn
  unsigned bm_buffer = 0;         // long words that wait before a BM
  unsigned odp_buffer = 0;        // long words that wait before the output port
  unsigned bm_line_first = 0;     // 1: a full buffer makes the stream wait; 0: the line
  unsigned odp_clocks = 0;        // per long word out of the tree
  unsigned tree_latency = 0;      // clocks
  double loop_stall = 0;          // clocks per iteration of the loop body
  double run_start_us = 0;        // host, per run of 128 i-particles, as of 2009
  double run_start_ideal_us = 0;  // as planned
  double result_dma_mb = 0;       // MB/s per chip
  double pio_mb = 0;              // MB/s per chip, whole buffers
  double pio_buffer = 0;          // bytes of one of the two write-combining buffers
  double pio_swap_us = 0;         // to change from one buffer to the other
  double host_write_2009_mb = 0;  // MB/s of the host into all chips together
  double send_ideal_mb = 0;       // MB/s of the host into all chips together, as planned
  double fpga_clock_mhz = 0;      // of HET: a field a clock
  double ring_mb = 0;             // MB/s per link and direction between the chips of a board
  double host_add_rate = 0;       // additions per second
  double host_step_us = 0;        // host, per particle and step of an integration, data in its cache
  double host_miss_us = 0;        // more for a particle that is not
  double host_cache = 0;          // bytes
  double host_particle = 0;       // bytes of a particle
  unsigned overlap_words = 0;     // long words of a next block that may arrive while lines run
  unsigned overlap_turns = 0;     // turns of the loop for each time this buffer is filled

  std::vector<base::Parameter> parameters;  // all of them, in the file's order
};

/// Its kind in the files, and what such a file must give.
[[nodiscard]] const base::DescriptionKind& board_kind();

/// Throws gdr::Error as base::parse_description() does.
[[nodiscard]] MachineDescription parse_machine(std::string_view text, std::string_view name);

/// Throws gdr::Error as base::load_description() does.
[[nodiscard]] MachineDescription load_machine(std::string_view name_or_file);

/// Names that load_machine() finds, sorted.
[[nodiscard]] std::vector<std::string> machine_names();

}  // namespace gdr::emulator
