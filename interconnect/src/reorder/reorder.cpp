#include "reorder.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <system_error>

#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/base/json.h"
#include "network_order.h"

namespace gdr::interconnect {
namespace {

/// How the processes find their nodes; the first one decides.
enum Plan : int { keep_order, by_ranks, by_hosts };

/// Programs make many communicators: the same reason is given once.
void tell(const char* call, const std::string& why) {
  static std::string told;
  if (why == told) return;
  told = why;
  fmt::print(stderr, "gdr_reorder: {}: the ranks keep their order: {}\n", call, why);
}

/// What the first process of a communicator knows.
class First {
 public:
  First(MPI_Comm comm, const ReorderedCall& call) : comm_(comm), call_(call) {}

  /// What the environment describes, which a process keeps.
  Plan plan() {
    static std::optional<NetworkOrder> known;
    try {
      if (!known) known = NetworkOrder::from_environment();
    } catch (const std::exception& error) {
      tell(call_.name, error.what());
    }
    network_ = known ? &*known : nullptr;
    return network_ == nullptr ? keep_order : network_->needs_hosts() ? by_hosts : by_ranks;
  }

  /// By old rank, the new one; empty if the ranks keep their order.
  std::vector<int> ranks(const std::vector<int>& edges, const std::vector<std::string>& hosts) {
    try {
      const RankOrder order = network_->order(
          graph_of(edges), hosts.empty() ? network_->nodes_of_ranks(world_ranks()) : network_->nodes_of_hosts(hosts));
      report(order);
      return order.is_natural() ? std::vector<int>() : new_ranks(order);
    } catch (const std::exception& error) {
      tell(call_.name, error.what());
      return {};
    }
  }

 private:
  [[nodiscard]] TaskGraph graph_of(const std::vector<int>& edges) const {
    std::vector<Transfer> transfers;
    for (std::size_t i = 0; i + 2 < edges.size(); i += 3) {
      for (const int number : {edges[i], edges[i + 1], edges[i + 2]}) {
        if (number < 0) throw Error(fmt::format("{} is no rank or weight of an edge", number));
      }
      if (edges[i] == edges[i + 1]) continue;  // stays in the process
      transfers.push_back(
          {static_cast<TaskId>(edges[i]), static_cast<TaskId>(edges[i + 1]), static_cast<std::uint64_t>(edges[i + 2])});
    }
    return {static_cast<TaskId>(call_.ranks), std::move(transfers)};
  }

  /// Ranks in MPI_COMM_WORLD, -1 for processes outside of it.
  [[nodiscard]] std::vector<int> world_ranks() const {
    int size = 0;
    GDR_NEXT(Comm_size)(comm_, &size);
    MPI_Group here = MPI_GROUP_NULL;
    MPI_Group world = MPI_GROUP_NULL;
    GDR_NEXT(Comm_group)(comm_, &here);
    GDR_NEXT(Comm_group)(MPI_COMM_WORLD, &world);
    std::vector<int> own(static_cast<std::size_t>(size));
    std::vector<int> ranks(own.size());
    std::iota(own.begin(), own.end(), 0);
    GDR_NEXT(Group_translate_ranks)(here, size, own.data(), world, ranks.data());
    GDR_NEXT(Group_free)(&here);
    GDR_NEXT(Group_free)(&world);
    for (int& rank : ranks) {
      if (rank == MPI_UNDEFINED) rank = -1;
    }
    return ranks;
  }

  /// Processes that the new communicator leaves out follow in their old order.
  [[nodiscard]] std::vector<int> new_ranks(const RankOrder& order) const {
    int size = 0;
    GDR_NEXT(Comm_size)(comm_, &size);
    std::vector<int> rank_of(static_cast<std::size_t>(size), -1);
    int next = 0;
    for (const std::uint32_t process : order.process_of) rank_of[process] = next++;
    for (int& rank : rank_of) {
      if (rank < 0) rank = next++;
    }
    return rank_of;
  }

  /// True for a file that begins with anything else than a line of report(), which must not be added to.
  [[nodiscard]] static bool holds_other_text(const std::string& path) {
    std::error_code none;
    if (path == "-" || !std::filesystem::is_regular_file(path, none)) return false;
    std::ifstream file(path);
    std::string first;
    if (!std::getline(file, first)) return false;
    return !first.starts_with('{') || first.find("\"natural_order\":") == std::string::npos;
  }

