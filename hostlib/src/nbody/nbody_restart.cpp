// What a checkpoint holds beside the integrator, and how a run goes on from it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/json.h"
#include "gdr/base/json_value.h"
#include "gdr/hostlib/checkpoint.h"
#include "gdr/hostlib/nbody_run.h"
#include "gdr/hostlib/restart.h"
#include "nbody/finite_energy.h"
#include "nbody/run_recorder.h"
#include "reports/totals_json.h"

namespace gdr::hostlib {

using base::Json;
using base::JsonValue;

namespace {

Json json_of(const Provenance& provenance) {
  return {{"version", provenance.version},
          {"kernel", provenance.kernel},
          {"kernel_sha256", provenance.kernel_sha256},
          {"machine", provenance.machine},
          {"machine_sha256", provenance.machine_sha256},
          {"clock_mhz", provenance.clock_mhz},
          {"transfer", provenance.transfer},
          {"boards", provenance.boards},
          {"engine", provenance.engine},
          {"exact", provenance.exact}};
}

Provenance provenance_from(const JsonValue& json) {
  return {.version = json.at("version").text(),
          .kernel = json.at("kernel").text(),
          .kernel_sha256 = json.at("kernel_sha256").text(),
          .machine = json.at("machine").text(),
          .machine_sha256 = json.at("machine_sha256").text(),
          .clock_mhz = json.at("clock_mhz").number(),
          .transfer = json.at("transfer").text(),
          .boards = json.at("boards").whole<unsigned>(),
          .engine = json.at("engine").text(),
          .exact = json.at("exact").boolean()};
}

Json json_of(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const Scales& scales) {
  return {{"mass", scales.mass},
          {"virial_radius", json_of(scales.virial_radius)},
          {"virial_ratio", json_of(scales.virial_ratio)},
          {"half_mass_radius", json_of(scales.half_mass_radius)},
          {"crossing_time", json_of(scales.crossing_time)},
          {"relaxation_time", json_of(scales.relaxation_time)}};
}

Scales scales_from(const JsonValue& json) {
  const auto number = [&](std::string_view name) {
    const JsonValue& value = json.at(name);
    return value.is_null() ? std::nullopt : std::optional(value.number());
  };
  return {json.at("mass").number(),   number("virial_radius"), number("virial_ratio"),
          number("half_mass_radius"), number("crossing_time"), number("relaxation_time")};
}

Json json_of(const std::optional<Units>& units) {
  if (!units) return nullptr;
  return {{"name", units->name},
          {"mass", units->mass},
          {"length", units->length},
          {"speed", units->speed},
          {"seconds", units->seconds}};
}

std::optional<Units> units_from(const JsonValue& json) {
  if (json.is_null()) return std::nullopt;
  return Units{json.at("name").text(), json.at("mass").number(), json.at("length").number(), json.at("speed").number(),
               json.at("seconds").number()};
}

Json json_of(const std::vector<Orbit>& orbits) {
  Json json = Json::array();
  for (const Orbit& orbit : orbits) {
    Json places = Json::array();
    for (const Vec3& place : orbit.places) places.push_back({place.x, place.y, place.z});
    json.push_back({{"id", orbit.id}, {"places", std::move(places)}});
  }
  return json;
}

std::vector<Orbit> orbits_from(const JsonValue& json) {
  std::vector<Orbit> orbits;
  for (const JsonValue& each : json.list()) {
    Orbit& orbit = orbits.emplace_back();
    orbit.id = each.at("id").whole<std::int64_t>();
    for (const JsonValue& place : each.at("places").list()) {
      orbit.places.push_back(
          {place.at(std::size_t{0}).number(), place.at(std::size_t{1}).number(), place.at(std::size_t{2}).number()});
    }
  }
  return orbits;
}

Provenance provenance_of(const Checkpoint& checkpoint, const std::filesystem::path& file) {
  try {
    return provenance_from(base::parse_json(checkpoint.context).at("provenance"));
  } catch (const base::JsonError& error) {
    throw Error(fmt::format("{}: checkpoint refused: {}", file.string(), error.what()));
  }
}

}  // namespace

Provenance provenance_in(const std::filesystem::path& checkpoint) {
  return provenance_of(read_checkpoint(checkpoint), checkpoint);
}

RecordedLength NbodyRun::begin_from_checkpoint() {
  RecordedLength recorded;
  Checkpoint checkpoint = read_checkpoint(settings_.restart);
  DeviceTotals totals;
  std::string shared_totals;
  std::vector<Orbit> orbits;
  Provenance written = provenance_of(checkpoint, settings_.restart);
  try {
    const JsonValue context = base::parse_json(checkpoint.context);
    start_ = context.at("start").text();
    if (context.contains("seed") && !context.at("seed").is_null()) seed_ = context.at("seed").whole<std::uint64_t>();
    time_offset_ = context.at("time_offset").number();
    step_offset_ = context.at("step_offset").whole<std::int64_t>();
    outputs_ = context.at("outputs").whole<std::uint64_t>();
    if (!context.at("last_output").is_null()) last_output_ = context.at("last_output").number();
    recorded.log_bytes = context.at("log_bytes").whole<std::uint64_t>();
    recorded.log_tail = context.at("log_tail").text();
    recorded.run_file_rows = context.at("run_file_rows").whole<std::uint64_t>();
    if (context.contains("initial_size")) initial_size_ = context.at("initial_size").number();
    if (context.contains("scales")) scales_ = scales_from(context.at("scales"));
    if (context.contains("units")) units_ = units_from(context.at("units"));
    if (context.contains("orbits")) orbits = orbits_from(context.at("orbits"));
    if (context.contains("changes")) {
      for (const JsonValue& change : context.at("changes").list()) {
        changes_.push_back({change.at("t").number(), change.at("what").text()});
      }
    }
    if (written.has_board()) totals = totals_from(context.at("totals"));
    if (context.contains("shared_totals")) shared_totals = context.at("shared_totals").text();
  } catch (const base::JsonError& error) {
    throw Error(fmt::format("{}: checkpoint refused: {}", settings_.restart.string(), error.what()));
  }
  const double reached = time_offset_ + std::ldexp(static_cast<double>(checkpoint.state.time), -kTicksPerUnitLog2);
  if (settings_.change_kernel && written.has_board() && written.kernel != provenance_.kernel) {
    changes_.push_back({reached, fmt::format("kernel {} instead of {}", provenance_.kernel, written.kernel)});
    written.kernel = provenance_.kernel;
    written.kernel_sha256 = provenance_.kernel_sha256;
  }
  forced_ = differences(written, provenance_);
  if (!forced_.empty() && !settings_.force_restart) {
    throw Error(fmt::format("{}: restart refused: {}; the bits would be those of no uninterrupted run",
                            settings_.restart.string(), fmt::join(forced_, ", ")));
  }
  initial_energy_ = checkpoint.initial_energy;
  if (!(settings_.t_end >= reached && settings_.t_end - time_offset_ <= kLargestTime)) {
    throw Error(fmt::format("t-end = {} is refused: the checkpoint has reached {}, and {} is the most", settings_.t_end,
                            reached, time_offset_ + kLargestTime));
  }
  require_told_apart(settings_.every, time_offset_, settings_.t_end);
  apply_changes(checkpoint.state);
  std::vector<std::int64_t> ids;
  for (const HermiteBody& body : checkpoint.state.bodies) ids.push_back(body.id);
  begin_orbits(ids);
  integrator_ = std::make_unique<HermiteIntegrator>(*backend_, std::move(checkpoint.state));
  continue_orbits(std::move(orbits));
  // The integrator has sent all particles to the board again, which is not part of the run.
  if (device_) device_->resume(totals);
  if (!settings_.sharing) return recorded;
  try {
    const double integration =
        device_->emulated().integration_seconds(counters().steps, integrator_->state().bodies.size());
    settings_.sharing->resume(shared_totals, integration);
  } catch (const base::JsonError& error) {
    throw Error(fmt::format("{}: checkpoint refused: {}", settings_.restart.string(), error.what()));
  }
  return recorded;
}

/// With another softening the energy is another one from here on; what was lost before stays lost.
void NbodyRun::apply_changes(HermiteState& state) {
  const double t = time_offset_ + std::ldexp(static_cast<double>(state.time), -kTicksPerUnitLog2);
  const HermiteOptions before = state.options;
  if (settings_.changed_eta && *settings_.changed_eta != before.eta) {
    changes_.push_back({t, fmt::format("eta {} instead of {}", *settings_.changed_eta, before.eta)});
    change_eta(state, *settings_.changed_eta);
  }
  if (!settings_.changed_eps || *settings_.changed_eps == before.eps) return;
  const double eps = *settings_.changed_eps;
  if (before.regularise) {
    throw Error(fmt::format("eps = {} is refused: {} is of a run with regularised binaries, whose eps is 0", eps,
                            settings_.restart.string()));
  }
  changes_.push_back({t, fmt::format("eps {} instead of {}", eps, before.eps)});
  const HermiteIntegrator reached(*backend_, state);
  const Particles particles = reached.particles_at(reached.time());
  const Energy energy = finite_energy(particles, eps);
  initial_energy_ += energy.internal() - finite_energy(particles, before.eps).internal();
  state = begun_anew(*backend_, state, particles, {state.options.eta, eps});
}

Checkpoint NbodyRun::checkpoint(const RecordedLength& recorded) const {
  return {state(), initial_energy_, context(recorded)};
}

std::string NbodyRun::context(const RecordedLength& recorded) const {
  Json json = {{"provenance", json_of(provenance_)},
               {"start", start_},
               {"seed", seed_ ? Json(*seed_) : Json(nullptr)},
               {"time_offset", time_offset_},
               {"step_offset", step_offset_},
               {"initial_size", initial_size_},
               {"scales", json_of(scales_)},
               {"units", json_of(units_)},
               {"outputs", outputs_},
               {"last_output", last_output_ ? Json(*last_output_) : Json(nullptr)},
               {"log_bytes", recorded.log_bytes},
               {"log_tail", recorded.log_tail},
               {"run_file_rows", recorded.run_file_rows},
               {"totals", device_ ? Json(to_json(device_->totals())) : Json(nullptr)}};
  if (!changes_.empty()) {
    Json& changes = json["changes"] = Json::array();
    for (const RunChange& change : changes_) changes.push_back({{"t", change.t}, {"what", change.what}});
  }
  if (!orbits_.empty()) json["orbits"] = json_of(orbits_);
  if (settings_.sharing) json["shared_totals"] = settings_.sharing->totals();
  return json.text(Json::kCompact);
}

}  // namespace gdr::hostlib
