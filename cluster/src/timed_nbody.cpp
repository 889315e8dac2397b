#include "gdr/cluster/timed_nbody.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/quantity.h"
#include "gdr/cluster/cluster.h"
#include "gdr/emulator/transfer_mode.h"
#include "gdr/hostlib/device_report.h"

namespace gdr::cluster {

using base::Json;

namespace {

constexpr double kJoulesPerKilowattHour = 3.6e6;

std::string time_of_run_text(double seconds) {
  constexpr double kMostSeconds = 120;
  return seconds < kMostSeconds ? fmt::format("{:.4f} s", seconds) : base::duration_text(seconds);
}

/// How the number of blocks is known, and what may change it.
std::vector<std::string> origin_of(const TimedNbody& timed, const hostlib::NbodySettings& settings) {
  const hostlib::RunBlocks& blocks = timed.blocks;
  const hostlib::TimedRun& run = timed.run;
  std::vector<std::string> origin;
  const std::string scaled = fmt::format("scaled from block sizes measured with {:.0f} to {:.0f} particles, ",
                                         blocks.measured.front().n, blocks.measured.back().n);
  origin.push_back(blocks.measured_t == 0       ? scaled + "of " + blocks.from
                   : blocks.measured.size() > 1 ? scaled + "now"
                                                : "as measured with all particles, now");
  if (blocks.measured_t > 0) {
    origin.push_back(fmt::format("on the first {:.4g} of {:.4g} units of time, with forces in doubles",
                                 blocks.measured_t, run.span));
  }
  if (run.span > 1) {
    origin.emplace_back("later steps may be shorter: a core that contracts, pairs that become closer");
  }
  constexpr double kNoisyEta = 0.05;  // below it gravity_jerk takes other steps than forces in doubles do
  if (settings.hermite.eta < kNoisyEta && settings.kernel != "gravity_jerk_long") {
    origin.push_back(
        fmt::format("noise of {} at eta = {} may change them by a third", settings.kernel, settings.hermite.eta));
  }
  return origin;
}

}  // namespace

void require_j_capacity(const Device& device, std::size_t particles) {
  if (particles <= device.j_capacity()) return;
  throw Error(fmt::format("{} j-particles do not fit: external memory holds {}", particles, device.j_capacity()));
}

TimedNbody timed_nbody(hostlib::TimedRun run, hostlib::RunBlocks blocks, const Device& device,
                       const std::string& cluster) {
  const unsigned boards = device.options().boards;
  TimedNbody timed{std::move(run), std::move(blocks), {}, 0};
  timed.cost = nbody_cost(device.machine(), boards, device.program(), timed.blocks.steps, device.options().transfer,
                          timed.run.span);
  const Cluster powered = load_cluster(cluster);
  timed.watts = powered.host_power + powered.board_power * boards;
  return timed;
}

void add_timed(Json& json, const TimedNbody& timed, const hostlib::NbodySettings& settings, const Device& device) {
  json["emulated_seconds"] = timed.cost.seconds;
  json["emulated_gflops"] = timed.cost.gflops;
  json["watts"] = timed.watts;
  json["joules"] = timed.watts * timed.cost.seconds;
  json["n"] = timed.run.particles;
  json["start"] = timed.run.start;
  json["seed"] = timed.run.seed ? Json(*timed.run.seed) : Json(nullptr);
  json["t_begin"] = timed.run.begin;
  json["eps"] = settings.hermite.eps;
  json["eta"] = settings.hermite.eta;
  json["t"] = settings.t_end;
  json["energy_error"] = nullptr;
  json["steps"] = timed.cost.steps;
  json["block_steps"] = timed.cost.blocks;
  json["interactions"] = timed.cost.interactions;
  json["state_hash"] = nullptr;
  json["kernel"] = settings.kernel;
  hostlib::add_digests(json, device.program(), device.machine());
  json["clock_mhz"] = device.machine().clock_mhz;
  json["transfer"] = std::string(name_of(device.options().transfer));
  json["boards"] = device.options().boards;
  json["stages"] = {{"i_send", timed.cost.alone.i_send},
                    {"j_send", timed.cost.alone.j_send},
                    {"compute", timed.cost.alone.compute},
                    {"add", timed.cost.alone.add},
                    {"host", timed.cost.alone.host}};
  json["block_sizes_from"] = timed.blocks.from;
  json["block_sizes_measured_t"] = timed.blocks.measured_t > 0 ? Json(timed.blocks.measured_t) : Json(nullptr);
  json["block_sizes_measured_at"] = timed.blocks.measured_at();
}

Json words_of(const TimedNbody& timed, const hostlib::NbodySettings& settings, const Device& device,
              const std::string& cluster) {
  return {{"machine", device.machine().title},
          {"flops", device.program().flops},
          {"block_size", timed.cost.steps / timed.cost.blocks},
          {"origin", origin_of(timed, settings)},
          {"takes", time_of_run_text(timed.cost.seconds)},
          {"kilowatt_hours", timed.watts * timed.cost.seconds / kJoulesPerKilowattHour},
          {"cluster", cluster}};
}

}  // namespace gdr::cluster
