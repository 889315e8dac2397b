// reflect_do over real MPI beside a hand-written exchange: mpirun -np 2 halo_bench. Both use persistent requests; they
// take turns, the median of 15 counts. IPSJ ACS 8(4), 2015, table 2 has 8.1 % for its library.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <vector>

#include "gdr/interconnect/halo_mpi.h"

namespace {

constexpr int kSamples = 15;
constexpr int kBatches = 20;    // in a sample, which is the best of them: other programs may hold a core meanwhile
constexpr int kExchanges = 20;  // in a batch

/// Two ranks side by side along `dimension` of a two-dimensional array of doubles, halos of 1.
struct Case {
  const char* name;
  int dimension;
  int rows;  // of a rank, without halo
  int columns;
};

/// What a programmer writes for that case and nothing more.
class HandWritten {
 public:
  HandWritten(const Case& c, double* block, int rank) : case_(c), block_(block) {
    const int peer = 1 - rank;
    if (c.dimension == 0) {
      double* send = block + (rank == 0 ? c.rows : 1) * static_cast<long>(c.columns);
      double* receive = block + (rank == 0 ? c.rows + 1 : 0) * static_cast<long>(c.columns);
      MPI_Recv_init(receive, c.columns, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests_[0]);
      MPI_Send_init(send, c.columns, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests_[1]);
      return;
    }
    out_.resize(static_cast<std::size_t>(c.rows));
    in_.resize(static_cast<std::size_t>(c.rows));
    send_column_ = rank == 0 ? c.columns : 1;
    receive_column_ = rank == 0 ? c.columns + 1 : 0;
    MPI_Recv_init(in_.data(), c.rows, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests_[0]);
    MPI_Send_init(out_.data(), c.rows, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, &requests_[1]);
  }
  ~HandWritten() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }
  HandWritten(const HandWritten&) = delete;
  HandWritten& operator=(const HandWritten&) = delete;

  void exchange() {
    const long pitch = case_.columns + 2;
    MPI_Start(&requests_[0]);
    if (case_.dimension == 1) {
      for (int i = 0; i < case_.rows; ++i) out_[static_cast<std::size_t>(i)] = block_[i * pitch + send_column_];
    }
    MPI_Start(&requests_[1]);
    MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE);
    if (case_.dimension == 1) {
      for (int i = 0; i < case_.rows; ++i) block_[i * pitch + receive_column_] = in_[static_cast<std::size_t>(i)];
    }
  }

 private:
  Case case_;
  double* block_;
  std::vector<double> out_;
  std::vector<double> in_;
  long send_column_ = 0;
  long receive_column_ = 0;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

template <class Exchange>
double microseconds(Exchange exchange) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int i = 0; i < kExchanges; ++i) exchange();
  return (MPI_Wtime() - began) / kExchanges * 1e6;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void run(const Case& c, int rank) {
  gdr_halo_shape shape = {{c.rows, c.columns, 1}, {1, 1, 1}, {0, 0, 0}, sizeof(double)};
  shape.split[c.dimension] = 2;
  shape.width[c.dimension] = 1;
  shape.extent[c.dimension] *= 2;
  std::vector<double> block(static_cast<std::size_t>(gdr_halo_block_elements(&shape)));
  gdr_reflect* reflect = nullptr;
  if (gdr_reflect_init_mpi(block.data(), &shape, GDR_HALO_HYBRID, MPI_COMM_WORLD, &reflect) != 0) {
    std::fprintf(stderr, "halo_bench: %s\n", gdr_reflect_error(nullptr));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  HandWritten hand(c, block.data(), rank);
  std::vector<double> ours;
  std::vector<double> theirs;
  for (int sample = 0; sample < kSamples; ++sample) {
    theirs.push_back(std::numeric_limits<double>::infinity());
    ours.push_back(std::numeric_limits<double>::infinity());
    for (int batch = 0; batch < kBatches; ++batch) {
      theirs.back() = std::min(theirs.back(), microseconds([&] { hand.exchange(); }));
      ours.back() = std::min(ours.back(), microseconds([&] { gdr_reflect_do(reflect); }));
    }
  }
  gdr_reflect_free(reflect);
  if (rank == 0) {
    std::printf("%-28s hand-written %9.3f us, reflect_do %9.3f us: %+.1f %%\n", c.name, median(theirs), median(ours),
                100 * (median(ours) / median(theirs) - 1));
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) std::fprintf(stderr, "usage: mpirun -np 2 halo_bench\n");
    MPI_Finalize();
    return 2;
  }
  for (const Case& c :
       {Case{"8192 x 8192, rows (block)", 0, 4096, 8192}, Case{"8192 x 8192, columns (stride)", 1, 8192, 4096},
        Case{"1024 x 1024, rows (block)", 0, 512, 1024}, Case{"1024 x 1024, columns (stride)", 1, 1024, 512}}) {
    run(c, rank);
  }
  MPI_Finalize();
  return 0;
}
