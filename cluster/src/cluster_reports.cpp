#include "gdr/cluster/cluster_reports.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "gdr/base/report_fields.h"
#include "gdr/base/units.h"
#include "gdr/cluster/nbody_model.h"
#include "gdr/hostlib/mxp.h"
#include "gdr/hostlib/report_fields.h"

namespace gdr::cluster {
namespace {

using base::Column;
using base::Field;
using base::FieldKind;
using base::Json;
using base::ReportShape;

const Field kCluster{"cluster", FieldKind::text, "", "name of the cluster, or file of its description"};
const Field kNodes{"nodes", FieldKind::whole, "1", "nodes on which the program runs"};
const Field kAlgorithm{"algorithm", FieldKind::text, "", "algorithm, as its option names it"};
const Field kGflops{"gflops", FieldKind::number, "Gflops", "flops of the program, divided by `seconds`"};
const Field kBoundBy{"bound_by", FieldKind::text, "",
                     "part that most of the critical path is spent on: `board`, `transfer`, `host` or `network`"};
const Field kBytes{"bytes", FieldKind::number, "B", "bytes sent between nodes"};
const Field kJoules{"joules", FieldKind::number, "J", "power of the nodes times `seconds`"};
const Field kPerWatt{"gflops_per_watt", FieldKind::number, "Gflops/W", "`gflops` divided by the power of the nodes"};
const Field kBoardBusy{"board_busy", FieldKind::number, "1",
                       "share of `seconds` that a board works, mean over the ranks"};
const Field kTransfer{"transfer", FieldKind::text, "", "transfers between host and board: `2009` or `ideal`"};
const Field kSmallDepths{"small_depths", FieldKind::text, "",
                         "how products of small K are laid out: `own-rows` or `fixed-unit`"};

Field seconds_of(const std::string& what) { return {"seconds", FieldKind::number, "s", "emulated time of " + what}; }
Field order_of(const std::string& what) { return {"n", FieldKind::whole, "1", what}; }

Field parts_field() {
  constexpr std::array<std::string_view, kParts> kMeanings{
      "boards that compute",      "data between hosts and boards", "hosts that compute",
      "hosts that send messages", "messages between nodes",        "messages between ranks of one node"};
  Field parts{"parts", FieldKind::object, "s", "seconds of the critical path; they add up to `seconds`"};
  for (std::size_t part = 0; part < kParts; ++part) {
    parts.members.push_back(
        {std::string(name_of(static_cast<Part>(part))), FieldKind::number, "s", std::string(kMeanings[part])});
  }
  return parts;
}

constexpr const char* kRefinement = "refinement";

Field parts_of_factorisation() {
  Field parts = parts_field();
  parts.meaning = "seconds of the critical path of the factorisation";
  return parts;
}

Field stages_field() {
  Field stages{"stages", FieldKind::object, "s", "seconds of the critical path by stage of LINPACK"};
  for (std::size_t stage = 0; stage < kHplStages; ++stage) {
    const std::string name(name_of(static_cast<HplStage>(stage)));
    stages.members.push_back({name, FieldKind::number, "s", "stage `" + name + "`"});
  }
  stages.members.push_back({kRefinement, FieldKind::number, "s", "refinement of HPL-MxP, behind the factorisation"});
  return stages;
}

Json json_of(const std::array<double, kParts>& parts) {
  Json json = Json::object();
  for (std::size_t part = 0; part < kParts; ++part) json[name_of(static_cast<Part>(part))] = parts[part];
  return json;
}

/// The first columns of every table.
constexpr const char* kOfCluster = "{:<18}";
constexpr const char* kOfNodes = "{:>6}";

// clang-format off
constexpr std::string_view kAdvice = R"(N = {n}: take {best.algorithm} on {best.nodes:#node} of {best.cluster}: {best.gflops/1e3:.4g} Tflops, efficiency {best.efficiency*100:.1f} %
  takes      {best.seconds:.4g} s a unit of time; most of it is spent on: {best.bound_by}
{@is_less:?}  note       nothing reaches an efficiency of {least_efficiency*100:g} %
{*@others}  instead of {algorithm} on {nodes:#node} of {cluster}: {gflops/1e3:.4g} Tflops, efficiency {efficiency*100:.1f} %
  no larger  {larger.algorithm} on {larger.nodes:#node} of {larger.cluster}: {larger.gflops/1e3:.4g} Tflops, efficiency {larger.efficiency*100:.1f} %
  would gain a factor of {gain.free_network:.2f} if messages took no time, of {gain.planned_transfers:.2f} with transfers to the board as planned
)";

constexpr std::string_view kMachineText = R"({machine}: {title}
{*@texts}  {key:<18} {value}
{*@parameters}  {key:<18} {value:>12g} {unit:<24} {origin}
)";

constexpr std::string_view kNbodyText = R"(N-body to t = {t}, kernel {kernel}, transfers {transfer}{@free:?, messages take no time}{overlap:?, blocks in halves}: time alone
{@table}
  host time {host_seconds:.2f} s
)";

constexpr std::string_view kHplText = R"({*rows}{@one:?}N = {n}, NB = {nb}{hpl_seconds:? in short words} on {grid} ranks of {@title}, look-ahead {lookahead}{overlap_u:?, U overlapped}
{*rows}{@one:?}{hpl_seconds:?}  emulated time   {seconds:time} s, on the critical path: panel {stages.panel:time}, broadcast {stages.broadcast:time}, update {stages.update:time}; then refinement {stages.refinement:time}
{*rows}{@one:?}{hpl_seconds:?}  emulated speed  {gflops:.1f} Gflops as HPL counts; the factorisation is bound by {bound_by}
{*rows}{@one:?}  HPL in doubles  {hpl_seconds:time} s, {@hpl_gflops:.1f} Gflops, on the same machine
{*rows}{@one:?}{hpl_seconds:!}  emulated time   {seconds:time} s, on the critical path: panel {stages.panel:time}, broadcast {stages.broadcast:time}, swap {stages.swap:time}, update {stages.update:time}, back-substitution {stages.backsub:time}
{*rows}{@one:?}{hpl_seconds:!}  emulated speed  {gflops:.1f} Gflops, {efficiency*100:.1f} % of what the boards do in products; boards at work for {board_busy*100:.1f} %; bound by {bound_by}
{*rows}{@one:?}  products        {@products}
{*rows}{@one:?}{hpl_seconds:?}  refinement      {refinement_steps:#step} counted
{*rows}{@one:?}  power           {@watts:.0f} W, {gflops_per_watt:.3f} Gflops/W
{@table:?}HPL{refinement_steps:?-MxP}, {@nb}, look-ahead {lookahead}{overlap_u:?, U overlapped}: time alone
{@table:?}  products {@products}
{@table}
  host time {host_seconds:.2f} s
)";

constexpr std::string_view kSummaText = R"(SUMMA, {overlap:?boards multiply while messages travel}{overlap:!messages and products in turn}, transfers {transfer}: time alone
{@table}
  host time {host_seconds:.2f} s
)";

