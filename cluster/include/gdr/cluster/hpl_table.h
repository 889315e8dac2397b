// The runs of an HPL.dat as HPL's own table, in the time of an emulated cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gdr/base/json.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/hostlib/hpl_dat.h"

namespace gdr::cluster {

/// What a run takes and whether its solution is right.
struct HplTableRow {
  HplRun run;
  std::optional<HplRow> timed;  // without it the run is skipped
  std::string skipped;          // why
  bool best_nb = false;         // the least time among the NBs for this N, grid and depth
  std::optional<double> residual;
};

/// HPL looks ahead only if the depth is not 0 and there are columns of ranks to look at (HPL_pdgesv.c of HPL 2.3).
[[nodiscard]] unsigned hpl_lookahead_of(const HplRun& run);

class HplTable {
 public:
  /// How runs are timed and their solutions checked.
  struct Ways {
    /// Throws gdr::Error for a run that cannot be looked at, which is then skipped.
    std::function<HplRow(const HplRun& run)> time;
    /// Residual of a matrix of order n with panels of nb columns.
    std::function<double(std::uint64_t n, std::uint64_t nb)> residual;
    /// Why that is not computed; empty if it is.
    std::function<std::string(std::uint64_t n)> why_unchecked;
  };

  /// `file` is the name of the HPL.dat.
  HplTable(const Cluster& cluster, std::string file, HplDat dat, Ways ways);

  /// Times all runs. `progress` is called with the number of runs that are done, and of all.
  void time_runs(const std::function<void(std::size_t done, std::size_t all)>& progress);
  [[nodiscard]] std::size_t runs() const { return rows_.size(); }
  /// Computes the residual of a run, once for each N and NB: nothing else in HPL.dat changes what a board computes.
  void check(std::size_t row);

  // The text: what stands above the runs, a run, and what stands below them.
  [[nodiscard]] std::string head(const HplProducts& products) const;
  [[nodiscard]] std::string text(std::size_t row) const;
  [[nodiscard]] std::string end(double host_seconds) const;
  /// Sets the fields of the report of gdr hpl.
  void add_to(base::Json& json) const;
  /// Why the runs are not as they should be: a residual that is too large, or a run that was skipped; else empty.
  [[nodiscard]] std::string refusal() const;

 private:
  [[nodiscard]] HplTableRow timed(const HplRun& run) const;
  void find_best_nb();
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> parameters() const;
  [[nodiscard]] base::Json json_of(const HplTableRow& row) const;
  [[nodiscard]] bool passed(const HplTableRow& row) const;
  [[nodiscard]] std::size_t count_passed() const;
  [[nodiscard]] std::size_t count_failed() const;
  [[nodiscard]] std::size_t count_skipped() const;

  const Cluster cluster_;
  const std::string file_;
  const HplDat dat_;
  const Ways ways_;
  std::vector<HplTableRow> rows_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> residuals_;  // by N and NB
};

}  // namespace gdr::cluster
