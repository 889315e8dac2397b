#include "gdr/hostlib/report_fields.h"

#include "gdr/base/report_fields.h"
#include "gdr/emulator/schedule.h"

namespace gdr::hostlib {

std::vector<base::Field> digest_fields() {
  return {
      base::text_field("kernel_sha256", "SHA-256 of the kernel as `gdr objdump --raw` prints it below its comments"),
      base::text_field("machine_sha256", "SHA-256 of all parameters in the machine's file")};
}

std::vector<base::Field> device_fields() {
  std::vector<base::Field> stalls;
  for (std::size_t n = 0; n < emulator::kStallReasons; ++n) {
    const auto reason = static_cast<emulator::StallReason>(n);
    stalls.push_back(base::whole_field(std::string(key_of(reason)), "clocks of this reason"));
  }
  return base::joined(
      {digest_fields(),
       {base::object_field("clocks_by_part", "`clocks` of the slowest chip by part; they add up to it",
                           {base::whole_field("i_load", "i-data to the PEs"),
                            base::whole_field("loop_initialization", "lines before the loop"),
                            base::whole_field("first_record", "wait for the first j-record"),
                            base::whole_field("loop_body", "lines of the loop"), base::whole_field("stall", "stalls"),
                            base::whole_field("loop_termination", "lines after the loop"),
                            base::whole_field("collection", "results through the reduction tree")},
                           "1"),
        base::object_field("stall_clocks", "`stall` of `clocks_by_part` by reason", stalls, "1")}});
}

base::Field transfer_field() {
  return base::text_field("transfer", "transfers between host and board: `2009` or `ideal`");
}
base::Field clock_field() { return base::number_field("clock_mhz", "MHz", "clock of the chips"); }
base::Field boards_field() { return base::whole_field("boards", "boards"); }

namespace {

base::Field counters_field() {
  return base::or_null(base::object_field(
      "counters", "what all chips counted, added up",
      {base::whole_field("runs", "calls of the kernel on a chip"),
       base::whole_field("iterations", "iterations of loops"), base::whole_field("lines", "lines executed"),
       base::object_field(
           "unit_lines", "lines in which a unit is busy",
           {base::whole_field("adder", "floating-point adder"), base::whole_field("multiplier", "multiplier"),
            base::whole_field("alu", "integer unit"), base::whole_field("bm", "broadcast memory")},
           "1"),
       base::object_field(
           "bytes", "bytes by path; a long word counts 9",
           {base::whole_field("host_in", "from the host", "B"), base::whole_field("host_out", "to the host", "B"),
            base::whole_field("em_written", "into external memory", "B"),
            base::whole_field("em_read", "from external memory", "B"), base::whole_field("idp", "input ports", "B"),
            base::whole_field("odp", "output ports", "B"), base::whole_field("ring", "ring between chips", "B")},
           "B"),
       base::object_field("fp_lanes", "results of operations; they depend on this host, like compiled code",
                          {base::whole_field("all", "that the engine formed"),
                           base::whole_field("slow", "those of them that it formed in integers")},
                          "1"),
       base::or_null(base::object_field(
           "fp_events",
           "results that are not the rounded exact ones, as the engine counts them, in all blocks and on all paths; "
           "null "
           "if nothing is computed",
           {base::whole_field("invalid", "invalid operations"), base::whole_field("overflow", "overflows"),
            base::whole_field("underflow", "underflows")},
           "1")),
       base::or_null(
           base::object_field("conversion_events", "the same of conversions of i- and j-data",
                              {base::whole_field("overflow", "overflows"), base::whole_field("underflow", "underflows"),
                               base::whole_field("saturated", "saturated integers")},
                              "1"))},
      "1"));
}

}  // namespace

const std::vector<base::Field>& fields_of_all_reports() {
  static const std::vector<base::Field> fields{
      base::text_field("tool", "`gdr` and the name of the command"),
      base::text_field("version", "version of gdr"),
      base::or_null(base::text_field("machine", "machine, network or clusters, with commas between several")),
      base::or_null(base::text_field("engine", "engine that computed; `model` or `timing` if nothing was")),
      base::or_null(base::flag_field("exact", "whether results have the bits of the machine")),
      base::or_null(base::number_field("emulated_seconds", "s", "emulated time; of rows: of the only one")),
      base::or_null(base::number_field("emulated_gflops", "Gflops", "flops divided by the emulated time")),
      base::or_null(base::number_field("host_seconds", "s", "wall clock of the whole command")),
      base::or_null(base::whole_field("clocks", "clocks of the slowest chip")),
      counters_field(),
      base::object_field(
          "options",
          "options and arguments that were given, by their long names, without outputs and without "
          "`--threads`, `--quiet` and `--progress`, on which no result depends; a flag is true, several values "
          "are a list")};
  return fields;
}

}  // namespace gdr::hostlib