  void report(const RankOrder& order) const {
    const std::string path = base::environment("GDR_REORDER_REPORT");
    if (path.empty()) return;
    const auto json_of = [](const NetworkMappingCost& cost) -> base::Json {
      return {{"cost_hop_bytes", cost.hop_bytes}, {"busiest_link_seconds", cost.busiest_seconds}};
    };
    base::Json json = json_of(order.cost);
    json["call"] = call_.name;
    json["ranks"] = call_.ranks;
    json["network"] = network_->network();
    json["graph"] = network_->graph();
    json["objective"] = network_->objective();
    json["reordered"] = !order.is_natural();
    json["natural_order"] = json_of(order.natural);
    if (holds_other_text(path)) {
      fmt::print(stderr, "gdr_reorder: GDR_REORDER_REPORT = '{}' is refused: the file is none of such lines\n", path);
      return;
    }
    const std::string line = json.text(base::Json::kCompact) + "\n";
    std::FILE* file = path == "-" ? stderr : std::fopen(path.c_str(), "ae");
    const bool is_written = file != nullptr && std::fwrite(line.data(), 1, line.size(), file) == line.size();
    const bool is_closed = file == nullptr || file == stderr || std::fclose(file) == 0;
    if (!is_written || !is_closed)
      fmt::print(stderr, "gdr_reorder: GDR_REORDER_REPORT = '{}' cannot be written\n", path);
  }

  MPI_Comm comm_;
  const ReorderedCall& call_;
  const NetworkOrder* network_ = nullptr;
};

/// The hosts of all processes, at the first one.
std::vector<std::string> gather_hosts(MPI_Comm comm, int size, bool is_first) {
  std::array<char, MPI_MAX_PROCESSOR_NAME> own{};
  int length = 0;
  GDR_NEXT(Get_processor_name)(own.data(), &length);
  std::vector<char> all(is_first ? own.size() * static_cast<std::size_t>(size) : 0);
  const auto part = static_cast<int>(own.size());
  GDR_NEXT(Gather)(own.data(), part, MPI_CHAR, all.data(), part, MPI_CHAR, 0, comm);
  std::vector<std::string> hosts;
  for (std::size_t at = 0; at < all.size(); at += own.size()) {
    hosts.emplace_back(&all[at], strnlen(&all[at], own.size()));
  }
  return hosts;
}

/// The edges of all processes, at the first one.
std::vector<int> gather_edges(MPI_Comm comm, int size, bool is_first, const std::vector<int>& own) {
  const auto count = static_cast<int>(own.size());
  std::vector<int> counts(is_first ? static_cast<std::size_t>(size) : 0);
  GDR_NEXT(Gather)(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  std::vector<int> begins(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  std::vector<int> all(is_first ? static_cast<std::size_t>(begins.back() + counts.back()) : 0);
  GDR_NEXT(Gatherv)(own.data(), count, MPI_INT, all.data(), counts.data(), begins.data(), MPI_INT, 0, comm);
  return all;
}

}  // namespace

void* behind(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    fmt::print(stderr, "gdr_reorder: {} is not there\n", name);
    std::abort();
  }
  return found;
}

NewOrder reordered(MPI_Comm old, const ReorderedCall& call) {
  int size = 0;
  int me = 0;
  GDR_NEXT(Comm_size)(old, &size);
  GDR_NEXT(Comm_rank)(old, &me);
  const bool is_first = me == 0;
  // All must take the same of the following branches, so all hear of what one knows.
  std::array<long long, 2> sums{static_cast<long long>(call.edges.size()), call.is_valid ? 0 : 1};
  GDR_NEXT(Allreduce)(MPI_IN_PLACE, sums.data(), 2, MPI_LONG_LONG, MPI_SUM, old);
  NewOrder made;
  made.is_valid = sums[1] == 0;
  if (!made.is_valid) return made;
  First first(old, call);
  int plan = is_first ? first.plan() : keep_order;
  if (is_first && plan != keep_order && sums[0] > std::numeric_limits<int>::max()) {
    tell(call.name, fmt::format("{} edges are too many to gather", sums[0] / 3));
    plan = keep_order;
  }
  GDR_NEXT(Bcast)(&plan, 1, MPI_INT, 0, old);
  if (plan == keep_order) return made;
  const std::vector<int> edges = gather_edges(old, size, is_first, call.edges);
  std::vector<std::string> hosts;
  if (plan == by_hosts) hosts = gather_hosts(old, size, is_first);
  std::vector<int> rank_of;
  if (is_first) rank_of = first.ranks(edges, hosts);
  int is_new = rank_of.empty() ? 0 : 1;
  GDR_NEXT(Bcast)(&is_new, 1, MPI_INT, 0, old);
  if (is_new == 0) return made;
  int rank = 0;
  GDR_NEXT(Scatter)(rank_of.data(), 1, MPI_INT, &rank, 1, MPI_INT, 0, old);
  made.status = GDR_NEXT(Comm_split)(old, 0, rank, &made.comm);
  return made;
}

}  // namespace gdr::interconnect
