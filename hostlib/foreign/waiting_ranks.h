// Ranks of MPI that wait for others while these compute for their boards.
#pragma once

namespace gdr::foreign {

/// Tells an Open MPI that starts later in this process that its waiting ranks yield the processor, where several ranks
/// are on this host. Unless the user has said how they wait, by the variable OMPI_MCA_mpi_yield_when_idle or by
/// `mpirun --mca mpi_yield_when_idle`, which sets it. To be called when a library is loaded, before the program runs.
void let_waiting_ranks_yield() noexcept;

}  // namespace gdr::foreign