constexpr std::string_view kHimenoText = R"(An iteration of Himeno, points on {on}s, {overlap:?halos meanwhile}{overlap:!halos first}, transfers {transfer}: time alone
{@table}
  host time {host_seconds:.2f} s
)";
// clang-format on

}  // namespace

Json stages_of(const HplRow& row) {
  Json json = Json::object();
  for (std::size_t stage = 0; stage < kHplStages; ++stage) {
    json[name_of(static_cast<HplStage>(stage))] = row.times.stages[stage];
  }
  json[kRefinement] = row.refinement_seconds;
  return json;
}

std::string text_of(const ProcessGrid& grid) { return fmt::format("{}x{}", grid.rows, grid.columns); }

double HplRow::gflops() const {
  if (asked.n == 0) return 0;  // HPL.dat may ask for an empty system, which takes no time
  return hpl_flops(static_cast<double>(asked.n)) / seconds() / kGiga;
}

HplRow hpl_row(const Cluster& cluster, const interconnect::Topology& network, const HplKernels& kernels,
               const HplRowOptions& options, std::uint64_t nodes, std::uint64_t n) {
  const bool mxp = kernels.singles.has_value();
  Cluster used = cluster;
  if (mxp) used.host = in_single_precision(cluster.host);
  const DgemmModel board(mxp ? *kernels.singles : kernels.doubles, cluster.board_of_rank(), cluster.boards_per_rank());
  const auto ranks = static_cast<Rank>(nodes * cluster.ranks_per_node);
  const HplProducts& products = options.products;
  const ProductRule rule = mxp || options.fastest_nb ? products.rule_of_any_nb() : products.rule_of(options.nb);
  HplRow row{cluster.name,
             nodes,
             {.grid = options.grid,
              .n = n,
              .nb = std::min(options.nb, n),
              .lookahead = options.lookahead,
              .overlap_u = options.overlap_u,
              .transfer = {.mode = options.transfer, .small_depths = products.depths_of(rule)},
              .rule = rule,
              .factors = options.factors,
              .element_bytes = mxp ? kMxpElementBytes : double{sizeof(double)},
              .pivots = !mxp},
             {},
             board.kernel_gflops() * cluster.boards_per_rank() * ranks,
             cluster.power(static_cast<double>(nodes)),
             peak_gflops_in_doubles(cluster.board, cluster.boards_per_rank() * ranks)};
  if (options.fastest_nb) {
    const HplChoice fastest = fastest_hpl(used, network, board, row.asked);
    row.asked.nb = fastest.nb;
    row.times = fastest.times;
  } else {
    row.times = hpl_times(used, network, board, row.asked);
  }
  if (!mxp) return row;
  row.refinement_seconds = mxp_refinement_seconds_on(cluster, network, row.asked, options.refinement_steps);
  row.hpl_seconds = hpl_row(cluster, network, {kernels.doubles}, options, nodes, n).times.seconds;
  return row;
}

