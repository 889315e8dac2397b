// gdr net: networks between nodes. Each subcommand has a file of its own, net_*.cpp.
#include "net.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gdr/commandline/terminal.h"
#include "gdr/interconnect/network.h"

namespace gdr::cli {
namespace {

using interconnect::TieRule;

// The default description of each topology.
const std::map<std::string, std::string> kDescriptions{
    {"hub", "optical-hub-64"}, {"hub2d", "optical-hub-2d-64"}, {"torus", "torus-64"}, {"fat-tree", "fat-tree-64"}};

template <class Map>
std::vector<std::string> keys(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

/// The rules that each kind of network knows: "ring, torus: shortest, all". Kinds that know the same are together.
std::vector<std::string> routings_of_kinds() {
  std::vector<std::pair<std::string, std::string>> kinds_of_rules;  // and the rules, in the order of the kinds
  for (const base::DescriptionKind& kind : interconnect::platform_kinds()) {
    const std::string rules = fmt::format("{}", fmt::join(interconnect::routing_names_of(kind.name), ", "));
    if (rules.empty()) continue;
    const auto known = std::ranges::find(kinds_of_rules, rules, &std::pair<std::string, std::string>::second);
    if (known == kinds_of_rules.end()) {
      kinds_of_rules.emplace_back(kind.name, rules);
    } else {
      known->first += ", " + kind.name;
    }
  }
  std::vector<std::string> told;
  for (const auto& [kinds, rules] : kinds_of_rules) told.push_back(fmt::format("{}: {}", kinds, rules));
  return told;
}

/// Loads a platform. If the description is wrong by itself, the error is about the file; if it only does not fit the
/// options, it is about the command line.
interconnect::Platform platform_of(const std::string& name, const interconnect::PlatformOptions& options) {
  try {
    return interconnect::load_platform(name, options);
  } catch (const Error& refused) {
    static_cast<void>(interconnect::load_platform(name));
    if (options.nodes) {
      interconnect::PlatformOptions only_nodes;
      only_nodes.nodes = options.nodes;
      from_command_line("--nodes", [&] { return interconnect::load_platform(name, only_nodes); });
    }
    throw UsageError(refused.what());
  }
}

}  // namespace

const std::map<std::string, TieRule>& tie_rules() {
  static const std::map<std::string, TieRule> rules{
      {"plus", TieRule::plus}, {"minus", TieRule::minus}, {"split", TieRule::split}, {"direct", TieRule::direct}};
  return rules;
}

void PlatformArguments::add_to(Command command) {
  command.heading("Network");
  const Option by_name =
      command.add_option("--topology", topology, "network between the nodes", one_of(keys(kDescriptions)));
  command.add_option("--network", network).by_default("that of the topology").excludes(by_name);
  command.add_option("--nodes", nodes).by_default("that of the description");
  command.add_option(
      "--routing", routing,
      fmt::format("instead of the description's: {}. hash is of the two nodes, all takes all paths together",
                  fmt::join(routings_of_kinds(), "; ")),
      one_of(interconnect::routing_names()));
  command.add_option("--map", map);
  command.add_option("--tie", tie).by_default("direct");
  command.heading(kUsualHeading);
}

interconnect::Platform PlatformArguments::load() const {
  interconnect::PlatformOptions options;
  if (nodes > 0) options.nodes = nodes;
  if (!tie.empty()) options.tie = tie_rules().at(tie);
  if (!routing.empty()) options.routing = interconnect::routing_called(routing);
  const std::string name = network.empty() ? kDescriptions.at(topology) : network;
  require_known(name, base::description_names(interconnect::platform_kinds()), "--network");
  interconnect::Platform platform = platform_of(name, options);
  if (!platform.warning.empty()) commandline::print_message(fmt::format("gdr: warning: {}\n", platform.warning));
  if (!map.empty()) {
    const interconnect::TaskMapping nodes_of = nodes_in_map(map, platform.topology.nodes());
    platform = interconnect::placed(std::move(platform), nodes_of);
  }
  return platform;
}

void add_net(Command program, const std::string& name) {
  const Command net = program.add_group(name, "networks between nodes: messages, matrix products, task mapping");
  add_net_routes(net);
  add_net_import(net);
  add_net_summa(net);
  add_net_collectives(net);
  add_net_cost(net);
  add_net_pingpong(net);
  add_net_halo(net);
  add_net_stencils(net);
  add_net_map(net);
  add_net_circuits(net);
  add_net_replay(net);
  add_net_run(net);
}

}  // namespace gdr::cli
