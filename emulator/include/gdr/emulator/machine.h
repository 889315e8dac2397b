// Descriptions of boards: the contents of a file of kind "board".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"

namespace gdr::emulator {

/// Model of the transfers between host and board: as they were in 2009, or as they were planned.
enum class TransferMode : std::uint8_t { as_of_2009, ideal };

struct MachineDescription {
  std::string name;
  std::string title;
  unsigned chips = 0;
  double clock_mhz = 0;
  std::uint64_t em_words = 0;  // long words of external memory per chip
  double em_rate = 0;          // million long words per second out of external memory, within a row
  unsigned em_row_words = 0;   // long words of a row
  double em_row_ns = 0;        // time to close a row and open the next
  double em_refresh_interval_us = 0;
  double em_refresh_ns = 0;       // duration of a refresh
  unsigned idp_clocks = 0;        // per long word into the BMs
  unsigned idp_burst = 0;         // consecutive long words for one BM before the next BM gets some
  unsigned bm_buffer = 0;         // size of the buffer before a BM, in long words
  unsigned odp_buffer = 0;        // size of the buffer before the output port, in long words
  unsigned bm_line_first = 0;     // when a buffer is full, 1: the stream waits; 0: the line waits
  unsigned odp_clocks = 0;        // per long word out of the tree
  unsigned tree_latency = 0;      // clocks
  double loop_stall = 0;          // clocks per iteration of the loop body
  double run_start_us = 0;        // host time to start a run of 128 i-particles, in 2009
  double run_start_ideal_us = 0;  // the same, as planned
  double result_dma_mb = 0;       // MB/s per chip
  double pio_mb = 0;              // MB/s per chip, whole buffers
  double pio_buffer = 0;          // bytes of one of the two write-combining buffers
  double pio_swap_us = 0;         // time to change from one buffer to the other
  double host_write_2009_mb = 0;  // MB/s of the host into all chips together
  double send_ideal_mb = 0;       // MB/s of the host into all chips together, as planned
  double fpga_clock_mhz = 0;      // HET converts one field per clock
  double ring_mb = 0;             // MB/s per link and direction between the chips of a board
  double host_add_rate = 0;       // additions per second
  double host_step_us = 0;        // host time per particle and step of an integration, data in cache
  double host_miss_us = 0;        // additional time if the particle is not in cache
  double host_cache = 0;          // bytes of the host's cache
  double host_particle = 0;       // bytes of a particle
  unsigned overlap_words = 0;     // buffer for the next block of A, which arrives while lines run; in long words
  unsigned overlap_turns = 0;     // turns in which this buffer is filled once

  std::vector<base::Parameter> parameters;  // all of them, in the file's order
};

/// The kind "board" of description files, with the parameters that such a file must have.
[[nodiscard]] const base::DescriptionKind& board_kind();

/// Throws gdr::Error as base::parse_description() does.
[[nodiscard]] MachineDescription parse_machine(std::string_view text, std::string_view name);

/// Throws gdr::Error as base::load_description() does.
[[nodiscard]] MachineDescription load_machine(std::string_view name_or_file);

/// Names that load_machine() finds, sorted.
[[nodiscard]] std::vector<std::string> machine_names();

}  // namespace gdr::emulator