double SummaRow::gflops() const {
  const auto order = static_cast<double>(n);
  return 2 * order * order * order / times.seconds / kGiga;
}

const ReportShape& nbody_report() {
  static const ReportShape shape{
      "cluster nbody",
      1,
      {{"t", FieldKind::number, "1", "units of N-body time that the runs take"},
       {"kernel", FieldKind::text, "", "kernel that computes the forces"},
       kTransfer,
       {"factors", FieldKind::text, "", "correction of latency and bandwidth by message size, or `none`"},
       {"network", FieldKind::text, "", "`of the cluster`, or `free` if messages take no time"},
       {"overlap", FieldKind::flag, "", "whether blocks are computed in halves if that takes less time"}},
      {kCluster,
       kNodes,
       {"ranks", FieldKind::whole, "1", "ranks on these nodes"},
       order_of("particles"),
       kAlgorithm,
       seconds_of("the run, the first forces included"),
       kGflops,
       {"efficiency", FieldKind::number, "1", "speed divided by that of as many independent runs of one rank"},
       kBoundBy,
       kBoardBusy,
       {"bytes_per_block", FieldKind::number, "B", "bytes sent between nodes for a block of particles, on average"},
       kJoules,
       kPerWatt,
       parts_field()},
      {{"cluster", "cluster", kOfCluster},
       {"nodes", "nodes", kOfNodes},
       {"n", "N", "{:>9}"},
       {"algorithm", "algo", "{:>8}"},
       {"seconds", "s", "{:>11.4g}"},
       {"gflops", "Tflops", "{:>9.4g}", 1 / kKilo},
       {"efficiency", "eff.", "{:>5.1f}%", 100},
       {"joules", "MJ", "{:>9.3g}", 1 / kMega},
       {"gflops_per_watt", "Gflops/W", "{:>8.3f}"},
       {"bound_by", "bound by", " {}"}},
      "rows",
      false,
      true,
      kNbodyText};
  return shape;
}

void add_row(base::Report& report, const NbodyRow& row) {
  report.add_row({{"cluster", row.cluster},
                  {"nodes", row.nodes},
                  {"ranks", row.ranks},
                  {"n", row.n},
                  {"algorithm", row.algorithm},
                  {"seconds", row.cost.seconds},
                  {"gflops", row.cost.gflops},
                  {"efficiency", row.cost.efficiency},
                  {"bound_by", bound_by(row.cost.parts)},
                  {"board_busy", row.cost.board_busy},
                  {"bytes_per_block", row.cost.bytes_per_block},
                  {"joules", row.watts * row.cost.seconds},
                  {"gflops_per_watt", row.cost.gflops / row.watts},
                  {"parts", json_of(row.cost.parts)}});
}

const ReportShape& hpl_report() {
  static const ReportShape shape{
      "cluster hpl",
      1,
      {{"lookahead", FieldKind::whole, "1", "panels that hosts factorise while boards update"},
       {"overlap_u", FieldKind::flag, "", "whether rows are exchanged in parts while boards update"},
       kTransfer,
       {"refinement_steps", FieldKind::whole, "1", "steps of the refinement of HPL-MxP; null for HPL in doubles",
        true}},
      {kCluster,
       kNodes,
       {"grid", FieldKind::text, "", "rows and columns of ranks, PxQ"},
       order_of("order of the matrix"),
       {"nb", FieldKind::whole, "1", "columns of a panel"},
       {"products", FieldKind::text, "", "who computes the products of a node: `faster` or `record`"},
       kSmallDepths,
       seconds_of("the run"),
       kGflops,
       {"efficiency", FieldKind::number, "1", "speed divided by that of the boards in products of matrices"},
       kBoundBy,
       kBoardBusy,
       stages_field(),
       parts_of_factorisation(),
       kJoules,
       kPerWatt,
       {"hpl_seconds", FieldKind::number, "s", "of HPL-MxP: HPL in doubles on the same machine; null for HPL", true}},
      {{"cluster", "cluster", kOfCluster},
       {"nodes", "nodes", kOfNodes},
       {"grid", "grid", "{:>7}"},
       {"n", "N", "{:>8}"},
       {"nb", "NB", "{:>5}"},
       {"seconds", "s", "{:>10.4g}"},
       {"gflops", "Tflops", "{:>8.4g}", 1 / kKilo},
       {"efficiency", "eff.", "{:>5.1f}%", 100},
       {"gflops_per_watt", "Gflops/W", "{:>8.3f}"},
       {"bound_by", "bound by", " {}"}},
      "rows",
      false,
      true,
      kHplText};
  return shape;
}

