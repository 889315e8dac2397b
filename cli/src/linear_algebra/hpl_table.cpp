// gdr hpl --dat: the runs of an HPL.dat as HPL's own table, in the time of the emulated machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "command/kernel_source.h"
#include "gdr/emulator/machine.h"
#include "gdr/hostlib/hpl_dat.h"
#include "gdr/hostlib/lu.h"
#include "hpl_options.h"

namespace gdr::cli {
namespace {

using cluster::HplStage;

/// Width of HPL's table.
constexpr int kHplTableWidth = 80;

/// What a run takes and whether its solution is right.
struct HplTableRow {
  HplRun run;
  std::optional<cluster::HplRow> timed;  // without it the run is skipped
  std::string skipped;                   // why
  bool best_nb = false;                  // the least time among the NBs for this N, grid and depth
  std::optional<double> residual;
};

/// Runs with the same time: HPL's variants of panels, broadcasts and swaps are not told apart.
auto hpl_timed_alike(const HplRun& run, unsigned lookahead) {
  return std::tuple(run.grid.rows, run.grid.columns, run.n, run.nb, lookahead);
}

/// HPL looks ahead only if the depth is not 0 and there are columns of ranks to look at (HPL_pdgesv.c of HPL 2.3).
unsigned hpl_lookahead_of(const HplRun& run) { return run.depth > 0 && run.grid.columns > 1 ? 1 : 0; }

class HplTable {
 public:
  HplTable(const ClusterOptions& options, const HplOptions& hpl, const HplDatOptions& dat, const BoardOptions& board,
           const ReportOptions& report)
      : options_(options),
        hpl_(hpl),
        asked_(dat),
        board_(board),
        report_(report),
        cluster_(options.load(options.names.front())),
        dat_(read_hpl_dat(dat.file)) {}

  int run() {
    const Stopwatch watch;
    for (const std::string& note : dat_.notes) fmt::print(stderr, "gdr: warning: {}\n", note);
    time_runs();
    find_best_nb();
    print_head();
    for (HplTableRow& row : rows_) {
      check(row);
      print(row);
    }
    print_end(watch.seconds());
    write_json(watch.seconds());
    return verdict();
  }

 private:
  void time_runs() {
    Progress progress("timing", report_.progress_shown());
    std::map<decltype(hpl_timed_alike({}, 0)), HplTableRow> known;
    const std::vector<HplRun> runs = dat_.runs();
    for (const HplRun& run : runs) {
      auto [at, fresh] = known.try_emplace(hpl_timed_alike(run, hpl_lookahead_of(run)));
      if (fresh) at->second = timed(run);
      rows_.push_back(at->second);
      rows_.back().run = run;
      progress.show(static_cast<double>(rows_.size()) / static_cast<double>(runs.size()));
    }
  }

  HplTableRow timed(const HplRun& run) const {
    HplTableRow row;
    HplOptions hpl = hpl_;
    hpl.nb = run.nb;
    hpl.lookahead = hpl_lookahead_of(run);
    hpl.grid = fmt::format("{}x{}", run.grid.rows, run.grid.columns);
    const std::uint64_t ranks = run.grid.rows * run.grid.columns;
    constexpr std::uint64_t kMostRanks = 4096;
    if (ranks > kMostRanks) {
      row.skipped =
          fmt::format("{} x {} ranks: at most {} can be looked at", run.grid.rows, run.grid.columns, kMostRanks);
      return row;
    }
    if (run.n == 0) {  // nothing to do, which HPL does
      row.timed.emplace();
      row.timed->watts = cluster_.power(static_cast<double>(cluster_.nodes_of(static_cast<unsigned>(ranks))));
      return row;
    }
    try {
      row.timed =
          hpl_row(options_, hpl, cluster_, cluster_.nodes_of(static_cast<unsigned>(ranks)), run.n, "N, NB, P, Q");
    } catch (const Error& error) {
      row.skipped = error.what();
    }
    return row;
  }

