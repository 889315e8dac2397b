#include "gdr/cluster/hpl_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "gdr/base/counted.h"
#include "gdr/base/error.h"
#include "gdr/base/report.h"

namespace gdr::cluster {
namespace {

using base::Json;

// clang-format off
/// A run, in the lines of HPL's table.
constexpr std::string_view kRun = R"({@double_rule}
T/V                N    NB     P     Q               Time                 Gflops
{@rule}
{skipped:?}{variant} {n} {nb} {@p} {@q}: skipped: {skipped}
{variant}{n:>12} {nb:>5} {@p:>5} {@q:>5} {@time:>18}    {gflops:>19.4e}
{best_nb:?}Best NB of this N and grid           : {nb:>18}
{stages.panel:?}Panels (rfact)                       : {@panel:>18}
{stages.broadcast:?}Broadcasts of panels                 : {@broadcast:>18}
{@update:?}Update, row swaps included           : {@update:>18}
{stages.swap:?}+ Row swaps (laswp)                  : {@swap:>18}
{stages.backsub:?}Back-substitution (up tr sv)         : {@backsub:>18}
{@share:<37}: {share_of_peak*100:>18.2f} %
Power                                : {watts:>18.0f} W, {@per_watt:.3f} Gflops/W
{@checked:?}{@rule}
{@checked:?}||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= {residual:>16.8e} ...... {passed:?PASSED}{passed:!FAILED}
{@checked:?}||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   not computed: {@unchecked}
)";

constexpr std::string_view kHead = R"({dat}: {@runs:#run} of HPL on {@title}
Times, Gflops and watts are those of the emulated machine; residuals are computed on its boards.

{*@parameters}{name:<6} : {value}
{@products:?}
{@products:?}Products: {@products}.

)";

constexpr std::string_view kEnd = R"({@double_rule}

Finished {@all:>6} tests with the following results:
         {@passed:>6} tests completed and passed residual checks,
         {@failed:>6} tests completed and failed residual checks,
         {@unchecked:>6} tests completed without checking,
         {@skipped:>6} tests skipped.
host time {host_seconds:.2f} s
)";
// clang-format on

/// Width of HPL's table.
constexpr std::size_t kWidth = 80;

/// Seconds with enough digits for short runs.
std::string seconds_text(double seconds) {
  return seconds >= 10 ? fmt::format("{:.2f}", seconds) : fmt::format("{:.4g}", seconds);
}

/// Runs with the same time: HPL's variants of panels, broadcasts and swaps are not told apart.
auto timed_alike(const HplRun& run) {
  return std::tuple(run.grid.rows, run.grid.columns, run.n, run.nb, hpl_lookahead_of(run));
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

unsigned hpl_lookahead_of(const HplRun& run) { return run.depth > 0 && run.grid.columns > 1 ? 1 : 0; }

HplTable::HplTable(const Cluster& cluster, std::string file, HplDat dat, Ways ways)
    : cluster_(cluster), file_(std::move(file)), dat_(std::move(dat)), ways_(std::move(ways)) {}

void HplTable::time_runs(const std::function<void(std::size_t, std::size_t)>& progress) {
  std::map<decltype(timed_alike({})), HplTableRow> known;
  const std::vector<HplRun> runs = dat_.runs();
  for (const HplRun& run : runs) {
    auto [at, fresh] = known.try_emplace(timed_alike(run));
    if (fresh) at->second = timed(run);
    rows_.push_back(at->second);
    rows_.back().run = run;
    progress(rows_.size(), runs.size());
  }
  find_best_nb();
}

HplTableRow HplTable::timed(const HplRun& run) const {
  HplTableRow row;
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
    row.timed = ways_.time(run);
  } catch (const Error& error) {
    row.skipped = error.what();
  }
  return row;
}

