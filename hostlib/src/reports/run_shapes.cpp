// Reports of kernels with their data on the board, and of N-body runs.
#include "gdr/assembler/report_fields.h"
#include "gdr/base/report_fields.h"
#include "gdr/hostlib/report_fields.h"
#include "gdr/hostlib/report_shapes.h"

namespace gdr::hostlib {
namespace {

using Parts = std::vector<std::pair<const char*, const char*>>;

const Parts kBoardStages{{"i_send", "i-data to the boards"},
                         {"j_send", "j-data to the boards"},
                         {"compute", "boards, and results to the host"},
                         {"add", "sums of several boards on the host"}};

/// A place in a run. `line` counts the lines of the section's code.
std::vector<base::Field> place_fields() {
  return {base::whole_field("run", "call of the kernel, from 0 on"),
          base::text_field("section", "section of the kernel"),
          base::or_null(base::whole_field("iteration", "of the loop body, from 0 on")),
          base::whole_field("line", "line of the section's code, from 0 on"),
          base::text_field("source", "file and line of the source"),
          base::whole_field("chip", "chip"),
          base::whole_field("block", "block of the chip"),
          base::whole_field("pe", "PE of the block"),
          base::whole_field("element", "element of the vector")};
}

base::Field events_field() {
  const base::Field event = base::text_field("event", "`invalid`, `overflow` or `underflow`");
  const std::vector<base::Field> counts{base::whole_field("invalid", "invalid operations"),
                                        base::whole_field("overflow", "overflows"),
                                        base::whole_field("underflow", "underflows")};
  return base::or_null(base::object_field(
      "events",
      "floating-point events, as far as a result may have taken their values: those of `counters.fp_events` without "
      "`untaken`; null if nothing is computed",
      {base::whole_field("invalid", "invalid operations"), base::whole_field("overflow", "overflows"),
       base::whole_field("underflow", "underflows"),
       base::object_field("untaken",
                          "events that are not among them, because no result took their values: in blocks without a "
                          "j-record, in elements without an i-particle, and on paths that no result takes",
                          counts),
       base::object_field("unfollowed",
                          "those of them of which it is not known whether a result took their values, because the run "
                          "was too large, ended with a fault or began with words that earlier runs had left",
                          counts),
       base::list_field("first", "the first events in PEs",
                        base::joined({place_fields(), {event, base::text_field("unit", "unit of the PE")}})),
       base::list_field(
           "first_junctions", "the first events outside PEs",
           {event, base::text_field("junction", "`tree`, `ring`, `host` or `board`"),
            base::whole_field("run", "call of the kernel"), base::whole_field("chip", "chip, the first one of a board"),
            base::or_null(
                base::whole_field("first_block", "first of the blocks that were added; null beyond the chip")),
            base::or_null(base::whole_field("blocks", "how many they were; null beyond the chip")),
            base::text_field("variable", "result of the kernel"), base::whole_field("result", "its number")}),
       base::or_null(base::object_field(
           "fault", "what ended the run, with its place if it has one",
           base::joined({base::or_none(place_fields()), {base::text_field("message", "what happened")}})))}));
}

base::ReportShape run_shape() {
  return {
      "run",
      2,
      base::joined(
          {device_fields(),
           {base::text_field("kernel", "kernel"), assembler::compiled_field(),
            base::or_null(
                base::text_field("emulated_assumed", "what the emulated time assumes, since nothing is computed")),
            base::or_null(base::text_field("results", "file of the results")), events_field(),
            base::whole_field("ni", "i-particles, or experiments"), base::whole_field("nj", "j-particles"),
            base::whole_field("iterations",
                              "iterations of the loop on the slowest chip, added up over its runs of 128 i-particles: "
                              "runs x ceil(ceil(nj / chips) / 16)"),
            base::or_none(base::object_field(
                "experiments", "of a kernel of experiments",
                {base::whole_field("places", "places of all boards, each for an experiment"),
                 base::whole_field("rounds", "rounds"), base::whole_field("round_steps", "steps of a round"),
                 base::or_null(base::number_field("occupancy", "1", "share of the steps in which a place was at work")),
                 base::or_null(
                     base::number_field("occupancy_of_queue", "1", "the same while experiments were waiting")),
                 base::whole_field("unfinished", "experiments that were not done after all steps")}))}}),
      {}};
}

base::ReportShape force_shape() {
  return {
      "force",
      1,
      base::joined(
          {device_fields(),
           {base::whole_field("n", "particles"), base::number_field("eps", "1", "softening length"),
            base::whole_field("seed", "seed of the Plummer sphere"), boards_field(), clock_field(),
            base::text_field("kernel", "kernel that computes the forces"),
            base::seconds_field("stages", "emulated time by stage", kBoardStages),
            base::or_null(base::object_field(
                "rms_error", "sqrt(mean((abs(a - b) / abs(b))^2)), b in host double from the same input",
                {base::number_field("acc", "1", "of accelerations"),
                 base::or_null(base::number_field("jerk", "1", "of jerks; null if the kernel has none")),
                 base::number_field("pot", "1", "of potentials")},
                "1")),
            base::or_null(base::number_field("momentum_error", "1", "abs(sum m a) / sum abs(m a), 0 for exact forces")),
            base::or_null(
                base::number_field("reference_host_seconds", "s",
                                   "part of `host_seconds` in which the host computed the forces in double, on "
                                   "`--threads` threads"))}}),
      {}};
}

base::Field vector_field(const std::string& key, const std::string& meaning) {
  return base::list_field(key, meaning, {}, "1");
}

/// What only computed particles give.
std::vector<base::Field> fields_of_particles() {
  return {
      base::number_field("t_begin", "1", "time of the snapshot, else 0"),
      base::text_field("binaries", "how hard binaries are integrated: `plain` or `regularised`"),
      base::list_field("pairs", "pairs that are regularised at `t`",
                       {base::whole_field("first", "id"), base::whole_field("second", "id"),
                        base::number_field("semi_major_axis", "1", "semi-major axis"),
                        base::number_field("apocentre", "1", "largest distance of the two")}),
      base::object_field("scales", "the system at the start",
                         {base::number_field("mass", "1", "total mass"),
                          base::or_null(base::number_field("virial_radius", "1", "G M^2 / (2 abs(W))")),
                          base::or_null(base::number_field("virial_ratio", "1", "T / abs(W)")),
                          base::or_null(base::number_field("half_mass_radius", "1", "radius of half the mass")),
                          base::or_null(base::number_field("crossing_time", "1", "crossing time")),
                          base::or_null(base::number_field("relaxation_time", "1", "half-mass relaxation time"))}),
      base::or_null(base::number_field("energy", "1", "total energy in host double")),
      base::or_null(base::number_field("board_energy", "1",
                                       "the same from the board's potentials; null unless all particles "
                                       "have reached `t`")),
      base::or_null(base::number_field("virial_ratio", "1", "T / abs(W)")),
      vector_field("momentum", "total momentum"),
      vector_field("angular_momentum", "total angular momentum"),
      base::object_field("lagrangian_radii", "radii by mass fraction", {}, "1"),
      base::or_null(vector_field("density_centre", "density centre")),
      base::or_null(base::number_field("core_radius", "1", "core radius")),
      base::or_null(base::number_field("pipe_occupancy", "1", "share of the interactions that the PEs had time for")),
      base::list_field("block_size_histogram", "blocks by their number of particles",
                       {base::whole_field("least", "fewest particles"), base::whole_field("most", "most particles"),
                        base::whole_field("blocks", "blocks")}),
      base::whole_field("smallest_steps", "steps that were held at the smallest step"),
      base::whole_field("noise_limited_steps", "steps that noise of the kernel chose"),
      base::list_field("forced_restart", "what differed when a restart was forced"),
      base::list_field("changes", "changes that restarts made",
                       {base::number_field("t", "1", "time"), base::text_field("what", "what changed")}),
      base::whole_field("predicted_at_end", "particles that were predicted to `t`"),
      base::or_null(base::text_field("stopped",
                                     "what ended the run early: `SIGINT`, `SIGTERM`, `stop file`, `energy error` or "
                                     "`memory`"))};
}

/// Of a run on several ranks.
std::vector<base::Field> fields_of_ranks() {
  base::Field parts = base::object_field("parts", "emulated seconds by rank", {}, "s");
  for (const char* part : {"compute", "send", "receive", "network", "wait"}) {
    parts.members.push_back(base::list_field(part, "of each rank", {}, "s"));
  }
  return {base::whole_field("ranks", "ranks"),
          base::text_field("split", "how forces are divided among the ranks: `i`, `j` or `2d`"),
          base::flag_field("overlap", "whether blocks are computed in halves"),
          base::text_field("cluster", "cluster that describes the network between the ranks"), parts};
}

base::ReportShape nbody_shape() {
  std::vector<base::Field> of_device = device_fields();
  for (base::Field& field : of_device) field.may_be_null = true;  // without a board
  of_device[2].may_lack = of_device[3].may_lack = true;           // clocks, with --timing-only
  const Parts stages{{"i_send", "i-data to the boards"},
                     {"j_send", "j-data to the boards"},
                     {"compute", "boards, and results to the host"},
                     {"add", "sums of several boards on the host"},
                     {"host", "integration on the host"}};
  return {
      "nbody",
      1,
      base::joined(
          {of_device,
           {base::whole_field("n", "particles"), base::text_field("start", "model or file that the run starts from"),
            base::or_null(base::whole_field("seed", "seed of the model; null if nothing is drawn")),
            base::number_field("eps", "1", "softening length"), base::number_field("eta", "1", "accuracy of steps"),
            base::number_field("t", "1", "time of the results"),
            base::or_null(base::number_field("energy_error", "1", "(E(t) - E(0)) / abs(E(0)), signed, in host double")),
            base::number_field("steps", "1", "steps of single particles"),
            base::number_field("block_steps", "1", "blocks of particles that were integrated together"),
            base::number_field("interactions", "1", "sum over force calls of ni x nj, self pairs included"),
            base::or_null(
                base::text_field("state_hash",
                                 "SHA-256 over id, m, x, v of all particles in id order at `t`, little-endian "
                                 "64-bit")),
            base::or_null(base::text_field("kernel", "kernel that computes the forces")), base::or_null(clock_field()),
            base::or_null(transfer_field()), base::or_null(boards_field())},
           base::or_none(fields_of_particles()),
           base::or_none(fields_of_ranks()),
           base::or_none(std::vector<base::Field>{
               base::seconds_field("stages", "emulated time by stage, of `--timing-only`", stages),
               base::text_field("block_sizes_from", "file of the measured blocks, or `measured`"),
               base::list_field("block_sizes_measured_at", "numbers of particles of these blocks", {}, "1"),
               base::or_null(base::number_field("block_sizes_measured_t", "1",
                                                "units of time that were integrated to measure them; null for a file")),
               base::number_field("watts", "W", "power of a host with its boards"),
               base::number_field("joules", "J", "energy of the run, `watts` times `emulated_seconds`")})}),
      {}};
}

base::ReportShape compare_shape() {
  return {"profile compare",
          1,
          {},
          {base::text_field("name", "figure of the profiles"), base::number_field("a", "", "of the first profile"),
           base::number_field("b", "", "of the second"),
           base::or_null(base::number_field("ratio", "1", "b / a; null if `a` is 0"))},
          {},
          "rows",
          false,
          false};
}

// clang-format off
constexpr std::string_view kTextsOfRuns = R"(:force
{kernel} on {@machine} at {clock_mhz} MHz, N = {n}, eps = {eps}, engine {engine}[ ({@exactness})]
  emulated time   {emulated_seconds:.6f} s: i send {stages.i_send:.6f}, j send {stages.j_send:.6f}, compute and collect {stages.compute:.6f}, add {stages.add:.6f}
  emulated speed  {emulated_gflops:.1f} Gflops, {@flops:.0f} flops per interaction
  chip clocks     {clocks}: body {clocks_by_part.loop_body}, stalls {clocks_by_part.stall}, i load {clocks_by_part.i_load}, first record {clocks_by_part.first_record}, collection {clocks_by_part.collection}, other lines {@other_clocks}
  rms error       acc {rms_error.acc:.2e}[, jerk {rms_error.jerk:.2e}], pot {rms_error.pot:.2e} against host double
{rms_error:!}  no forces       engine timing computes none
  host time       {host_seconds:.2f} s[, of which the forces in host double took {reference_host_seconds:.2f} s]
:nbody
{stages:!}{n} particles to t = {t} {@computed}
  at the start    mass {scales.mass:.6g}[, virial radius {scales.virial_radius:.4g}][, virial ratio {scales.virial_ratio:.4g}][, crossing time {scales.crossing_time:.4g}][, relaxation time {scales.relaxation_time:.4g}][, time unit {@megayears:.6g} Myr]
  energy error    {@energy_error} (E = {energy:.11g}, virial ratio {@virial_ratio})
{stages:!}  steps           {steps} in {block_steps} blocks, {@block_size:.1f} particles a block
  binaries        {@pairs.left} regularised at the end; {@pairs.begun} were begun and {@pairs.ended} given up
{stages:!}  interactions    {interactions}
  occupancy       {pipe_occupancy*100:.1f} % of the interactions that the PEs had time for
  core            {@core}
{stages:!}  emulated time   {emulated_seconds:.4f} s on the board and its host of 2009
  ranks           {ranks}, split {split}, network of {cluster}; seconds on average: {@mean_parts}
{stages:?}{n} particles to t = {t} on {@machine} at {clock_mhz} MHz, kernel {kernel}: emulated time alone
{stages:?}  blocks          {block_steps:.0f} of {@block_size:.1f} particles on average, {steps:.4g} steps
{*@origin}                  {.}
  emulated time   {emulated_seconds:.4f} s: i send {stages.i_send:.4f}, j send {stages.j_send:.4f}, compute and collect {stages.compute:.4f}, add {stages.add:.4f}, integration {stages.host:.4f}
  takes           {@takes}, {@kilowatt_hours:.3g} kWh at {watts:.0f} W: the host and {boards:#board} of {@cluster}
  emulated speed  {emulated_gflops:.2f} Gflops at {@flops:.0f} flops per interaction
  host time       {host_seconds:.2f} s
  state hash      {state_hash}
{predicted_at_end:?}  note: t = {t} is no block time; {predicted_at_end} particles were predicted to it
{smallest_steps:?}  note: {smallest_steps} steps were held at the smallest step 2^{@smallest_step}; soften, or expect a wrong energy
{*changes}  note: from t = {t} on {what}
{forced_restart:?}  note: the restart was forced in spite of {@forced}
:profile compare
{@text}
)";
// clang-format on

}  // namespace

std::span<const base::ReportShape> shapes_of_runs() {
  static const std::vector<base::ReportShape> shapes =
      base::with_texts({force_shape(), nbody_shape(), compare_shape(), run_shape()}, kTextsOfRuns);
  return shapes;
}

}  // namespace gdr::hostlib
