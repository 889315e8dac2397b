// A run of N-body as fields of a report.
#include <fmt/format.h>

#include "gdr/base/json.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/run_report.h"

namespace gdr::hostlib {
namespace {

base::Json vector_json(const Vec3& v) { return base::Json(std::array{v.x, v.y, v.z}); }

void add_sample(base::Json& json, const Sample& sample) {
  json["energy"] = sample.energy.total();
  json["energy_error"] = sample.energy_error ? base::Json(*sample.energy_error) : base::Json(nullptr);
  json["board_energy"] = sample.board_energy ? base::Json(*sample.board_energy) : base::Json(nullptr);
  json["virial_ratio"] = sample.energy.virial_ratio();
  json["momentum"] = vector_json(sample.momentum);
  json["angular_momentum"] = vector_json(sample.angular_momentum);
  for (std::size_t n = 0; n < sample.radii.size(); ++n) {
    json["lagrangian_radii"][fmt::format("{}", kLogFractions[n])] = sample.radii[n];
  }
  json["density_centre"] = sample.core ? vector_json(sample.core->centre) : base::Json(nullptr);
  json["core_radius"] = sample.core ? base::Json(sample.core->radius) : base::Json(nullptr);
  json["pipe_occupancy"] = sample.pipe_occupancy ? base::Json(*sample.pipe_occupancy) : base::Json(nullptr);
  json["block_size_histogram"] = base::Json::array();
  for (const BlockSizeBin& bin : block_size_histogram(sample.counters)) {
    json["block_size_histogram"].push_back({{"least", bin.least}, {"most", bin.most}, {"blocks", bin.blocks}});
  }
}

base::Json or_null(const std::optional<double>& value) { return value ? base::Json(*value) : base::Json(nullptr); }

}  // namespace

void add_nbody(base::Json& json, const NbodyRun& run, const Sample& sample, const std::string& state_hash) {
  const HermiteCounters& counters = run.counters();
  const Provenance& provenance = run.provenance();
  const HermiteState& state = run.state();
  json["n"] = state.bodies.size();
  json["start"] = run.start();
  json["seed"] = run.seed() ? base::Json(*run.seed()) : base::Json(nullptr);
  json["eps"] = state.options.eps;
  json["eta"] = state.options.eta;
  json["binaries"] = state.options.regularise ? "regularised" : "plain";
  json["pairs"] = base::Json::array();
  for (const RegularisedPair& pair : state.pairs) {
    json["pairs"].push_back({{"first", state.bodies[pair.centre].id},
                             {"second", state.bodies[pair.ghost].id},
                             {"semi_major_axis", pair.mass() / (2 * pair.binding)},
                             {"apocentre", pair.size}});
  }
  json["t_begin"] = run.start_time();
  const Scales& scales = run.scales();
  json["scales"] = {{"mass", scales.mass},
                    {"virial_radius", or_null(scales.virial_radius)},
                    {"virial_ratio", or_null(scales.virial_ratio)},
                    {"half_mass_radius", or_null(scales.half_mass_radius)},
                    {"crossing_time", or_null(scales.crossing_time)},
                    {"relaxation_time", or_null(scales.relaxation_time)}};
  json["t"] = run.result_time();
  add_sample(json, sample);
  json["steps"] = counters.steps;
  json["block_steps"] = counters.block_steps;
  json["smallest_steps"] = counters.smallest_steps;
  json["noise_limited_steps"] = counters.noise_limited_steps;
  json["interactions"] = counters.interactions;
  json["kernel"] = provenance.kernel;
  json["clock_mhz"] = provenance.clock_mhz;
  json["transfer"] = provenance.transfer;
  json["boards"] = provenance.boards;
  json["forced_restart"] = run.forced();
  json["changes"] = base::Json::array();
  for (const RunChange& change : run.changes()) {
    json["changes"].push_back({{"t", change.t}, {"what", change.what}});
  }
  json["state_hash"] = state_hash;
  json["predicted_at_end"] = run.predicted();
}

}  // namespace gdr::hostlib
