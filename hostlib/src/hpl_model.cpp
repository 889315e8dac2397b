#include "gdr/hostlib/hpl_model.h"

#include <algorithm>

namespace gdr {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMega = 1e6;

/// Seconds of a product on the board, or of the same on the host.
class Machine {
 public:
  Machine(const HostDescription& host, const DgemmModel* board, const DgemmTransfer& transfer)
      : host_(host), board_(board), transfer_(transfer) {}

  [[nodiscard]] double product(double m, double n, double k) {
    if (board_ == nullptr || k < host_.narrowest) return 2 * m * n * k / (host_.dgemm_gflops * kGiga);
    const auto whole = [](double size) { return static_cast<std::uint64_t>(size); };
    const DgemmTimes times = board_->times(whole(m), whole(n), whole(k), transfer_);
    clocks_ += times.clocks;
    return times.total();
  }

  /// A panel of m rows and `columns` columns by halves: left half, its triangle applied to the right one's top, update,
  /// right half. What is narrower than `narrowest` is the host's.
  [[nodiscard]] double panel(double m, double columns) {
    if (columns <= host_.narrowest) return columns * columns * (m - columns / 3) / (host_.narrow_gflops * kGiga);
    const double half = columns / 2;
    return panel(m, half) + solve(half, half) + product(m - half, half, half) + panel(m - half, half);
  }

  /// A triangle of this order on so many columns by halves.
  [[nodiscard]] double solve(double order, double columns) {
    if (order <= host_.narrowest) return order * order * columns / (host_.dgemm_gflops * kGiga);
    const double half = order / 2;
    return solve(half, columns) + product(half, columns, half) + solve(half, columns);
  }

  [[nodiscard]] std::uint64_t clocks() const { return clocks_; }

 private:
  const HostDescription& host_;
  const DgemmModel* board_;
  DgemmTransfer transfer_;
  std::uint64_t clocks_ = 0;
};

HplStages stages(const HostDescription& host, Machine machine, double n, double nb) {
  HplStages stages;
  for (double first = 0; first < n; first += nb) {
    const double columns = std::min(nb, n - first);
    const double rest = n - first - columns;
    stages.panel += machine.panel(n - first, columns);
    if (rest == 0) break;
    stages.update += machine.solve(columns, rest) + machine.product(rest, rest, columns);
    // Each row of the panel changes places with one below it: both read and written.
    constexpr double kBytesOfSwap = 4 * 8;
    stages.swap += columns * rest * kBytesOfSwap / (host.swap_mb * kMega);
  }
  stages.backsub = n * n / (host.backsub_gflops * kGiga);
  stages.clocks = machine.clocks();
  return stages;
}

}  // namespace

const base::DescriptionKind& host_kind() {
  static const base::DescriptionKind kind{"host",
                                          {{"dgemm_rate", "Gflops", 0.001, 1e6, false},
                                           {"narrow_panel_rate", "Gflops", 0.001, 1e6, false},
                                           {"row_swap_rate", "MB/s", 0.001, 1e9, false},
                                           {"backsub_rate", "Gflops", 0.001, 1e6, false},
                                           {"board_min_k", "columns", 1, 65536, true}}};
  return kind;
}

HostDescription load_host(std::string_view name_or_file) {
  const base::Description description = base::load_description(name_or_file, {&host_kind(), 1});
  return {description.name,
          description.title,
          description.value("dgemm_rate"),
          description.value("narrow_panel_rate"),
          description.value("row_swap_rate"),
          description.value("backsub_rate"),
          description.value("board_min_k")};
}

double hpl_flops(double n) { return 2.0 / 3 * n * n * n + 1.5 * n * n; }

HplStages hpl_on_host(const HostDescription& host, std::uint64_t n, std::uint64_t nb) {
  return stages(host, Machine(host, nullptr, {}), static_cast<double>(n), static_cast<double>(nb));
}

HplStages hpl_with_board(const HostDescription& host, const DgemmModel& board, const DgemmTransfer& transfer,
                         std::uint64_t n, std::uint64_t nb) {
  return stages(host, Machine(host, &board, transfer), static_cast<double>(n), static_cast<double>(nb));
}

}  // namespace gdr
