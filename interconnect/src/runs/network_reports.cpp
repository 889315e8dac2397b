#include "gdr/interconnect/network_reports.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/interconnect/simulation.h"

namespace gdr::interconnect {

using base::Json;

namespace {

Json parts_of(const HaloTime& time) {
  return {{"total", time.total}, {"pack", time.pack},         {"tca", time.tca},
          {"mpi", time.mpi},     {"overhead", time.overhead}, {"collided", time.collided}};
}

}  // namespace

void add_circuits(Json& json, const TaskGraph& graph, const Circuits& circuits, const std::vector<JoinedNodes>& ways) {
  json["circuits"] = Json::array();
  for (const auto& [a, b] : circuits.pairs) json["circuits"].push_back({a, b});
  json["ways"] = Json::array();
  for (const JoinedNodes& way : ways) {
    const NetworkMappingCost cost = network_mapping_cost(graph, way.topology, way.mapping);
    const double seconds = run_s4u(traffic_at_once(graph, way.mapping, way.topology), way.topology, {}).seconds;
    if (json["ways"].list()->empty()) json["emulated_seconds"] = seconds;
    json["ways"].push_back({{"name", way.name},
                            {"busiest_link_seconds", cost.busiest_seconds},
                            {"hop_bytes", cost.hop_bytes},
                            {"seconds", seconds}});
  }
}

void add_cost(Json& json, const HubCost& cost) {
  json["total"] = cost.total;
  json["bandwidth_gbps"] = cost.bandwidth_gbps;
  json["usd_per_gbps"] = cost.per_gbps();
  for (const CostLine& line : cost.lines) {
    json["lines"].push_back({{"board", line.board},
                             {"part", line.part},
                             {"unit_price", line.unit_price},
                             {"count", line.count},
                             {"subtotal", line.subtotal()}});
  }
}

int busiest_rank(const HaloPlans& plans) {
  const auto most = std::ranges::max_element(plans.ranks, {}, [](const auto& plan) { return plan.bytes(); });
  return static_cast<int>(most - plans.ranks.begin());
}

void add_halo(Json& json, const HaloPlans& plans, const HaloTime& time, int rank) {
  json["parts"] = parts_of(time);
  json["nodes"] = plans.nodes;
  json["rank"] = rank;
  Json& directions = json["directions"] = Json::array();
  for (const HaloDirection& d : plans.ranks[static_cast<std::size_t>(rank)].directions) {
    directions.push_back({{"dimension", d.dimension},
                          {"side", d.side},
                          {"peer", d.peer},
                          {"rows", d.send.rows()},
                          {"block", d.send.run},
                          {"gap", d.send.gap()},
                          {"pattern", name_of(d.pattern)},
                          {"carrier", name_of(d.carrier)},
                          {"packed", d.packed},
                          {"bytes", d.bytes}});
  }
  json["notes"] = plans.notes;
}

void add_stencil(Json& json, const StencilTime& time) {
  json["emulated_seconds"] = time.iteration;
  json["emulated_gflops"] = time.gflops;
  json["seconds_per_iteration"] = time.iteration;
  json["gflops"] = time.gflops;
  json["halo_seconds"] = time.halo.total;
  json["compute_seconds"] = time.compute;
  json["all_reduce_seconds"] = time.all_reduce;
  json["halo_parts"] = parts_of(time.halo);
}

void add_plans(Json& json, const std::vector<Advice>& plans) {
  add_stencil(json, plans.front().time);
  json["split"] = plans.front().split;
  json["method"] = name_of(plans.front().method);
  json["plans"] = Json::array();
  for (const Advice& plan : plans) {
    json["plans"].push_back({{"split", plan.split},
                             {"method", name_of(plan.method)},
                             {"seconds_per_iteration", plan.time.iteration},
                             {"gflops", plan.time.gflops},
                             {"halo_seconds", plan.time.halo.total},
                             {"halo_bytes", plan.halo_bytes},
                             {"block_stride_share", plan.block_stride_share},
                             {"reason", plan.reason}});
  }
}

void add_routes(Json& json, const Platform& platform, std::optional<NodeId> from, std::optional<NodeId> to) {
  const Topology& topology = platform.topology;
  const bool is_hub = platform.kind == PlatformKind::optical_hub;
  Json& rows = json["routes"] = Json::array();
  std::vector<SharedLink> links;
  for (NodeId first = from.value_or(0); first < topology.nodes(); ++first) {
    for (NodeId last = to.value_or(0); last < topology.nodes(); ++last) {
      if (first != last) {
        std::vector<std::string> names;
        topology.links_into(first, last, links);
        for (const auto& [link, ways] : links) {
          const std::string share = ways == topology.ways() ? "" : fmt::format(" ({}/{})", ways, topology.ways());
          names.push_back(topology.links().name(link) + share);
        }
        rows.push_back({{"from", first},
                        {"to", last},
                        {"links", names},
                        {"latency_seconds", topology.latency_seconds(first, last)},
                        {"wavelength", is_hub ? Json(hub_wavelength(topology.nodes(), first, last)) : Json(nullptr)}});
      }
      if (to) break;
    }
    if (from) break;
  }
}

}  // namespace gdr::interconnect
