#include "gdr/cluster/simulated_ranks.h"

#include <smpi/smpi.h>

#include <simgrid/s4u.hpp>

#include "mpi/mpi_communicator.h"

namespace gdr::cluster {
namespace {

class Simulated final : public Mpi {
 public:
  Simulated()
      : Mpi({.comm_rank = MPI_Comm_rank,
             .comm_size = MPI_Comm_size,
             .allgatherv = MPI_Allgatherv,
             .bcast = MPI_Bcast,
             .irecv = MPI_Irecv,
             .isend = MPI_Isend,
             .waitall = MPI_Waitall,
             .barrier = MPI_Barrier,
             .abort = MPI_Abort}) {}

  void spend(double seconds) override {
    if (seconds > 0) simgrid::s4u::this_actor::sleep_for(seconds);
  }
};

}  // namespace

interconnect::ProgramResult run_simulated_ranks(std::string_view name, unsigned ranks,
                                                const interconnect::Topology& topology,
                                                const std::function<std::vector<double>(Communicator&)>& program) {
  return interconnect::run_program_on_smpi(name, ranks, topology, [&](interconnect::Rank) {
    Simulated communicator;
    return program(communicator);
  });
}

}  // namespace gdr::cluster
