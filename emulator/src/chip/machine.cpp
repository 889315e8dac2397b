// Reading descriptions of boards.
#include "gdr/emulator/machine.h"

#include <functional>
#include <span>
#include <type_traits>

namespace gdr::emulator {
namespace {

/// A parameter that a description must have, and the member that it sets.
struct KnownParameter {
  base::ParameterRule rule;
  std::function<void(MachineDescription&, double)> set;
};

template <class Member>
KnownParameter known(std::string key, std::string unit, double low, double high, Member MachineDescription::* member) {
  return {{std::move(key), std::move(unit), low, high, std::is_integral_v<Member>},
          [member](MachineDescription& machine, double value) { machine.*member = static_cast<Member>(value); }};
}

const std::vector<KnownParameter>& known_parameters() {
  using M = MachineDescription;
  static const std::vector<KnownParameter> parameters{
      known("chips", "1", 1, 16, &M::chips),
      known("clock", "MHz", 1, 10000, &M::clock_mhz),
      known("em_words", "long words per chip", 1024, 4294967296.0, &M::em_words),
      known("em_rate", "million long words/s", 1, 1e5, &M::em_rate),
      known("em_row_words", "long words", 1, 1e6, &M::em_row_words),
      known("em_row_time", "ns", 0, 1e6, &M::em_row_ns),
      known("em_refresh_interval", "us", 0.1, 1e6, &M::em_refresh_interval_us),
      known("em_refresh_time", "ns", 0, 99, &M::em_refresh_ns),
      known("idp_clocks", "clocks per long word", 1, 64, &M::idp_clocks),
      known("idp_burst", "long words", 1, 1024, &M::idp_burst),
      known("bm_buffer", "long words", 1, 1024, &M::bm_buffer),
      known("odp_buffer", "long words", 1, 1024, &M::odp_buffer),
      known("bm_line_first", "1", 0, 1, &M::bm_line_first),
      known("odp_clocks", "clocks per long word", 1, 64, &M::odp_clocks),
      known("tree_latency", "clocks", 0, 1024, &M::tree_latency),
      known("loop_stall", "clocks per iteration", 0, 1e6, &M::loop_stall),
      known("run_start", "us per run", 0, 1e6, &M::run_start_us),
      known("run_start_ideal", "us per run", 0, 1e6, &M::run_start_ideal_us),
      known("result_dma_rate", "MB/s per chip", 0.001, 1e6, &M::result_dma_mb),
      known("pio_rate", "MB/s per chip", 0.001, 1e6, &M::pio_mb),
      known("pio_buffer", "bytes", 8, 1e6, &M::pio_buffer),
      known("pio_swap", "us", 0, 1e6, &M::pio_swap_us),
      known("host_write_rate_2009", "MB/s", 0.001, 1e6, &M::host_write_2009_mb),
      known("overlap_buffer", "long words", 0, 33554432, &M::overlap_words),
      known("overlap_turns", "turns", 1, 1e6, &M::overlap_turns),
      known("send_rate_ideal", "MB/s", 0.001, 1e6, &M::send_ideal_mb),
      known("fpga_clock", "MHz", 1, 10000, &M::fpga_clock_mhz),
      known("ring_rate", "MB/s per link and direction", 0.001, 1e6, &M::ring_mb),
      known("host_add_rate", "additions/s", 1, 1e15, &M::host_add_rate),
      known("host_step", "us per particle and step", 0, 1e6, &M::host_step_us),
      known("host_miss", "us per particle and step", 0, 1e6, &M::host_miss_us),
      known("host_cache", "bytes", 0, 1e12, &M::host_cache),
      known("host_particle", "bytes", 1, 1e6, &M::host_particle),
  };
  return parameters;
}

MachineDescription machine_of(base::Description description) {
  MachineDescription machine;
  machine.name = std::move(description.name);
  machine.title = std::move(description.title);
  for (const KnownParameter& parameter : known_parameters()) {
    parameter.set(machine, description.value(parameter.rule.key));
  }
  machine.parameters = std::move(description.parameters);
  return machine;
}

}  // namespace

const base::DescriptionKind& board_kind() {
  static const base::DescriptionKind kind = [] {
    base::DescriptionKind board{"board", {}};
    for (const KnownParameter& parameter : known_parameters()) board.rules.push_back(parameter.rule);
    return board;
  }();
  return kind;
}

MachineDescription parse_machine(std::string_view text, std::string_view name) {
  return machine_of(base::parse_description(text, name, std::span(&board_kind(), 1)));
}

MachineDescription load_machine(std::string_view name_or_file) {
  return machine_of(base::load_description(name_or_file, std::span(&board_kind(), 1)));
}

std::vector<std::string> machine_names() { return base::description_names(std::span(&board_kind(), 1)); }

}  // namespace gdr::emulator