void add_row(base::Report& report, const HplRow& row) {
  report.add_row({{"cluster", row.cluster},
                  {"nodes", row.nodes},
                  {"grid", text_of(row.asked.grid)},
                  {"n", row.asked.n},
                  {"nb", row.asked.nb},
                  {"products", name_of(row.asked.rule)},
                  {"small_depths", name_of(row.asked.transfer.small_depths)},
                  {"seconds", row.seconds()},
                  {"gflops", row.gflops()},
                  {"efficiency", row.efficiency()},
                  {"bound_by", bound_by(row.times.parts)},
                  {"board_busy", row.times.board_busy / row.seconds()},
                  {"stages", stages_of(row)},
                  {"parts", json_of(row.times.parts)},
                  {"joules", row.watts * row.seconds()},
                  {"gflops_per_watt", row.gflops() / row.watts},
                  {"hpl_seconds", row.hpl_seconds ? base::ReportValue(*row.hpl_seconds) : base::ReportValue(nullptr)}});
}

const ReportShape& summa_report() {
  static const ReportShape shape{
      "cluster summa",
      1,
      {{"overlap", FieldKind::flag, "", "whether boards multiply while messages travel"}, kTransfer, kSmallDepths},
      {kCluster,
       kNodes,
       order_of("order of the matrices"),
       kAlgorithm,
       seconds_of("the product"),
       kGflops,
       {"products", FieldKind::number, "s", "time of a rank's products, mean over the ranks"},
       kBytes,
       kBoundBy,
       parts_field(),
       {"messages", FieldKind::number, "s", "network, overhead and loopback of `parts`", false, {}, true}},
      {{"cluster", "cluster", kOfCluster},
       {"nodes", "nodes", kOfNodes},
       {"n", "N", "{:>8}"},
       {"algorithm", "", " {:<4}"},
       {"seconds", "s", "{:>10.4g}"},
       {"gflops", "Tflops", "{:>8.4g}", 1 / kKilo},
       {"products", "products", "{:>10.4g}"},
       {"messages", "network", "{:>10.4g}"},
       {"bound_by", "bound by", " {}"}},
      "rows",
      false,
      true,
      kSummaText};
  return shape;
}

void add_row(base::Report& report, const SummaRow& row) {
  const auto of = [&](Part part) { return row.times.parts[static_cast<std::size_t>(part)]; };
  report.add_row({{"cluster", row.cluster},
                  {"nodes", row.nodes},
                  {"n", row.n},
                  {"algorithm", row.algorithm},
                  {"seconds", row.times.seconds},
                  {"gflops", row.gflops()},
                  {"products", row.times.products},
                  {"bytes", row.times.bytes},
                  {"bound_by", bound_by(row.times.parts)},
                  {"parts", json_of(row.times.parts)},
                  {"messages", of(Part::network) + of(Part::overhead) + of(Part::loopback)}});
}

const ReportShape& himeno_report() {
  static const ReportShape shape{
      "cluster himeno",
      1,
      {{"on", FieldKind::text, "", "what computes the points: `board` or `host`"},
       {"overlap", FieldKind::flag, "", "whether points are computed while halos travel"},
       kTransfer},
      {kCluster,
       kNodes,
       {"size", FieldKind::text, "", "grid: `XS` to `XL`, or points along the axes"},
       {"split", FieldKind::list, "1", "ranks along each axis"},
       seconds_of("an iteration"),
       kGflops,
       {"compute", FieldKind::number, "s", "time for the points of the largest rank, without transfers to its board"},
       kBytes,
       kBoundBy,
       parts_field(),
       {"split_text", FieldKind::text, "", "`split` as AxBxC", false, {}, true}},
      {{"cluster", "cluster", kOfCluster},
       {"nodes", "nodes", kOfNodes},
       {"size", "size", "{:>12}"},
       {"split_text", "split", "{:>9}"},
       {"seconds", "ms", "{:>10.4g}", kKilo},
       {"gflops", "Gflops", "{:>8.4g}"},
       {"compute", "compute ms", "{:>11.4g}", kKilo},
       {"bound_by", "bound by", " {}"}},
      "rows",
      false,
      true,
      kHimenoText};
  return shape;
}

