// gdr net laplace, gdr net himeno: an iteration on HA-PACS/TCA, or the planner's advice for a number of nodes.
#include "gdr/interconnect/network_reports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::Advice;
using interconnect::Stencil;
using interconnect::StencilProblem;
using interconnect::StencilTime;

struct NetStencilOptions {
  Stencil stencil = Stencil::himeno;
  std::string name;
  std::string size = "S";
  std::string split;
  std::string method = "hybrid";
  int nodes = 0;
  std::vector<std::string> dropped;
  ReportOptions report;
};

Json report_of(const NetStencilOptions& o) {
  Json json = o.report.begin("ha-pacs-tca", "timing", false);
  json["size"] = o.size;
  return json;
}

int one(const NetStencilOptions& o, const StencilProblem& problem) {
  const auto split = split_of(o.split, "--split");
  const interconnect::HaloSystem system = system_with(o.dropped);
  const StencilTime time = from_command_line("--split", [&] {
    return interconnect::stencil_time(problem, split, *interconnect::halo_method_named(o.method), system);
  });
  Json json = report_of(o);
  interconnect::add_stencil(json, time);
  json["split"] = split;
  json["method"] = o.method;
  o.report.show(json, {{"name", o.name}});
  return kSuccess;
}

int plan(const NetStencilOptions& o, const StencilProblem& problem) {
  const interconnect::HaloSystem system = system_with(o.dropped);
  const std::vector<Advice> all =
      from_command_line("--nodes", [&] { return interconnect::plan_stencil(problem, o.nodes, system); });
  Json json = report_of(o);
  interconnect::add_plans(json, all);
  o.report.show(json, {{"name", o.name}, {"nodes", o.nodes}});
  return kSuccess;
}

int run(const NetStencilOptions& o) {
  if (o.split.empty() == (o.nodes == 0)) throw UsageError("--split or --nodes is refused: it must be one of both");
  const StencilProblem problem = interconnect::stencil_problem(o.stencil, o.size);
  return o.nodes > 0 ? plan(o, problem) : one(o, problem);
}

void add(Command net, Stencil stencil, const std::string& name, const std::string& what, const std::string& split,
         const std::vector<std::string>& sizes) {
  const auto [command, o] = net.add_command<NetStencilOptions>(
      name, what, fmt::format("gdr net {} --size S --split {} --method hybrid", name, split), run);
  o->stencil = stencil;
  o->name = name;
  command.add_option("--size=SIZE", o->size, "size of the problem", one_of(sizes));
  command.add_option("--split ranks", o->split);
  const Option method = add_halo_networks(command, o->method, o->dropped);
  command.add_option("--nodes planned", o->nodes).excludes(method);
  o->report.add_to(command);
}

}  // namespace

void add_net_stencils(Command net) {
  add(net, Stencil::laplace, "laplace", "an iteration of 2-D Laplace on HA-PACS/TCA", "2,8", {"S", "L"});
  add(net, Stencil::himeno, "himeno", "an iteration of the Himeno benchmark on HA-PACS/TCA", "2,8,1", {"S", "M", "L"});
}

}  // namespace gdr::cli
