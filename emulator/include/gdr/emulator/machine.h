// Descriptions of machines: TOML files whose every parameter has a value, a unit and an origin.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::emulator {

/// Which of the board's ways to send data is modelled: as implemented in 2009, or as planned then.
enum class TransferMode : std::uint8_t { as_of_2009, ideal };

/// A parameter as its file gives it.
struct MachineParameter {
  std::string key;
  double value = 0;
  std::string unit;
  std::string origin;
};

struct MachineDescription {
  std::string name;
  std::string title;
  unsigned chips = 0;
  double clock_mhz = 0;
  std::uint64_t em_words = 0;  // long words of external memory per chip
  unsigned idp_clocks = 0;     // per long word into the BMs
  unsigned odp_clocks = 0;     // per long word out of the tree
  unsigned tree_latency = 0;   // clocks
  double loop_stall = 0;       // clocks per iteration of the loop body
  double run_start_us = 0;     // per run of 128 i-particles
  double result_dma_mb = 0;    // MB/s per chip
  double pio_mb = 0;           // MB/s per chip
  double i_send_2009_mb = 0;   // MB/s of distinct data
  double j_send_2009_mb = 0;   // MB/s
  double send_ideal_mb = 0;    // MB/s
  double host_add_rate = 0;    // additions per second

  std::vector<MachineParameter> parameters;  // all of them, in the file's order
};

/// Throws gdr::Error `NAME:LINE: ...` naming key, value and allowed range: unknown, missing or repeated keys, values of
/// the wrong type or out of range, wrong units, missing origins, and what is no TOML at all.
[[nodiscard]] MachineDescription parse_machine(std::string_view text, std::string_view name);

/// `name_or_file` is a path if it ends in .toml, else the name of a description in a data directory. Throws gdr::Error
/// with the names known.
[[nodiscard]] MachineDescription load_machine(std::string_view name_or_file);

/// Names that load_machine() finds, sorted.
[[nodiscard]] std::vector<std::string> machine_names();

/// Where `machines/` and `kernels/` are looked for, in this order: $GDR_DATA_DIR, the installed tree around the running
/// program, the install prefix, the source tree.
[[nodiscard]] std::vector<std::filesystem::path> data_directories();

}  // namespace gdr::emulator
