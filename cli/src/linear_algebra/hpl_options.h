// Options of HPL on one node and on many.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clusters/cluster.h"
#include "dgemm_options.h"
#include "gdr/cluster/cluster_reports.h"
#include "gdr/cluster/hpl_cluster.h"
#include "gdr/hostlib/hpl_model.h"
#include "gdr/hostlib/mxp.h"

namespace gdr::cli {

/// Who computes the products of HPL; what is left out depends on NB.
struct HplProducts {
  std::string products;
  std::string small_depths;

  void add_to(Command command) {
    command
        .add_option("--products", products,
                    "who computes products: faster = host or board, whichever takes less time; record = as in the "
                    "published run, the board those of K >= 512. Default: record if NB is that of the published run, "
                    "2048, otherwise faster")
        .check(one_of({"faster", "record"}));
    static_cast<void>(add_small_depths(command, small_depths));
  }
  [[nodiscard]] ProductRule rule(std::uint64_t nb) const {
    return product_rule_named(products).value_or(usual_rule(nb));
  }
  [[nodiscard]] SmallDepths depths(std::uint64_t nb) const { return depths_of(rule(nb)); }
  [[nodiscard]] SmallDepths depths_of(ProductRule rule) const {
    return small_depths.empty() ? usual_small_depths(rule) : small_depths_named(small_depths);
  }
  /// Of HPL-MxP, which is not on record for any NB, and of a search among NBs, which compares like with like.
  [[nodiscard]] ProductRule rule_of_any_nb() const {
    return product_rule_named(products).value_or(ProductRule::faster);
  }
};

/// The rule in words, for the line that says who computed.
[[nodiscard]] inline std::string in_words(ProductRule rule, const HostDescription& host) {
  switch (rule) {
    case ProductRule::faster:
      return "each by host or board, whichever is faster";
    case ProductRule::record:
      break;
  }
  return fmt::format("as in the published run: the board computes those of K >= {}, the host all others",
                     host.narrowest);
}

/// One step of refinement was enough for all matrices that were computed, up to N = 2048
/// (docs/linear-algebra/hpl-mxp.md); one more as a margin.
inline constexpr unsigned kMxpUsualSteps = 2;

/// Options of HPL on many nodes.
struct HplOptions {
  std::uint64_t nb = 2048;
  bool fastest_nb = false;  // search for it; nb is not used
  std::string kernel = "dgemm";
  HplProducts products;
  std::string grid;
  unsigned lookahead = 1;
  bool overlap_u = false;
  bool mxp = false;  // HPL-MxP, which factorises in short words and refines in doubles
  unsigned refinement_steps = kMxpUsualSteps;

  [[nodiscard]] ProductRule rule() const { return mxp || fastest_nb ? products.rule_of_any_nb() : products.rule(nb); }

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
  HplProducts products;
  std::string cluster = "grape-dr-64";
  HplDatOptions dat;
  MxpOptions mxp;
};

/// Words of the text of gdr hpl on one node.
[[nodiscard]] Json words_of(const HplRunOptions& options, const emulator::MachineDescription& machine, ProductRule rule,
                            const HostDescription& host);

/// gdr hpl --mxp. Returns the exit status.
int mxp_on_one_node(const HplRunOptions& options);

/// Seconds with enough digits for short runs.
[[nodiscard]] inline std::string seconds_text(double seconds) {
  return seconds >= 10 ? fmt::format("{:.2f}", seconds) : fmt::format("{:.4g}", seconds);
}

/// gdr hpl --dat: HPL's table for all runs that an HPL.dat asks for, on the first cluster. `hpl` gives kernel and rule.
/// Returns the exit status; throws gdr::Error after the table if a residual is too large or a run was skipped.
int hpl_of_dat(const ClusterOptions& options, const HplOptions& hpl, const HplDatOptions& dat,
               const BoardOptions& board, const ReportOptions& report);

}  // namespace gdr::cli
