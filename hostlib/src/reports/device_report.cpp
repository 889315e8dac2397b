#include "gdr/hostlib/device_report.h"

#include "gdr/hostlib/digests.h"

namespace gdr::hostlib {

base::Json counters_json(const emulator::Counters& counters, bool computes) {
  base::Json json = {
      {"runs", counters.runs},
      {"iterations", counters.iterations},
      {"lines", counters.lines},
      {"unit_lines",
       {{"adder", counters.adder_lines},
        {"multiplier", counters.multiplier_lines},
        {"alu", counters.alu_lines},
        {"bm", counters.bm_lines}}},
      {"bytes",
       {{"host_in", counters.host_bytes_in},
        {"host_out", counters.host_bytes_out},
        {"em_written", counters.em_words_written * 9},  // a long word is 72 bits
        {"em_read", counters.em_words_read * 9},
        {"idp", counters.idp_words * 9},
        {"odp", counters.odp_words * 9},
        {"ring", counters.ring_words * 9}}},
      {"fp_lanes", {{"all", counters.fp_lanes.all}, {"slow", counters.fp_lanes.slow}}},
      {"fp_events",
       {{"invalid", counters.fp.invalid}, {"overflow", counters.fp.overflow}, {"underflow", counters.fp.underflow}}},
      {"conversion_events",
       {{"overflow", counters.conversions.overflow},
        {"underflow", counters.conversions.underflow},
        {"saturated", counters.conversions.saturated}}}};
  if (!computes) {
    json["fp_events"] = nullptr;
    json["conversion_events"] = nullptr;
  }
  return json;
}

void add_digests(base::Json& report, const isa::Program& program, const emulator::MachineDescription& machine) {
  report["kernel_sha256"] = hostlib::kernel_digest(program);
  report["machine_sha256"] = hostlib::machine_digest(machine);
}

void add_device_results(base::Json& report, const Device& device) {
  add_digests(report, device.program(), device.machine());
  const emulator::BoardTime& emulated = device.emulated();
  const double seconds = emulated.seconds().total();
  report["emulated_seconds"] = seconds;
  const double flops = device.program().flops * static_cast<double>(emulated.interactions());
  if (flops > 0 && seconds > 0) report["emulated_gflops"] = flops / seconds / 1e9;
  const emulator::RunClocks& clocks = emulated.clocks();
  report["clocks"] = clocks.total();
  report["clocks_by_part"] = {{"i_load", clocks.i_load},
                              {"loop_initialization", clocks.loop_initialization},
                              {"first_record", clocks.first_record},
                              {"loop_body", clocks.loop_body},
                              {"stall", clocks.stall},
                              {"loop_termination", clocks.loop_termination},
                              {"collection", clocks.collection}};
  base::Json& stalls = report["stall_clocks"] = base::Json::object();
  for (std::size_t n = 0; n < emulator::kStallReasons; ++n) {
    stalls[key_of(static_cast<emulator::StallReason>(n))] = clocks.stalls[n];
  }
  report["counters"] = counters_json(device.counters(), device.computes());
  if (!device.computes()) report["exact"] = false;
}

}  // namespace gdr::hostlib