  void find_best_nb() {
    if (dat_.nb.size() < 2) return;
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, unsigned>, double> least;
    const auto alike = [](const HplTableRow& row) {
      return std::tuple(row.run.n, row.run.grid.rows, row.run.grid.columns, hpl_lookahead_of(row.run));
    };
    for (const HplTableRow& row : rows_) {
      if (!row.timed || row.run.n == 0) continue;
      const auto [at, fresh] = least.try_emplace(alike(row), row.timed->times.seconds);
      if (!fresh) at->second = std::min(at->second, row.timed->times.seconds);
    }
    for (HplTableRow& row : rows_) {
      row.best_nb = row.timed && row.run.n > 0 && row.timed->times.seconds == least.at(alike(row));
    }
  }

  /// Computes the residual on the emulated board, once for each N and NB: nothing else in HPL.dat changes what the
  /// board computes here.
  void check(HplTableRow& row) {
    if (!row.timed || dat_.threshold <= 0) return;
    if (row.run.n == 0) {
      row.residual = 0;
      return;
    }
    if (!why_unchecked(row).empty()) return;
    const auto [at, fresh] = residuals_.try_emplace({row.run.n, row.run.nb});
    if (fresh) at->second = residual_of(row.run.n, std::min(row.run.nb, row.run.n));
    row.residual = at->second;
  }
  [[nodiscard]] std::string why_unchecked(const HplTableRow& row) const {
    if (board_.timing()) return "--engine timing computes nothing";
    if (row.run.n > asked_.check_up_to) return fmt::format("N is above --check-up-to {}", asked_.check_up_to);
    return {};
  }

