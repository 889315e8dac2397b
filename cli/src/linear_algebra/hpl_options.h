// Options of products, and of HPL on one node and on many.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clusters/cluster.h"
#include "command/kernel_source.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/cluster/hpl_cluster.h"
#include "gdr/hostlib/linear_algebra_runs.h"

namespace gdr::cli {

[[nodiscard]] inline SmallDepths small_depths_named(const std::string& option) {
  return option == "own-rows" ? SmallDepths::own_rows : SmallDepths::fixed_unit;
}

/// Who computes the products of HPL.
struct HplProductOptions {
  std::string products;
  std::string small_depths;

  void add_to(Command command) {
    command.add_option(
        "--products", products,
        "who computes products: faster = host or board, whichever takes less time; record = as in the "
        "published run, the board those of K >= 512. Default: record if NB is that of the published run, "
        "2048, otherwise faster",
        one_of({"faster", "record"}));
    command.add_option("--small-depths", small_depths);
  }
  [[nodiscard]] HplProducts chosen() const {
    return {product_rule_named(products),
            small_depths.empty() ? std::nullopt : std::optional(small_depths_named(small_depths))};
  }
};

/// One step of refinement was enough for all matrices that were computed, up to N = 2048
/// (docs/linear-algebra/hpl-mxp.md); one more as a margin.
inline constexpr unsigned kMxpUsualSteps = 2;

/// Options of HPL on many nodes.
struct HplOptions {
  std::uint64_t nb = 2048;
  bool fastest_nb = false;  // search for it; nb is not used
  std::string kernel = "dgemm";
  HplProductOptions products;
  std::string grid;
  unsigned lookahead = 1;
  bool overlap_u = false;
  bool mxp = false;  // HPL-MxP, which factorises in short words and refines in doubles
  unsigned refinement_steps = kMxpUsualSteps;

  /// Adds grid, look-ahead and overlap; the other options are shared with runs on one node.
  std::vector<Option> add_to(Command command);
};

/// A matrix of order n on `nodes` nodes. Throws UsageError for what cannot be looked at, which begins with `named`.
[[nodiscard]] cluster::HplRow hpl_row(const ClusterOptions& options, const HplOptions& hpl,
                                      const cluster::Cluster& cluster, std::uint64_t nodes, std::uint64_t n,
                                      const std::string& named = "--n, --nb, --grid");

/// Options of gdr hpl --mxp.
struct MxpOptions {
  bool on = false;
  MxpRefinement refinement = MxpRefinement::gmres;
  unsigned steps = kMxpUsualSteps;
};

/// Options of gdr hpl --dat.
struct HplDatOptions {
  std::string file;
  std::uint64_t check_up_to = 2048;
  std::uint64_t seed = 1;
};

/// All options of gdr hpl.
struct HplRunOptions {
  BoardOptions board;
  ReportOptions report;
  std::uint64_t n = 0;
  std::uint64_t nb = kPublishedNb;
  std::optional<std::uint64_t> given_nb;  // by --nb
  std::string host = "core-i7-920";
  std::string kernel = "dgemm";
  std::uint64_t seed = 1;
  bool with_host = false;
  HplProductOptions products;
  std::string cluster = "grape-dr-64";
  HplDatOptions dat;
  MxpOptions mxp;
};

/// Words of the text of gdr hpl on one node.
[[nodiscard]] Json words_of(const HplRunOptions& options, const emulator::MachineDescription& machine, ProductRule rule,
                            const HostDescription& host);

/// gdr hpl --mxp. Returns the exit status.
int mxp_on_one_node(const HplRunOptions& options);

/// gdr hpl --dat: HPL's table for all runs that an HPL.dat asks for, on the first cluster. `hpl` gives kernel and rule.
/// Returns the exit status; throws gdr::Error after the table if a residual is too large or a run was skipped.
int hpl_of_dat(const ClusterOptions& options, const HplOptions& hpl, const HplDatOptions& dat,
               const BoardOptions& board, const ReportOptions& report);

}  // namespace gdr::cli
