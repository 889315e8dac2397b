// gdr hpl --dat: the runs of an HPL.dat as HPL's own table, in the time of the emulated machine.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "command/kernel_source.h"
#include "gdr/cluster/hpl_table.h"
#include "gdr/commandline/terminal.h"
#include "gdr/emulator/machine.h"
#include "gdr/hostlib/lu.h"
#include "hpl_options.h"

namespace gdr::cli {
namespace {

/// Residuals of HPL's matrices, computed on the boards of a cluster if there are such boards, else on those of `board`.
class HplResiduals {
 public:
  HplResiduals(const std::string& cluster_board, const HplOptions& hpl, BoardOptions board, std::uint64_t seed,
               const ReportOptions& report)
      : kernel_(hpl.kernel), board_(std::move(board)), seed_(seed), report_(report) {
    const std::vector<std::string> known = emulator::machine_names();
    if (std::ranges::find(known, cluster_board) != known.end()) board_.machine = cluster_board;
  }

  double of(std::uint64_t n, std::uint64_t nb) {
    require_memory(2 * sizeof(double) * static_cast<double>(n) * static_cast<double>(n), "two matrices");
    if (!computing_) computing_ = std::make_unique<BoardDgemm>(board_.device_options(), load_kernel(kernel_));
    Progress progress(fmt::format("factorising N = {}, NB = {}", n, nb), report_.progress_shown());
    return hpl_residuals(n, nb, seed_, product_on(*computing_), [&](double done) { progress.show(done); }).scaled;
  }

 private:
  std::string kernel_;
  BoardOptions board_;
  std::uint64_t seed_;
  const ReportOptions& report_;
  std::unique_ptr<BoardDgemm> computing_;
};

}  // namespace

int hpl_of_dat(const ClusterOptions& options, const HplOptions& hpl, const HplDatOptions& asked,
               const BoardOptions& board, const ReportOptions& report) {
  const cluster::Cluster cluster = options.load(options.names.front());
  HplDat dat = read_hpl_dat(asked.file);
  for (const std::string& note : dat.notes) commandline::print_message(fmt::format("gdr: warning: {}\n", note));
  HplResiduals residuals(cluster.board.name, hpl, board, asked.seed, report);
  const auto time = [&](const HplRun& run) {
    HplOptions of_run = hpl;
    of_run.nb = run.nb;
    of_run.lookahead = cluster::hpl_lookahead_of(run);
    of_run.grid = fmt::format("{}x{}", run.grid.rows, run.grid.columns);
    const auto ranks = static_cast<unsigned>(run.grid.rows * run.grid.columns);
    return hpl_row(options, of_run, cluster, cluster.nodes_of(ranks), run.n, "N, NB, P, Q");
  };
  const auto why_unchecked = [&](std::uint64_t n) -> std::string {
    if (board.timing()) return "--engine timing computes nothing";
    return n > asked.check_up_to ? fmt::format("N is above --check-up-to {}", asked.check_up_to) : "";
  };
  cluster::HplTable table(
      cluster, asked.file, std::move(dat),
      {time, [&](std::uint64_t n, std::uint64_t nb) { return residuals.of(n, nb); }, why_unchecked});
  {
    Progress progress("timing", report.progress_shown());
    table.time_runs([&](std::size_t done, std::size_t all) { progress.show_count(done, all); });
  }
  if (report.speaks()) commandline::print_text(table.head(hpl.products.chosen()));
  for (std::size_t row = 0; row < table.runs(); ++row) {
    table.check(row);
    if (report.speaks()) commandline::print_text(table.text(row));
  }
  if (report.speaks()) commandline::print_text(table.end(report.clock.seconds()));
  Json json = report.begin(cluster.board.name, board.engine, board.exact());
  table.add_to(json);
  report.write(json);
  if (const std::string refusal = table.refusal(); !refusal.empty()) throw Error(refusal);
  return kSuccess;
}

}  // namespace gdr::cli
