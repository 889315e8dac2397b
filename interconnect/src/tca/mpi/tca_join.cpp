// How the ranks of a program become the nodes of a machine.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>

#include "gdr/interconnect/network.h"
#include "tca_rank.h"

namespace gdr::interconnect {
namespace {

double seconds_from(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return 0;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !(value >= 0) || std::isinf(value)) {
    throw invalid(fmt::format("{}={} is refused: it must be a number of seconds, 0 for none", variable, text));
  }
  return value;
}

std::string machine_name() {
  const char* name = std::getenv("GDR_TCA_MACHINE");
  return name == nullptr ? "ha-pacs-tca" : name;
}

bool is_bench() {
  const std::array kinds{network_kind("peach2"), network_kind("ha-pacs-tca")};
  const base::Description file = base::load_description(machine_name(), kinds);
  return file.kind == "peach2";
}

TcaTimes load_times() {
  if (is_bench()) return TcaTimes(load_peach2(machine_name()));
  return {load_peach2(), load_ha_pacs_tca(machine_name())};
}

SubCluster load_sub_cluster() {
  if (is_bench()) return load_peach2(machine_name()).sub_cluster();
  const HaPacsTca cluster = load_ha_pacs_tca(machine_name());
  const Peach2 board = load_peach2();
  return {cluster.rings, cluster.ring_nodes, board.window_bytes, board.devices};
}

int load_nodes() { return is_bench() ? load_sub_cluster().nodes() : load_ha_pacs_tca(machine_name()).nodes; }

/// What one rank could not do, told to all: throws the same on every rank if a rank failed.
void agree(int rank, tcaresult code, const std::string& what) {
  struct {
    int code;
    int rank;
  } mine{code, rank}, worst{};
  PMPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
  if (worst.code == TCA_SUCCESS) return;
  std::array<char, 1024> text{};
  if (worst.rank == rank) what.copy(text.data(), text.size() - 1);
  PMPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, worst.rank, MPI_COMM_WORLD);
  throw TcaRefusal(worst.code, fmt::format("tcaInit() on rank {}: {}", worst.rank, text.data()));
}

/// Runs a part of the joining that one rank does for itself, then lets all ranks know.
template <class Part>
void together(int rank, Part part) {
  tcaresult code = TCA_SUCCESS;
  std::string what;
  try {
    part();
  } catch (const TcaRefusal& refusal) {
    code = refusal.code();
    what = refusal.what();
  } catch (const std::exception& error) {
    code = TCA_ERROR_SYSTEM;
    what = error.what();
  }
  agree(rank, code, what);
}

}  // namespace

TcaRank::TcaRank()
    : timeout_(seconds_from("GDR_TCA_TIMEOUT")),
      times_(load_times()),
      sub_cluster_(load_sub_cluster()),
      nodes_(load_nodes()) {}

std::unique_ptr<TcaRank> TcaRank::join() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::unique_ptr<TcaRank> made;
  together(rank, [&] {
    made.reset(new TcaRank);
    made->rank_ = rank;
  });
  made->meet_others();
  return made;
}

void TcaRank::meet_others() {
  PMPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm computer = MPI_COMM_NULL;
  int neighbours = 0;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &computer);
  PMPI_Comm_size(computer, &neighbours);
  PMPI_Comm_free(&computer);
  Mailbox own;
  together(rank_, [&] {
    if (size_ > nodes_) {
      throw invalid(fmt::format("{} ranks are refused: {} has {} nodes", size_, machine_name(), nodes_));
    }
    if (neighbours != size_) {
      throw TcaRefusal(TCA_ERROR_SYSTEM,
                       fmt::format("{} ranks, {} of them on this computer, are refused: bytes move through memory that "
                                   "all ranks share, so start all on one computer",
                                   size_, neighbours));
    }
    own = Mailbox::create(size_);
  });
  std::array<long, 2> mine{getpid(), own.file()};
  std::vector<long> all(2 * static_cast<std::size_t>(size_));
  PMPI_Allgather(mine.data(), 2, MPI_LONG, all.data(), 2, MPI_LONG, MPI_COMM_WORLD);
  together(rank_, [&] {
    std::vector<long> processes;
    for (int r = 0; r < size_; ++r) {
      const long* address = &all[2 * static_cast<std::size_t>(r)];
      processes.push_back(address[0]);
      mailboxes_.push_back(r == rank_ ? Mailbox() : Mailbox::open(address[0], static_cast<int>(address[1])));
    }
    mailboxes_[static_cast<std::size_t>(rank_)] = std::move(own);
    memory_ = RankMemory(rank_, std::move(processes), sub_cluster_.window().slot_bytes());
    notices_.resize(static_cast<std::size_t>(size_) * (Mailbox::kStores + 1));
  });
}

}  // namespace gdr::interconnect
