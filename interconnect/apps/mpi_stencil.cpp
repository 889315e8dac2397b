#include "mpi_stencil.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "gdr/interconnect/halo_mpi.h"
#include "gdr/interconnect/reflect.h"

namespace gdr::interconnect {
namespace {

double sweep(const StencilBlock& block, std::span<const double> from, std::span<double> to) {
  return laplace_sweep(block, from, to);
}
double sweep(const StencilBlock& block, std::span<const float> from, std::span<float> to) {
  return himeno_sweep(block, from, to);
}
void start(const StencilBlock& block, std::span<double> u) { laplace_start(block, u); }
void start(const StencilBlock& block, std::span<float> p) { himeno_start(block, p); }

gdr_halo_shape shape_for_c(const HaloShape& shape) {
  gdr_halo_shape made{};
  for (std::size_t d = 0; d < kHaloDimensions; ++d) {
    made.extent[d] = shape.extent[d];
    made.split[d] = shape.split[d];
    made.width[d] = shape.width[d];
  }
  made.element_bytes = shape.element_bytes;
  return made;
}

/// The elements without halo, in the order of the array.
template <class T>
std::vector<T> inner_of(const StencilBlock& block, const std::vector<T>& padded) {
  const HaloShape& s = block.shape;
  std::vector<T> inner;
  for (std::int64_t i = 0; i < s.local(0); ++i) {
    for (std::int64_t j = 0; j < s.local(1); ++j) {
      const std::int64_t row = ((i + s.width[0]) * s.padded(1) + j + s.width[1]) * s.padded(2) + s.width[2];
      inner.insert(inner.end(), padded.begin() + row, padded.begin() + row + s.local(2));
    }
  }
  return inner;
}

/// Two arrays that take turns; each has its own halo exchange, planned once.
template <class T>
struct Sweeps {
  StencilBlock block;
  std::vector<T> now;
  std::vector<T> next;

  Sweeps(const HaloShape& shape, int rank) : block(shape, rank), now(block.elements()), next(block.elements()) {
    start(block, std::span<T>(now));
  }
};

struct Reflects {
  std::unique_ptr<gdr_reflect, void (*)(gdr_reflect*)> even{nullptr, gdr_reflect_free};
  std::unique_ptr<gdr_reflect, void (*)(gdr_reflect*)> odd{nullptr, gdr_reflect_free};
};

void exchange(gdr_reflect* reflect) {
  if (gdr_reflect_do(reflect) != 0) throw Error(gdr_reflect_error(reflect));
}

std::unique_ptr<gdr_reflect, void (*)(gdr_reflect*)> planned(void* block, const StencilRun& run,
                                                             MPI_Comm communicator) {
  const gdr_halo_shape shape = shape_for_c(run.shape);
  gdr_reflect* reflect = nullptr;
  if (gdr_reflect_init_mpi(block, &shape, static_cast<gdr_halo_method>(run.method), communicator, &reflect) != 0) {
    throw Error(gdr_reflect_error(nullptr));
  }
  return {reflect, gdr_reflect_free};
}

template <class T>
std::pair<std::vector<T>, double> serial(const StencilRun& run) {
  HaloShape whole = run.shape;
  whole.split = {1, 1, 1};
  whole.width = {0, 0, 0};
  Sweeps<T> sweeps(whole, 0);
  double residual = 0;
  for (int i = 0; i < run.iterations; ++i) {
    residual = sweep(sweeps.block, sweeps.now, sweeps.next);
    std::swap(sweeps.now, sweeps.next);
  }
  return {std::move(sweeps.now), residual};
}

/// Elements of the gathered blocks that are not the serial run's to the bit.
template <class T>
std::int64_t differences(const StencilRun& run, const std::vector<T>& gathered, const std::vector<T>& whole) {
  const HaloShape& s = run.shape;
  const auto count = static_cast<std::size_t>(s.local(0) * s.local(1) * s.local(2));
  std::int64_t different = 0;
  for (int rank = 0; rank < s.ranks(); ++rank) {
    const StencilBlock block(s, rank);
    std::size_t at = static_cast<std::size_t>(rank) * count;
    for (std::int64_t i = 0; i < s.local(0); ++i) {
      for (std::int64_t j = 0; j < s.local(1); ++j) {
        for (std::int64_t k = 0; k < s.local(2); ++k, ++at) {
          const std::int64_t place =
              ((block.begin[0] + i) * s.extent[1] + block.begin[1] + j) * s.extent[2] + block.begin[2] + k;
          different += std::memcmp(&gathered[at], &whole[static_cast<std::size_t>(place)], sizeof(T)) != 0 ? 1 : 0;
        }
      }
    }
  }
  return different;
}

template <class T>
StencilResult run_typed(const StencilRun& run, MPI_Comm communicator, bool check) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  Sweeps<T> sweeps(run.shape, std::min(rank, run.shape.ranks() - 1));
  Reflects reflects{planned(sweeps.now.data(), run, communicator), planned(sweeps.next.data(), run, communicator)};
  StencilResult result;
  result.modelled_halo = gdr_reflect_seconds(reflects.even.get());
  double residual = 0;
  MPI_Barrier(communicator);
  const double began = MPI_Wtime();
  for (int i = 0; i < run.iterations; ++i) {
    exchange(reflects.even.get());
    residual = sweep(sweeps.block, sweeps.now, sweeps.next);
    std::swap(sweeps.now, sweeps.next);  // moves the arrays, not their elements: each exchange keeps its own
    std::swap(reflects.even, reflects.odd);
  }
  const double seconds = MPI_Wtime() - began;
  MPI_Reduce(&residual, &result.residual, 1, MPI_DOUBLE, MPI_SUM, 0, communicator);
  MPI_Reduce(&seconds, &result.seconds, 1, MPI_DOUBLE, MPI_MAX, 0, communicator);
  if (!check) return result;
  const std::vector<T> mine = inner_of(sweeps.block, sweeps.now);
  const int bytes = static_cast<int>(mine.size() * sizeof(T));
  std::vector<T> gathered(rank == 0 ? mine.size() * static_cast<std::size_t>(run.shape.ranks()) : 0);
  MPI_Gather(mine.data(), bytes, MPI_BYTE, gathered.data(), bytes, MPI_BYTE, 0, communicator);
  if (rank != 0) return result;
  const auto [whole, serial_residual] = serial<T>(run);
  result.serial_residual = serial_residual;
  result.different = differences(run, gathered, whole);
  return result;
}

}  // namespace

StencilResult run_stencil(const StencilRun& run, MPI_Comm communicator, bool check) {
  run.shape.check();
  return run.stencil == Stencil::laplace ? run_typed<double>(run, communicator, check)
                                         : run_typed<float>(run, communicator, check);
}

}  // namespace gdr::interconnect
