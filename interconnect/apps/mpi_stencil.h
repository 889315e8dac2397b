// Laplace and Himeno over real MPI with the halo library, and the same in one process to compare with.
#pragma once

#include <mpi.h>

#include "gdr/interconnect/halo_plan.h"
#include "gdr/interconnect/stencil.h"

namespace gdr::interconnect {

struct StencilRun {
  Stencil stencil = Stencil::himeno;
  HaloShape shape;  // element_bytes 8 for Laplace, 4 for Himeno
  HaloMethod method = HaloMethod::hybrid;
  int iterations = 10;
};

struct StencilResult {
  double residual = 0;          // of the last sweep, over all ranks
  double serial_residual = 0;   // if checked
  std::int64_t different = -1;  // elements that differ in any bit from the serial run; -1: not checked
  double seconds = 0;           // host time of the iterations, slowest rank
  double modelled_halo = 0;     // s, of one exchange on HA-PACS/TCA
};

/// Collective over `communicator`, whose size is the shape's number of ranks; the result is valid on rank 0. With
/// `check` rank 0 repeats the run alone. Throws gdr::Error on every rank.
[[nodiscard]] StencilResult run_stencil(const StencilRun& run, MPI_Comm communicator, bool check);

}  // namespace gdr::interconnect
