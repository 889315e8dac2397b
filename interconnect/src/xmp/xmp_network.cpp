#include "xmp_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/collectives.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/stencil.h"

namespace gdr::interconnect {
namespace {

std::vector<base::DescriptionKind> kinds_of_networks() {
  std::vector<base::DescriptionKind> kinds = platform_kinds();
  kinds.push_back(network_kind("ha-pacs-tca"));
  return kinds;
}

double closed_form(const Schedule& schedule, const Platform& platform) {
  return run_closed_form(schedule, platform.topology).lockstep_seconds;
}

}  // namespace

XmpNetwork::XmpNetwork(const std::string& name, int ranks)
    : name_(name), ranks_(ranks), system_(HaloSystem::load()), nodes_(static_cast<std::size_t>(ranks)) {
  const std::vector<base::DescriptionKind> kinds = kinds_of_networks();
  const base::Description description = base::load_description(name, kinds);
  std::iota(nodes_.begin(), nodes_.end(), 0);
  int nodes = 0;
  if (description.kind == "ha-pacs-tca") {
    system_.cluster = load_ha_pacs_tca(name);
    system_.nodes = nodes = system_.cluster.nodes;
  } else {
    platform_ = std::make_unique<Platform>(load_platform(name));
    nodes = static_cast<int>(platform_->topology.nodes());
  }
  if (ranks > nodes) throw Error(fmt::format("{} ranks are refused: {} has {} nodes", ranks, name, nodes));
}

void XmpNetwork::place(const std::array<int, kHaloDimensions>& split) {
  if (!is_hybrid()) return;
  HaloShape shape;
  shape.split = split;
  nodes_ = place_ranks(shape, system_);
}

double XmpNetwork::exchange(HaloPlans& plans) const {
  if (is_hybrid()) {
    plans.nodes = nodes_;
    choose_carriers(plans, system_);
    return exchange_time(plans, system_).total;
  }
  Schedule schedule{"reflect", std::vector<std::vector<Step>>(static_cast<std::size_t>(ranks_))};
  std::uint64_t piece = 0;
  for (std::size_t rank = 0; rank < plans.ranks.size(); ++rank) {
    for (const HaloDirection& d : plans.ranks[rank].directions) {
      const auto bytes = static_cast<std::uint64_t>(d.send.elements()) * plans.shape.element_bytes;
      add_message(schedule, 0, static_cast<Rank>(rank), static_cast<Rank>(d.peer), bytes, piece++);
    }
  }
  return closed_form(schedule, *platform_);
}

double XmpNetwork::messages(const std::vector<std::vector<double>>& bytes) const {
  if (is_hybrid()) {  // over InfiniBand, which every node reaches: those of a rank one after another
    double most = 0;
    for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
      double sent = 0;
      double received = 0;
      for (std::size_t other = 0; other < bytes.size(); ++other) {
        if (other == rank) continue;
        if (bytes[rank][other] > 0) sent += system_.cluster.mpi_message(bytes[rank][other], GdrPath::same_socket);
        if (bytes[other][rank] > 0) received += system_.cluster.mpi_message(bytes[other][rank], GdrPath::same_socket);
      }
      most = std::max({most, sent, received});
    }
    return most;
  }
  Schedule schedule{"gmove", std::vector<std::vector<Step>>(static_cast<std::size_t>(ranks_))};
  std::uint64_t piece = 0;
  for (std::size_t from = 0; from < bytes.size(); ++from) {
    for (std::size_t to = 0; to < bytes.size(); ++to) {
      if (from == to || bytes[from][to] <= 0) continue;
      add_message(schedule, 0, static_cast<Rank>(from), static_cast<Rank>(to),
                  static_cast<std::uint64_t>(bytes[from][to]), piece++);
    }
  }
  return piece == 0 ? 0 : closed_form(schedule, *platform_);
}

double XmpNetwork::all_reduce(const std::vector<int>& ranks) const {
  if (ranks.size() == 1) return 0;
  if (is_hybrid()) return all_reduce_time(static_cast<int>(ranks.size()), system_);
  Schedule among = make_allreduce(static_cast<Rank>(ranks.size()), sizeof(double), Path::direct);
  Schedule placed{among.name, std::vector<std::vector<Step>>(static_cast<std::size_t>(ranks_))};
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (Step& step : among.ranks[r]) {
      for (std::vector<Message>* messages : {&step.sends, &step.receives}) {
        for (Message& one : *messages) one.peer = static_cast<Rank>(ranks[one.peer]);
      }
    }
    placed.ranks[static_cast<std::size_t>(ranks[r])] = std::move(among.ranks[r]);
  }
  return closed_form(placed, *platform_);
}

double XmpNetwork::broadcast(double bytes) const {
  if (ranks_ == 1) return 0;
  if (!is_hybrid())
    return closed_form(make_tree_broadcast(static_cast<Rank>(ranks_), static_cast<std::uint64_t>(bytes)), *platform_);
  double seconds = 0;  // a binomial tree over InfiniBand, which every node reaches
  for (int reached = 1; reached < ranks_; reached *= 2)
    seconds += system_.cluster.mpi_message(bytes, GdrPath::same_socket);
  return seconds;
}

double XmpNetwork::all_gather(double bytes) const {
  if (ranks_ == 1) return 0;
  const auto ranks = static_cast<Rank>(ranks_);
  const auto whole = static_cast<std::uint64_t>(bytes);
  const CollectiveAlgorithm algorithm = library_algorithm(CollectiveOperation::allgather, ranks, whole);
  if (!is_hybrid())
    return closed_form(make_collective({CollectiveOperation::allgather, algorithm, whole}, ranks), *platform_);
  // Over InfiniBand, which every node reaches: step by step round a ring, or with twice the bytes in each step.
  if (algorithm == CollectiveAlgorithm::ring)
    return (ranks_ - 1) * system_.cluster.mpi_message(bytes, GdrPath::same_socket);
  double seconds = 0;
  for (int have = 1; have < ranks_; have *= 2)
    seconds += system_.cluster.mpi_message(std::min(have, ranks_ - have) * bytes, GdrPath::same_socket);
  return seconds;
}

}  // namespace gdr::interconnect