  double residual_of(std::uint64_t n, std::uint64_t nb) {
    require_memory(2 * sizeof(double) * static_cast<double>(n) * static_cast<double>(n), "two matrices");
    if (!computing_) {
      BoardOptions board = board_;
      const std::vector<std::string> known = emulator::machine_names();
      if (std::ranges::find(known, cluster_.board.name) != known.end()) board.machine = cluster_.board.name;
      computing_ = std::make_unique<BoardDgemm>(board.device_options(), load_kernel(hpl_.kernel));
    }
    Progress progress(fmt::format("factorising N = {}, NB = {}", n, nb), report_.progress_shown());
    const Product product = [this](std::size_t m, std::size_t columns, std::size_t k, const MatrixView& a,
                                   const MatrixView& b) { return computing_->multiply(m, columns, k, a, b); };
    return hpl_residuals(n, nb, asked_.seed, product, [&](double done) { progress.show(done); }).scaled;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const {
    const auto texts = [](const auto& values) { return fmt::format("{}", fmt::join(values, " ")); };
    const auto kinds = [](const std::vector<HplFactorisation>& values) {
      constexpr std::array names{"left", "Crout", "right"};
      std::vector<std::string> found;
      for (const HplFactorisation value : values) found.emplace_back(names.at(static_cast<std::size_t>(value)));
      return fmt::format("{}", fmt::join(found, " "));
    };
    std::vector<std::uint64_t> rows;
    std::vector<std::uint64_t> columns;
    for (const HplGrid& grid : dat_.grids) {
      rows.push_back(grid.rows);
      columns.push_back(grid.columns);
    }
    constexpr std::array broadcasts{"1ring", "1ringM", "2ring", "2ringM", "Blong", "BlongM"};
    std::vector<std::string> topologies;
    for (const std::uint64_t value : dat_.broadcasts) topologies.emplace_back(broadcasts.at(value));
    constexpr std::array swaps{"binary exchange", "long", "mix"};
    return {{"N", texts(dat_.n)},
            {"NB", texts(dat_.nb)},
            {"PMAP", dat_.column_major ? "column-major" : "row-major"},
            {"P", texts(rows)},
            {"Q", texts(columns)},
            {"PFACT", kinds(dat_.panels)},
            {"NBMIN", texts(dat_.narrowest)},
            {"NDIV", texts(dat_.parts)},
            {"RFACT", kinds(dat_.recursive)},
            {"BCAST", texts(topologies)},
            {"DEPTH", texts(dat_.depths)},
            {"SWAP", fmt::format("{}{}", swaps.at(dat_.swap),
                                 dat_.swap == 2 ? fmt::format(", threshold {}", dat_.swap_threshold) : "")},
            {"L1", dat_.l1_transposed ? "transposed" : "not transposed"},
            {"U", dat_.u_transposed ? "transposed" : "not transposed"},
            {"EQUIL", dat_.equilibration ? "yes" : "no"},
            {"ALIGN", fmt::format("{} doubles", dat_.alignment)}};
  }

  static void print_rule(char sign) { fmt::print("{}\n", std::string(kHplTableWidth, sign)); }

  void print_head() const {
    if (!report_.speaks()) return;
    fmt::print("{}: {} run{} of HPL on {}\n", asked_.file, rows_.size(), rows_.size() == 1 ? "" : "s", cluster_.title);
    fmt::print("Times, Gflops and watts are those of the emulated machine; residuals are computed on its boards.\n\n");
    for (const auto& [name, value] : parameters()) fmt::print("{:<6} : {}\n", name, value);
    if (!dat_.nb.empty()) {
      const ProductRule rule = hpl_.products.rule(dat_.nb.front());
      const bool alike = std::ranges::all_of(dat_.nb, [&](std::uint64_t nb) { return hpl_.products.rule(nb) == rule; });
      fmt::print("\nProducts: {}.\n",
                 alike ? in_words(rule, cluster_.host)
                       : "for NB = 2048 as in the published run, for other NBs by the faster of host and board");
    }
    fmt::print("\n");
  }

  static void print_phase(const char* what, double seconds) {
    if (seconds > 0) fmt::print("{:<37}: {:>18}\n", what, seconds_text(seconds));
  }

  void print(const HplTableRow& row) const {
    if (!report_.speaks()) return;
    print_rule('=');
    fmt::print("T/V                N    NB     P     Q               Time                 Gflops\n");
    print_rule('-');
    const HplRun& run = row.run;
    if (!row.timed) {
      fmt::print("{} {} {} {} {}: skipped: {}\n", run.variant(), run.n, run.nb, run.grid.rows, run.grid.columns,
                 row.skipped);
      return;
    }
    const cluster::HplRow& timed = *row.timed;
    fmt::print("{}{:>12} {:>5} {:>5} {:>5} {:>18}    {:>19.4e}\n", run.variant(), run.n, run.nb, run.grid.rows,
               run.grid.columns, seconds_text(timed.times.seconds), timed.gflops());
    if (row.best_nb) fmt::print("Best NB of this N and grid{:<11}: {:>18}\n", "", run.nb);
    const auto stage = [&](HplStage number) { return timed.times.stages[static_cast<std::size_t>(number)]; };
    print_phase("Panels (rfact)", stage(HplStage::panel));
    print_phase("Broadcasts of panels", stage(HplStage::broadcast));
    print_phase("Update, row swaps included", stage(HplStage::update) + stage(HplStage::swap));
    print_phase("+ Row swaps (laswp)", stage(HplStage::swap));
    print_phase("Back-substitution (up tr sv)", stage(HplStage::backsub));
    if (timed.peak_gflops > 0) {
      fmt::print("{:<37}: {:>18.2f} %\n", fmt::format("Share of Rpeak, {:.1f} Gflops of boards", timed.peak_gflops),
                 100 * timed.gflops() / timed.peak_gflops);
    }
    fmt::print("{:<37}: {:>18.0f} W, {:.3f} Gflops/W\n", "Power", timed.watts, timed.gflops() / timed.watts);
    if (dat_.threshold <= 0) return;
    print_rule('-');
    constexpr const char* kResidual = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= ";
    if (row.residual) {
      fmt::print("{}{:>16.8e} ...... {}\n", kResidual, *row.residual, passed(row) ? "PASSED" : "FAILED");
    } else {
      fmt::print("{}  not computed: {}\n", kResidual, why_unchecked(row));
    }
  }

  [[nodiscard]] bool passed(const HplTableRow& row) const { return row.residual && *row.residual < dat_.threshold; }
  [[nodiscard]] std::size_t count_passed() const {
    return static_cast<std::size_t>(std::ranges::count_if(rows_, [&](const HplTableRow& row) { return passed(row); }));
  }
  [[nodiscard]] std::size_t count_failed() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows_, [&](const HplTableRow& row) { return row.residual && !passed(row); }));
  }
  [[nodiscard]] std::size_t count_skipped() const {
    return static_cast<std::size_t>(std::ranges::count_if(rows_, [](const HplTableRow& row) { return !row.timed; }));
  }

