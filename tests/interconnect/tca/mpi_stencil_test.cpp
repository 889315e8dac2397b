// Run by mpirun on 16 ranks: Laplace and Himeno over real MPI equal their serial runs for every decomposition of up to
// 16 ranks, and the second exchange allocates nothing.
#include <cmath>
#include <cstdio>
#include <vector>

#include "counted_allocations.h"
#include "gdr/interconnect/halo_mpi.h"
#include "mpi_stencil.h"

namespace {

using namespace gdr::interconnect;

int failures = 0;

void expect(bool holds, const char* what, const HaloShape& shape) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s, split %d %d %d\n", what, shape.split[0], shape.split[1], shape.split[2]);
  ++failures;
}

void compare(const StencilRun& run) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < run.shape.ranks() ? 0 : MPI_UNDEFINED, rank, &some);
  if (some == MPI_COMM_NULL) return;
  const StencilResult result = run_stencil(run, some, true);
  if (rank == 0) {
    constexpr double kRounding = 1e-12;  // of sums over ranks in another order
    expect(result.different == 0, "every element is the serial run's", run.shape);
    expect(std::abs(result.residual - result.serial_residual) <= kRounding * std::abs(result.serial_residual),
           "the residual is the serial run's", run.shape);
  }
  MPI_Comm_free(&some);
}

void all_decompositions(int ranks) {
  for (int i = 1; i <= ranks; ++i) {
    for (int j = 1; i * j <= ranks; ++j) {
      if (ranks % (i * j) != 0) continue;
      const int k = ranks / (i * j);
      HaloShape shape{{3 * i, 2 * j, 3 * k}, {i, j, k}, {i > 1 ? 1 : 0, j > 1 ? 1 : 0, k > 1 ? 1 : 0}, 4};
      compare({Stencil::himeno, shape, HaloMethod::hybrid, 3});
      if (k > 1) continue;
      shape.extent[2] = 1;
      shape.element_bytes = 8;
      compare({Stencil::laplace, shape, HaloMethod::mv2gdr, 3});
    }
  }
}

void second_exchange_allocates_nothing() {
  const gdr_halo_shape shape = {{32, 32, 32}, {4, 2, 2}, {1, 1, 1}, 8};
  std::vector<double> block(static_cast<std::size_t>(gdr_halo_block_elements(&shape)));
  gdr_reflect* reflect = nullptr;
  if (gdr_reflect_init_mpi(block.data(), &shape, GDR_HALO_HYBRID, MPI_COMM_WORLD, &reflect) != 0) {
    std::fprintf(stderr, "%s\n", gdr_reflect_error(nullptr));
    ++failures;
    return;
  }
  bool done = gdr_reflect_do(reflect) == 0;
  const std::size_t before = allocations();
  done = gdr_reflect_do(reflect) == 0 && done;
  HaloShape made;
  expect(done && allocations() == before, "the second exchange allocates nothing", made);
  gdr_reflect_free(reflect);
}

void a_wrong_number_of_ranks_is_refused() {
  const gdr_halo_shape shape = {{32, 32, 32}, {2, 1, 1}, {1, 0, 0}, 8};
  std::vector<double> block(static_cast<std::size_t>(gdr_halo_block_elements(&shape)));
  gdr_reflect* reflect = nullptr;
  expect(gdr_reflect_init_mpi(block.data(), &shape, GDR_HALO_TCA, MPI_COMM_WORLD, &reflect) == 1,
         "two ranks are not the communicator's", {});
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int n = 1; n <= ranks; ++n) all_decompositions(n);
  second_exchange_allocates_nothing();
  a_wrong_number_of_ranks_is_refused();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
