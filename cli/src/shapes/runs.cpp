// Reports of kernels with their data on the board, and of N-body runs.
#include "fields.h"

namespace gdr::cli {
namespace {

using Parts = std::vector<std::pair<const char*, const char*>>;

const Parts kBoardStages{{"i_send", "i-data to the boards"},
                         {"j_send", "j-data to the boards"},
                         {"compute", "boards, and results to the host"},
                         {"add", "sums of several boards on the host"}};

/// A place in a run. `line` counts the lines of the section's code.
std::vector<Field> place_fields() {
  return {whole_field("run", "call of the kernel, from 0 on"),
          text_field("section", "section of the kernel"),
          or_null(whole_field("iteration", "of the loop body, from 0 on")),
          whole_field("line", "line of the section's code, from 0 on"),
          text_field("source", "file and line of the source"),
          whole_field("chip", "chip"),
          whole_field("block", "block of the chip"),
          whole_field("pe", "PE of the block"),
          whole_field("element", "element of the vector")};
}

Field events_field() {
  const Field event = text_field("event", "`invalid`, `overflow` or `underflow`");
  return or_null(object_field(
      "events", "floating-point events of all chips; null if nothing is computed",
      {whole_field("invalid", "invalid operations"), whole_field("overflow", "overflows"),
       whole_field("underflow", "underflows"),
       or_null(object_field("untaken",
                            "those of them whose values no result took; null if it is not known: without events, or "
                            "for a long run",
                            {whole_field("invalid", "invalid operations"), whole_field("overflow", "overflows"),
                             whole_field("underflow", "underflows")})),
       list_field("first", "the first events in PEs",
                  joined({place_fields(), {event, text_field("unit", "unit of the PE")}})),
       list_field("first_junctions", "the first events outside PEs",
                  {event, text_field("junction", "`tree`, `ring`, `host` or `board`"),
                   whole_field("run", "call of the kernel"), whole_field("chip", "chip, the first one of a board"),
                   or_null(whole_field("first_block", "first of the blocks that were added; null beyond the chip")),
                   or_null(whole_field("blocks", "how many they were; null beyond the chip")),
                   text_field("variable", "result of the kernel"), whole_field("result", "its number")}),
       or_null(object_field("fault", "what ended the run, with its place if it has one",
                            joined({or_none(place_fields()), {text_field("message", "what happened")}})))}));
}

ReportShape run_shape() {
  return {"run",
          1,
          joined({device_fields(),
                  {text_field("kernel", "kernel"), compiled_field(),
                   or_null(text_field("emulated_assumed", "what the emulated time assumes, since nothing is computed")),
                   or_null(text_field("results", "file of the results")), events_field(),
                   whole_field("ni", "i-particles, or experiments"), whole_field("nj", "j-particles"),
                   whole_field("iterations",
                               "iterations of the loop on the slowest chip, added up over its runs of 128 i-particles: "
                               "runs x ceil(ceil(nj / chips) / 16)"),
                   or_none(object_field(
                       "experiments", "of a kernel of experiments",
                       {whole_field("places", "experiments that are computed together"),
                        whole_field("rounds", "rounds"), whole_field("round_steps", "steps of a round"),
                        or_null(number_field("occupancy", "1", "share of the steps in which a place was at work")),
                        or_null(number_field("occupancy_of_queue", "1", "the same while experiments were waiting")),
                        whole_field("unfinished", "experiments that were not done after all steps")}))}}),
          {}};
}

ReportShape force_shape() {
  return {"force",
          1,
          joined({device_fields(),
                  {whole_field("n", "particles"), number_field("eps", "1", "softening length"),
                   whole_field("seed", "seed of the Plummer sphere"), boards_field(), clock_field(),
                   text_field("kernel", "kernel that computes the forces"),
                   seconds_field("stages", "emulated time by stage", kBoardStages),
                   or_null(object_field("rms_error",
                                        "sqrt(mean((abs(a - b) / abs(b))^2)), b in host double from the same input",
                                        {number_field("acc", "1", "of accelerations"),
                                         or_null(number_field("jerk", "1", "of jerks; null if the kernel has none")),
                                         number_field("pot", "1", "of potentials")},
                                        "1")),
                   or_null(number_field("momentum_error", "1", "abs(sum m a) / sum abs(m a), 0 for exact forces")),
                   or_null(number_field("reference_host_seconds", "s",
                                        "part of `host_seconds` in which the host computed the forces in double, on "
                                        "`--threads` threads"))}}),
          {}};
}

Field vector_field(const std::string& key, const std::string& meaning) { return list_field(key, meaning, {}, "1"); }

/// What only computed particles give.
std::vector<Field> fields_of_particles() {
  return {number_field("t_begin", "1", "time of the snapshot, else 0"),
          text_field("binaries", "how hard binaries are integrated: `plain` or `regularised`"),
          list_field("pairs", "pairs that are regularised at `t`",
                     {whole_field("first", "id"), whole_field("second", "id"),
                      number_field("semi_major_axis", "1", "semi-major axis"),
                      number_field("apocentre", "1", "largest distance of the two")}),
          object_field("scales", "the system at the start",
                       {number_field("mass", "1", "total mass"),
                        or_null(number_field("virial_radius", "1", "G M^2 / (2 abs(W))")),
                        or_null(number_field("virial_ratio", "1", "T / abs(W)")),
                        or_null(number_field("half_mass_radius", "1", "radius of half the mass")),
                        or_null(number_field("crossing_time", "1", "crossing time")),
                        or_null(number_field("relaxation_time", "1", "half-mass relaxation time"))}),
          or_null(number_field("energy", "1", "total energy in host double")),
          or_null(number_field("board_energy", "1",
                               "the same from the board's potentials; null unless all particles "
                               "have reached `t`")),
          or_null(number_field("virial_ratio", "1", "T / abs(W)")),
          vector_field("momentum", "total momentum"),
          vector_field("angular_momentum", "total angular momentum"),
          object_field("lagrangian_radii", "radii by mass fraction", {}, "1"),
          or_null(vector_field("density_centre", "density centre")),
          or_null(number_field("core_radius", "1", "core radius")),
          or_null(number_field("pipe_occupancy", "1", "share of the interactions that the PEs had time for")),
          list_field("block_size_histogram", "blocks by their number of particles",
                     {whole_field("least", "fewest particles"), whole_field("most", "most particles"),
                      whole_field("blocks", "blocks")}),
          whole_field("smallest_steps", "steps that were held at the smallest step"),
          whole_field("noise_limited_steps", "steps that noise of the kernel chose"),
          list_field("forced_restart", "what differed when a restart was forced"),
          list_field("changes", "changes that restarts made",
                     {number_field("t", "1", "time"), text_field("what", "what changed")}),
          whole_field("predicted_at_end", "particles that were predicted to `t`"),
          or_null(text_field("stopped",
                             "what ended the run early: `SIGINT`, `SIGTERM`, `stop file`, `energy error` or "
                             "`memory`"))};
}

/// Of a run on several ranks.
std::vector<Field> fields_of_ranks() {
  Field parts = object_field("parts", "emulated seconds by rank", {}, "s");
  for (const char* part : {"compute", "send", "receive", "network", "wait"}) {
    parts.members.push_back(list_field(part, "of each rank", {}, "s"));
  }
  return {whole_field("ranks", "ranks"),
          text_field("split", "how forces are divided among the ranks: `i`, `j` or `2d`"),
          flag_field("overlap", "whether blocks are computed in halves"),
          text_field("cluster", "cluster whose network the ranks have"), parts};
}

ReportShape nbody_shape() {
  std::vector<Field> of_device = device_fields();
  for (Field& field : of_device) field.may_be_null = true;  // without a board
  of_device[2].may_lack = of_device[3].may_lack = true;     // clocks, with --timing-only
  const Parts stages{{"i_send", "i-data to the boards"},
                     {"j_send", "j-data to the boards"},
                     {"compute", "boards, and results to the host"},
                     {"add", "sums of several boards on the host"},
                     {"host", "integration on the host"}};
  return {"nbody",
          1,
          joined({of_device,
                  {whole_field("n", "particles"), text_field("start", "model or file that the run starts from"),
                   or_null(whole_field("seed", "seed of the model; null if nothing is drawn")),
                   number_field("eps", "1", "softening length"), number_field("eta", "1", "accuracy of steps"),
                   number_field("t", "1", "time of the results"),
                   or_null(number_field("energy_error", "1", "(E(t) - E(0)) / abs(E(0)), signed, in host double")),
                   number_field("steps", "1", "steps of single particles"),
                   number_field("block_steps", "1", "blocks of particles that were integrated together"),
                   number_field("interactions", "1", "sum over force calls of ni x nj, self pairs included"),
                   or_null(text_field("state_hash",
                                      "SHA-256 over id, m, x, v of all particles in id order at `t`, little-endian "
                                      "64-bit")),
                   or_null(text_field("kernel", "kernel that computes the forces")), or_null(clock_field()),
                   or_null(transfer_field()), or_null(boards_field())},
                  or_none(fields_of_particles()),
                  or_none(fields_of_ranks()),
                  or_none(std::vector<Field>{
                      seconds_field("stages", "emulated time by stage, of `--timing-only`", stages),
                      text_field("block_sizes_from", "file of the measured blocks, or `measured`"),
                      list_field("block_sizes_measured_at", "numbers of particles of these blocks", {}, "1"),
                      or_null(number_field("block_sizes_measured_t", "1",
                                           "units of time that were integrated to measure them; null for a file")),
                      number_field("watts", "W", "power of a host with its boards"),
                      number_field("joules", "J", "energy of the run, `watts` times `emulated_seconds`")})}),
          {}};
}

ReportShape compare_shape() {
  return {"profile compare",
          1,
          {},
          {text_field("name", "figure of the profiles"), number_field("a", "", "of the first profile"),
           number_field("b", "", "of the second"), or_null(number_field("ratio", "1", "b / a; null if `a` is 0"))},
          {},
          "rows",
          false,
          false};
}

}  // namespace

std::span<const ReportShape> shapes_of_runs() {
  static const std::vector<ReportShape> shapes{force_shape(), nbody_shape(), compare_shape(), run_shape()};
  return shapes;
}

}  // namespace gdr::cli