  void print_end(double host_seconds) const {
    if (!report_.speaks()) return;
    print_rule('=');
    fmt::print("\nFinished {:>6} tests with the following results:\n", rows_.size());
    fmt::print("         {:>6} tests completed and passed residual checks,\n", count_passed());
    fmt::print("         {:>6} tests completed and failed residual checks,\n", count_failed());
    fmt::print("         {:>6} tests completed without checking,\n",
               rows_.size() - count_passed() - count_failed() - count_skipped());
    fmt::print("         {:>6} tests skipped.\n", count_skipped());
    fmt::print("host time {:.2f} s\n", host_seconds);
  }

  [[nodiscard]] Json json_of(const HplTableRow& row) const {
    Json json = {{"variant", row.run.variant()},
                 {"n", row.run.n},
                 {"nb", row.run.nb},
                 {"grid", fmt::format("{}x{}", row.run.grid.rows, row.run.grid.columns)}};
    json["skipped"] = row.skipped.empty() ? Json(nullptr) : Json(row.skipped);
    if (!row.timed) return json;
    json["seconds"] = row.timed->times.seconds;
    json["gflops"] = row.timed->gflops();
    json["share_of_peak"] =
        row.timed->peak_gflops > 0 ? Json(row.timed->gflops() / row.timed->peak_gflops) : Json(nullptr);
    json["watts"] = row.timed->watts;
    json["lookahead"] = hpl_lookahead_of(row.run);
    json["stages"] = cluster::stages_of(*row.timed);
    json["best_nb"] = row.best_nb;
    json["residual"] = row.residual ? Json(*row.residual) : Json(nullptr);
    json["passed"] = row.residual ? Json(passed(row)) : Json(nullptr);
    return json;
  }

  void write_json(double host_seconds) const {
    BoardOptions engine = board_;
    Json json = envelope("hpl", cluster_.board.name, board_.engine, !board_.timing() && engine.exact());
    json["cluster"] = cluster_.name;
    json["dat"] = asked_.file;
    json["threshold"] = dat_.threshold;
    json["notes"] = Json::array();
    for (const std::string& note : dat_.notes) json["notes"].push_back(note);
    json["runs"] = Json::array();
    double seconds = 0;
    for (const HplTableRow& row : rows_) {
      json["runs"].push_back(json_of(row));
      if (row.timed) seconds += row.timed->times.seconds;
    }
    json["emulated_seconds"] = seconds;
    json["host_seconds"] = host_seconds;
    report_.write(json);
  }

  [[nodiscard]] int verdict() const {
    if (const std::size_t failed = count_failed(); failed > 0) {
      throw Error(fmt::format("{}: {} of {} runs fail HPL's check: their residual is not below {}", asked_.file, failed,
                              rows_.size(), dat_.threshold));
    }
    for (const HplTableRow& row : rows_) {
      if (!row.timed) {
        throw Error(fmt::format("{}: {} of {} runs are skipped, the first one because: {}", asked_.file,
                                count_skipped(), rows_.size(), row.skipped));
      }
    }
    return kSuccess;
  }

  const ClusterOptions& options_;
  const HplOptions& hpl_;
  const HplDatOptions& asked_;
  const BoardOptions& board_;
  const ReportOptions& report_;
  const cluster::Cluster cluster_;
  const HplDat dat_;
  std::vector<HplTableRow> rows_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> residuals_;  // by N and NB
  std::unique_ptr<BoardDgemm> computing_;
};

}  // namespace

int hpl_of_dat(const ClusterOptions& options, const HplOptions& hpl, const HplDatOptions& dat,
               const BoardOptions& board, const ReportOptions& report) {
  return HplTable(options, hpl, dat, board, report).run();
}

}  // namespace gdr::cli