void HplTable::find_best_nb() {
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

void HplTable::check(std::size_t number) {
  HplTableRow& row = rows_.at(number);
  if (!row.timed || dat_.threshold <= 0) return;
  if (row.run.n == 0) {
    row.residual = 0;
    return;
  }
  if (!ways_.why_unchecked(row.run.n).empty()) return;
  const auto [at, fresh] = residuals_.try_emplace({row.run.n, row.run.nb});
  if (fresh) at->second = ways_.residual(row.run.n, std::min(row.run.nb, row.run.n));
  row.residual = at->second;
}

std::vector<std::pair<std::string, std::string>> HplTable::parameters() const {
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

std::string HplTable::head(const HplProducts& products) const {
  Json names = Json::array();
  for (const auto& [name, value] : parameters()) names.push_back({{"name", name}, {"value", value}});
  Json words{{"runs", rows_.size()}, {"title", cluster_.title}, {"parameters", std::move(names)}};
  if (!dat_.nb.empty()) {
    const ProductRule rule = products.rule_of(dat_.nb.front());
    const bool alike = std::ranges::all_of(dat_.nb, [&](std::uint64_t nb) { return products.rule_of(nb) == rule; });
    words["products"] = alike ? in_words(rule, cluster_.host)
                              : "for NB = 2048 as in the published run, for other NBs by the faster of host and board";
  }
  return base::text_of(kHead, {{"dat", file_}}, words);
}

std::string HplTable::text(std::size_t number) const {
  const HplTableRow& row = rows_.at(number);
  Json words{{"double_rule", std::string(kWidth, '=')},
             {"rule", std::string(kWidth, '-')},
             {"p", row.run.grid.rows},
             {"q", row.run.grid.columns}};
  if (row.timed) {
    const HplClusterTimes& times = row.timed->times;
    const auto seconds = [&](HplStage stage) { return times.stages[static_cast<std::size_t>(stage)]; };
    for (const HplStage stage : {HplStage::panel, HplStage::broadcast, HplStage::swap, HplStage::backsub}) {
      words[name_of(stage)] = seconds_text(seconds(stage));
    }
    const double update = seconds(HplStage::update) + seconds(HplStage::swap);
    words["update"] = update > 0 ? Json(seconds_text(update)) : Json(nullptr);
    words["time"] = seconds_text(times.seconds);
    words["share"] = fmt::format("Share of Rpeak, {:.1f} Gflops of boards", row.timed->peak_gflops);
    words["per_watt"] = row.timed->gflops() / row.timed->watts;
    words["checked"] = dat_.threshold > 0;
    words["unchecked"] = row.residual ? Json(nullptr) : text_or_null(ways_.why_unchecked(row.run.n));
  }
  return base::text_of(kRun, json_of(row), words);
}

bool HplTable::passed(const HplTableRow& row) const { return row.residual && *row.residual < dat_.threshold; }

std::size_t HplTable::count_passed() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows_, [&](const HplTableRow& row) { return passed(row); }));
}

std::size_t HplTable::count_failed() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(rows_, [&](const HplTableRow& row) { return row.residual && !passed(row); }));
}

std::size_t HplTable::count_skipped() const {
  return static_cast<std::size_t>(std::ranges::count_if(rows_, [](const HplTableRow& row) { return !row.timed; }));
}

std::string HplTable::end(double host_seconds) const {
  return base::text_of(kEnd, {{"host_seconds", host_seconds}},
                       {{"double_rule", std::string(kWidth, '=')},
                        {"all", rows_.size()},
                        {"passed", count_passed()},
                        {"failed", count_failed()},
                        {"unchecked", rows_.size() - count_passed() - count_failed() - count_skipped()},
                        {"skipped", count_skipped()}});
}

Json HplTable::json_of(const HplTableRow& row) const {
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
  json["stages"] = stages_of(*row.timed);
  json["best_nb"] = row.best_nb;
  json["residual"] = row.residual ? Json(*row.residual) : Json(nullptr);
  json["passed"] = row.residual ? Json(passed(row)) : Json(nullptr);
  return json;
}

void HplTable::add_to(Json& json) const {
  json["cluster"] = cluster_.name;
  json["dat"] = file_;
  json["threshold"] = dat_.threshold;
  json["notes"] = Json(dat_.notes);
  Json& runs = json["runs"] = Json::array();
  double seconds = 0;
  for (const HplTableRow& row : rows_) {
    runs.push_back(json_of(row));
    if (row.timed) seconds += row.timed->times.seconds;
  }
  json["emulated_seconds"] = seconds;
}

std::string HplTable::refusal() const {
  if (const std::size_t failed = count_failed(); failed > 0) {
    return fmt::format("{}: {} of {} runs fail HPL's check: their residual is not below {}", file_, failed,
                       rows_.size(), dat_.threshold);
  }
  const auto skipped = std::ranges::find_if(rows_, [](const HplTableRow& row) { return !row.timed; });
  if (skipped == rows_.end()) return {};
  return fmt::format("{}: {} of {} runs are skipped, the first one because: {}", file_, count_skipped(), rows_.size(),
                     skipped->skipped);
}

}  // namespace gdr::cluster
