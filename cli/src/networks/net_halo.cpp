// gdr net halo: the plan of a halo exchange, face by face, and its time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "gdr/interconnect/network_reports.h"
#include "gdr/interconnect/tca_topology.h"
#include "net.h"

namespace gdr::cli {

std::array<int, interconnect::kHaloDimensions> split_of(const std::string& text, std::string_view option) {
  std::array<int, interconnect::kHaloDimensions> split{};
  std::ranges::transform(numbers_of(text, option), split.begin(), [](std::int64_t n) { return static_cast<int>(n); });
  return split;
}

std::array<std::int64_t, interconnect::kHaloDimensions> numbers_of(const std::string& text, std::string_view option) {
  return from_command_line(std::string(option), [&] { return interconnect::parse_halo_extents(text); });
}

interconnect::HaloSystem system_with(const std::vector<std::string>& dropped) {
  interconnect::HaloSystem system = interconnect::HaloSystem::load();
  return from_command_line("--drop-link", [&] {
    for (const std::string& link : dropped) system.sub_cluster.drop_link(link);
    return system;
  });
}

Option add_halo_networks(Command command, std::string& method, std::vector<std::string>& dropped) {
  const Option methods =
      command.add_option("--method", method, "networks that carry the halos", one_of({"tca", "mv2gdr", "hybrid"}));
  command.add_option("--drop-link=A-B", dropped, "A-B: remove the cable between these nodes; may be repeated");
  return methods;
}

namespace {

struct NetHaloOptions {
  std::string extent;
  std::string split;
  std::string width = "1";
  std::size_t element = 4;
  std::string method = "hybrid";
  std::vector<std::string> dropped;
  int rank = -1;
  bool simulate = false;
  ReportOptions report;
};

interconnect::HaloShape shape_of(const NetHaloOptions& o) {
  interconnect::HaloShape shape;
  shape.extent = numbers_of(o.extent, "--extent");
  shape.split = split_of(o.split, "--split");
  const auto width = numbers_of(o.width, "--width");
  for (std::size_t d = 0; d < interconnect::kHaloDimensions; ++d) {
    const std::int64_t wanted = o.width.find(',') == std::string::npos ? width[0] : width[d];
    shape.width[d] = shape.split[d] > 1 ? static_cast<int>(wanted) : 0;
  }
  shape.element_bytes = o.element;
  return shape;
}

int run(const NetHaloOptions& o) {
  const interconnect::HaloShape shape = shape_of(o);
  const interconnect::HaloSystem system = system_with(o.dropped);
  const interconnect::HaloPlans plans = from_command_line("--extent, --split, --width, --drop-link", [&] {
    return interconnect::plan_halo(shape, *interconnect::halo_method_named(o.method), system);
  });
  const interconnect::HaloTime time = interconnect::exchange_time(plans, system);
  if (o.rank >= shape.ranks()) {
    throw UsageError(fmt::format("--rank: {} is refused: it must be from 0 to {}", o.rank, shape.ranks() - 1));
  }
  const double simulated = o.simulate ? interconnect::simulated_exchange(plans, system) : 0;
  const int rank = o.rank < 0 ? interconnect::busiest_rank(plans) : o.rank;
  Json json = o.report.begin("ha-pacs-tca", "timing", false);
  json["emulated_seconds"] = time.total;
  json["method"] = o.method;
  json["halo_seconds"] = time.total;
  json["simulated_seconds"] = o.simulate ? Json(simulated) : Json(nullptr);
  interconnect::add_halo(json, plans, time, rank);
  o.report.show(json,
                {{"node", plans.nodes[static_cast<std::size_t>(rank)]}, {"plan", interconnect::describe(plans, rank)}});
  return kSuccess;
}

}  // namespace

void add_net_halo(Command net) {
  const auto [command, o] =
      net.add_command<NetHaloOptions>("halo", "plan and time of a halo exchange on HA-PACS/TCA",
                                      "gdr net halo --extent 64,64,128 --split 2,8,1 --method hybrid", run);
  command.add_option("--extent=I[,J[,K]]", o->extent, "elements of the whole array, slowest first").required();
  command.add_option("--split ranks", o->split).required();
  command.add_option("--width=WIDTH", o->width, "halo width, one for all dimensions or I,J,K");
  command.add_option("--element", o->element, "size of an element", whole_in_range(1, 4096, ValueUnit::bytes));
  add_halo_networks(command, o->method, o->dropped);
  command.add_option("--rank", o->rank, "rank to show the plan of; default: the busiest rank",
                     whole_in_range(0, 65535));
  command.add_flag("--simulate", o->simulate);
  o->report.add_to(command);
}

}  // namespace gdr::cli
