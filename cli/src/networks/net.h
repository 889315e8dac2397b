// Shared by the subcommands of gdr net: the platform and how it is simulated.
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "command/command.h"
#include "command/network_options.h"
#include "gdr/interconnect/executor.h"
#include "gdr/interconnect/halo_plan.h"
#include "gdr/interconnect/platform.h"

namespace gdr::cli {

/// The values of --tie.
[[nodiscard]] const std::map<std::string, interconnect::TieRule>& tie_rules();

/// Options of every subcommand that runs on a platform of Urino 2020, or on one that a file describes.
struct PlatformArguments {
  std::string topology = "hub";
  std::string network;  // file with a description, used instead of the topology's own
  std::uint32_t nodes = 0;
  std::string tie;      // empty: the library's default
  std::string routing;  // empty: as in the description
  std::string map;      // file with the node of each rank; empty: rank r on node r

  void add_to(Command command);
  [[nodiscard]] interconnect::Platform load() const;
};

/// Options of every subcommand that simulates a schedule.
struct SimulationArguments {
  std::string executor = "s4u";
  std::string model = "cm02";
  bool crosstraffic = false;
  std::string factors = kNoFactors;
  std::string links;    // CSV file for the loads of all links
  std::string picture;  // SVG file with the same

  void add_to(Command command);
  /// The executor, with progress display. `flops_per_second` is the speed of a node; 0: arithmetic takes no time.
  [[nodiscard]] interconnect::Executor make_executor(const ReportOptions& report, double flops_per_second = 0) const;
  /// For the report: the simulator that ran the schedule.
  [[nodiscard]] std::string engine() const { return executor == "closed-form" ? executor : "simgrid"; }
  /// The settings that determined the times, for people and for the report.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] Json json() const;
  /// The factors in use: flow models other than cm02 have factors of their own.
  [[nodiscard]] std::string used_factors() const { return model == "cm02" ? factors : "of the model"; }
  /// Writes and draws the loads of the links if requested. Throws gdr::Error.
  void write_links(const std::vector<interconnect::LinkLoad>& loads, const interconnect::Platform& platform,
                   const std::string& title) const;
};

/// Throws UsageError for what takes more than a minute, unless `long_run` is set; `instead` needs less time.
void refuse_long_run(std::string_view what, double seconds, bool long_run, std::string_view instead);

// Options of the commands on halo exchanges: lists of numbers, methods, and links that are down.
/// Parses "I,J[,K]"; missing numbers are 1. Throws UsageError with the name of `option`.
[[nodiscard]] std::array<std::int64_t, interconnect::kHaloDimensions> numbers_of(const std::string& text,
                                                                                 std::string_view option);
[[nodiscard]] std::array<int, interconnect::kHaloDimensions> split_of(const std::string& text, std::string_view option);

/// The cluster without the links "A-B" in `dropped`. Throws UsageError if a text is not of this form or the link does
/// not exist.
[[nodiscard]] interconnect::HaloSystem system_with(const std::vector<std::string>& dropped);

/// Adds `--method` and `--drop-link`.
Option add_halo_networks(Command command, std::string& method, std::vector<std::string>& dropped);

// One function for each subcommand; it adds the subcommand to `net`.
void add_net_collectives(Command net);  // bcast and allgather
void add_net_circuits(Command net);
void add_net_cost(Command net);
void add_net_halo(Command net);
void add_net_import(Command net);
void add_net_pingpong(Command net);
void add_net_routes(Command net);
void add_net_run(Command net);
void add_net_stencils(Command net);  // laplace and himeno
void add_net_map(Command net);
void add_net_replay(Command net);
void add_net_summa(Command net);

}  // namespace gdr::cli
