#include "gdr/cluster/nbody_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gdr/hostlib/device_report.h"
#include "gdr/hostlib/hermite.h"
#include "gdr/hostlib/run_report.h"

namespace gdr::cluster {

using base::Json;

namespace {

constexpr std::array<std::pair<const char*, double RankSeconds::*>, 5> kRankParts{{{"compute", &RankSeconds::compute},
                                                                                   {"send", &RankSeconds::send},
                                                                                   {"receive", &RankSeconds::receive},
                                                                                   {"network", &RankSeconds::network},
                                                                                   {"wait", &RankSeconds::wait}}};

/// The mean over ranks of each part of their time.
std::string mean_parts(const NbodyResult& result) {
  std::string text;
  for (const auto& [name, part] : kRankParts) {
    double sum = 0;
    for (const RankSeconds& of_rank : result.ranks) sum += of_rank.*part;
    text += fmt::format("{}{} {:.4f}", text.empty() ? "" : ", ", name, sum / static_cast<double>(result.ranks.size()));
  }
  return text;
}

/// The value with `decimals` decimals; large values are written with powers of ten instead of a long row of digits.
std::string with_decimals(double value, int decimals) {
  constexpr double kMost = 1e6;
  return std::abs(value) < kMost ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.{}e}", value, decimals);
}

/// How many million years a unit of time is, if the units of the run are known.
Json time_unit(const hostlib::NbodyRun& run) {
  if (!run.units()) return nullptr;
  constexpr double kMillionYears = 1e6 * 365.25 * 86400;  // s
  return run.units()->seconds / kMillionYears;
}

/// What computed the forces, for the head of the text.
std::string computed_by(const hostlib::NbodyRun& run, const std::string& arithmetic) {
  if (!run.has_board()) return "by the host's own force loop in doubles, engine direct";
  const emulator::MachineDescription& machine = run.device().machine();
  return fmt::format("on {} at {} MHz, kernel {}, {}", machine.title, machine.clock_mhz, run.settings().kernel,
                     arithmetic);
}

/// Adds the emulated time of a run on ranks.
void add_ranks(Json& json, const hostlib::NbodyRun& run, const NbodyResult& result) {
  if (result.ranks.size() > 1) {
    const double total = result.ranks.front().total();
    const double flops = run.device().program().flops * static_cast<double>(run.counters().interactions);
    json["emulated_seconds"] = total;
    if (flops > 0 && total > 0) json["emulated_gflops"] = flops / total / 1e9;
  }
  json["ranks"] = result.ranks.size();
  json["split"] = result.split.name;
  json["overlap"] = result.split.overlap;
  json["cluster"] = result.cluster;
  Json& parts = json["parts"] = Json::object();
  for (const auto& [name, part] : kRankParts) {
    Json& of_ranks = parts[name] = Json::array();
    for (const RankSeconds& of_rank : result.ranks) of_ranks.push_back(of_rank.*part);
  }
}

}  // namespace

void add_nbody(Json& json, const hostlib::NbodyRun& run, const NbodyResult& result) {
  if (run.has_board()) hostlib::add_device_results(json, run.device());
  hostlib::add_nbody(json, run, result.sample, result.state_hash);
  if (!run.has_board()) {
    for (const char* of_board : {"machine", "machine_sha256", "kernel", "kernel_sha256", "clock_mhz", "transfer",
                                 "boards", "clocks_by_part", "stall_clocks"}) {
      json[of_board] = nullptr;
    }
  }
  if (!result.ranks.empty()) add_ranks(json, run, result);
}

Json words_of(const hostlib::NbodyRun& run, const NbodyResult& result, const std::string& arithmetic) {
  const hostlib::HermiteCounters& counters = run.counters();
  const auto& error = result.sample.energy_error;
  const double virial_ratio = result.sample.energy.virial_ratio();
  const double blocks = static_cast<double>(std::max<std::uint64_t>(counters.block_steps, 1));
  Json words{{"computed", computed_by(run, arithmetic)},
             {"megayears", time_unit(run)},
             {"energy_error", error ? fmt::format("{:+.2e}", *error) : "none"},
             {"virial_ratio", std::isfinite(virial_ratio) ? with_decimals(virial_ratio, 3) : "none"},
             {"block_size", static_cast<double>(counters.steps) / blocks},
             {"smallest_step", hostlib::kSmallestStepLog2},
             {"forced", fmt::format("{}", fmt::join(run.forced(), ", "))}};
  if (run.state().options.regularise) {
    words["pairs"] = {
        {"left", run.state().pairs.size()}, {"begun", run.pairs_formed()}, {"ended", run.pairs_dissolved()}};
  }
  if (const auto& core = result.sample.core) {
    words["core"] = fmt::format("radius {} about the density centre ({}, {}, {})", with_decimals(core->radius, 4),
                                with_decimals(core->centre.x, 4), with_decimals(core->centre.y, 4),
                                with_decimals(core->centre.z, 4));
  }
  if (run.has_board()) words["flops"] = run.device().program().flops;
  if (!result.ranks.empty()) words["mean_parts"] = mean_parts(result);
  return words;
}

std::string text_of_end(const hostlib::NbodyRun& run, const std::string& stopped) {
  const std::string checkpoint = run.settings().checkpoint.string();
  if (run.end() == hostlib::NbodyEnd::energy_error) {
    return fmt::format(
        "the energy error is beyond {} at t = {}; the run ends here{}",
        run.settings().most_energy_error.value_or(hostlib::kMostTrouble), run.result_time(),
        checkpoint.empty()
            ? ""
            : fmt::format("; --restart {} with a smaller --eta, another --eps or --kernel goes back", checkpoint));
  }
  const bool no_memory = stopped == "memory";
  return fmt::format("{} t = {}{}{}", no_memory ? "the host's memory is exhausted at" : "stopped at", run.result_time(),
                     no_memory ? "" : " by " + stopped,
                     checkpoint.empty() ? "; without --checkpoint it cannot go on"
                                        : fmt::format("; --restart {} goes on", checkpoint));
}

}  // namespace gdr::cluster