void add_row(base::Report& report, const HimenoRow& row) {
  report.add_row({{"cluster", row.cluster},
                  {"nodes", row.nodes},
                  {"size", row.size},
                  {"split", Json(row.split)},
                  {"seconds", row.times.seconds},
                  {"gflops", row.times.gflops},
                  {"compute", row.times.compute},
                  {"bytes", row.times.bytes},
                  {"bound_by", bound_by(row.times.parts)},
                  {"parts", json_of(row.times.parts)},
                  {"split_text", fmt::format("{}", fmt::join(row.split, "x"))}});
}

const ReportShape& advise_report() {
  const std::vector<Field> candidate{
      base::text_field("cluster", "cluster"),
      base::whole_field("nodes", "nodes"),
      base::text_field("algorithm", "algorithm"),
      base::number_field("seconds", "s", "emulated time of a unit of N-body time"),
      base::number_field("gflops", "Gflops", "speed"),
      base::number_field("efficiency", "1", "speed divided by that of as many independent runs of one rank"),
      base::text_field("bound_by", "part that most of the critical path is spent on")};
  static const ReportShape shape{
      "cluster advise",
      1,
      {base::whole_field("n", "particles"),
       base::number_field("least_efficiency", "1", "efficiency that was asked for"),
       base::text_field("kernel", "kernel that computes the forces"), hostlib::transfer_field(),
       base::object_field("best", "cluster, nodes and algorithm to take", candidate),
       base::list_field("algorithms", "best of each algorithm", candidate),
       base::list_field("clusters", "best of each cluster", candidate),
       base::or_null(base::object_field("larger", "the largest number of nodes that gains anything", candidate)),
       base::object_field("gain", "factors that would be gained",
                          {base::number_field("free_network", "1", "if messages took no time"),
                           base::number_field("planned_transfers", "1", "with transfers to the board as planned")})},
      {},
      {},
      "rows",
      false,
      true,
      kAdvice};
  return shape;
}

const ReportShape& machine_show_report() {
  static const ReportShape shape = base::without_run(
      {"machine show",
       1,
       {base::text_field("machine", "name"), base::text_field("kind", "kind of the description"),
        base::text_field("title", "title"),
        base::or_none(base::object_field("parts", "descriptions that a cluster combines")),
        base::or_none(base::object_field("choices", "texts that the description gives, such as `routing`, by name")),
        base::or_none(base::object_field("parameters", "by name: `value`, `unit`, `origin`"))},
       {},
       {},
       "rows",
       false,
       true,
       kMachineText});
  return shape;
}

std::span<const ReportShape* const> report_shapes() {
  static const std::array shapes{&advise_report(),       &himeno_report(), &hpl_report(),
                                 &machine_show_report(), &nbody_report(),  &summa_report()};
  return shapes;
}

namespace {

Json json_of(const NbodyCandidate& candidate) {
  return {{"cluster", candidate.cluster},  {"nodes", candidate.nodes},   {"algorithm", name_of(candidate.algorithm)},
          {"seconds", candidate.seconds},  {"gflops", candidate.gflops}, {"efficiency", candidate.efficiency},
          {"bound_by", candidate.bound_by}};
}

Json json_of(const std::vector<NbodyCandidate>& candidates) {
  Json json = Json::array();
  for (const NbodyCandidate& candidate : candidates) json.push_back(json_of(candidate));
  return json;
}

}  // namespace

void add_advice(Json& json, const NbodyAdvice& advice) {
  json["best"] = json_of(advice.best);
  json["algorithms"] = json_of(advice.algorithms);
  json["clusters"] = json_of(advice.clusters);
  json["larger"] = advice.larger.nodes > advice.best.nodes ? json_of(advice.larger) : Json(nullptr);
  json["gain"] = {{"free_network", advice.free_network}, {"planned_transfers", advice.planned_transfers}};
}

Json others_of(const NbodyAdvice& advice) {
  Json all = Json::array();
  for (const NbodyCandidate& other : advice.algorithms) {
    if (other.algorithm != advice.best.algorithm) all.push_back(json_of(other));
  }
  for (const NbodyCandidate& other : advice.clusters) {
    if (other.cluster != advice.best.cluster) all.push_back(json_of(other));
  }
  return all;
}

}  // namespace gdr::cluster
