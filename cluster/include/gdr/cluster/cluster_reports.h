// Results of the models of clusters as reports of typed fields: a row for each run, with the figures that follow from
// its times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "gdr/base/report.h"
#include "gdr/cluster/himeno_cluster.h"
#include "gdr/cluster/hpl_cluster.h"
#include "gdr/cluster/nbody_advice.h"
#include "gdr/cluster/nbody_cost.h"
#include "gdr/cluster/summa_cluster.h"
#include "gdr/isa/program.h"

namespace gdr::cluster {

/// A run of N-body on `nodes` nodes; `watts` is their power.
struct NbodyRow {
  std::string cluster;
  std::uint64_t nodes = 0;
  std::uint64_t ranks = 0;
  std::uint64_t n = 0;
  std::string algorithm;
  NbodyCost cost;
  double watts = 0;
};

struct HplRow {
  std::string cluster;
  std::uint64_t nodes = 0;
  HplClusterOptions asked;
  HplClusterTimes times;
  double product_gflops = 0;  // of the boards of all ranks, in matrix products
  double watts = 0;
  double peak_gflops = 0;  // of the boards of all ranks, in doubles
  // Of HPL-MxP, whose factorisation `times` is:
  double refinement_seconds = 0;
  std::optional<double> hpl_seconds = {};  // HPL in doubles on the same machine

  [[nodiscard]] double seconds() const { return times.seconds + refinement_seconds; }
  [[nodiscard]] double gflops() const;  // by HPL's count of flops
  [[nodiscard]] double efficiency() const { return gflops() / product_gflops; }
};

/// Kernels of the products: `singles` of HPL-MxP, which factorises in short words.
struct HplKernels {
  isa::Program doubles;
  std::optional<isa::Program> singles = {};
};

struct HplRowOptions {
  std::uint64_t nb = kPublishedNb;  // at most the order of the matrix is taken
  bool fastest_nb = false;          // search for it; nb is not used
  ProcessGrid grid = {};
  unsigned lookahead = 1;
  bool overlap_u = false;
  emulator::TransferMode transfer = emulator::TransferMode::as_of_2009;
  HplProducts products = {};
  interconnect::FlowFactors factors = {};
  unsigned refinement_steps = 0;  // of HPL-MxP
};

/// A matrix of order n on `nodes` nodes; HPL-MxP if there is a kernel for it. Throws as hpl_times() does.
[[nodiscard]] HplRow hpl_row(const Cluster& cluster, const interconnect::Topology& network, const HplKernels& kernels,
                             const HplRowOptions& options, std::uint64_t nodes, std::uint64_t n);

struct SummaRow {
  std::string cluster;
  std::uint64_t nodes = 0;
  std::uint64_t n = 0;
  std::string algorithm;
  SummaClusterTimes times;

  [[nodiscard]] double gflops() const;  // 2 n^3 flops
};

struct HimenoRow {
  std::string cluster;
  std::uint64_t nodes = 0;
  std::string size;
  Extents split{};
  HimenoTimes times;
};

// The report of each command, and its rows.
[[nodiscard]] const base::ReportShape& advise_report();
[[nodiscard]] const base::ReportShape& machine_show_report();
[[nodiscard]] const base::ReportShape& nbody_report();
[[nodiscard]] const base::ReportShape& hpl_report();
[[nodiscard]] const base::ReportShape& summa_report();
[[nodiscard]] const base::ReportShape& himeno_report();
void add_row(base::Report& report, const NbodyRow& row);
void add_row(base::Report& report, const HplRow& row);
void add_row(base::Report& report, const SummaRow& row);
void add_row(base::Report& report, const HimenoRow& row);

/// Sets the fields of advice, from the best candidate to what more would gain.
void add_advice(base::Json& json, const NbodyAdvice& advice);
/// The best candidates of other algorithms and of other clusters.
[[nodiscard]] base::Json others_of(const NbodyAdvice& advice);

/// All of these shapes, for schemas and pages.
[[nodiscard]] std::span<const base::ReportShape* const> report_shapes();

/// Seconds by stage, with the refinement of HPL-MxP.
[[nodiscard]] base::Json stages_of(const HplRow& row);

/// "4x2"
[[nodiscard]] std::string text_of(const ProcessGrid& grid);

}  // namespace gdr::cluster
