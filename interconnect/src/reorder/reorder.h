// New orders of communicators, by all of their processes together.
#pragma once

#include <mpi.h>

#include <vector>

namespace gdr::interconnect {

/// MPI's function behind this library, so that libraries before it do not take its calls for the program's.
[[nodiscard]] void* behind(const char* name);
#define GDR_NEXT(name) reinterpret_cast<decltype(&PMPI_##name)>(gdr::interconnect::behind("PMPI_" #name))

/// A call that lets MPI reorder the ranks, as one process makes it.
struct ReorderedCall {
  const char* name = "";
  int ranks = 0;           // of the new communicator
  std::vector<int> edges;  // sender, receiver and weight of each edge that this process knows, or only the first one
  bool is_valid = true;    // false: MPI will refuse the arguments
};

/// The same processes in a new order, or none in MPI_COMM_NULL. To be called by all processes of `old`; the process
/// with its rank 0 computes the order, and says on standard error why there is none.
struct NewOrder {
  MPI_Comm comm = MPI_COMM_NULL;
  int status = MPI_SUCCESS;
  bool is_valid = true;  // false if the call of any process is not
};
[[nodiscard]] NewOrder reordered(MPI_Comm old, const ReorderedCall& call);

}  // namespace gdr::interconnect
