#include "gdr/hostlib/run_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "gdr/base/error.h"
#include "gdr/base/html.h"
#include "reports/svg_plot.h"

namespace gdr::hostlib {
namespace {

using base::html;

constexpr std::string_view kRunStyle =
    "body{font:14px/1.45 sans-serif;margin:1.5em auto;max-width:90em;padding:0 1em;color:#222}h1{font-size:1.4em}"
    "h2{font-size:1.1em;margin-top:1.6em}.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(26em,1fr));"
    "gap:1em}"
    "table{border-collapse:collapse}td{padding:.15em .8em .15em 0;border-bottom:1px solid #e4e4e4;vertical-align:top;"
    "word-break:break-word}td:first-child{white-space:nowrap;color:#555}";

using Values = std::vector<double>;

/// The values of the samples in the column of this name.
Values column(const RunReport& report, std::string_view name) {
  const std::vector<std::string>& names = sample_columns();
  const auto at = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  GDR_ASSERT(at < names.size(), "a plot shows columns that there are");
  Values values;
  for (const Values& row : report.samples) values.push_back(row[at]);
  return values;
}

Values absolute(Values values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

/// |E(board) - E| / |E(0)|.
Values board_difference(const RunReport& report) {
  Values values = column(report, "board_energy");
  const Values energy = column(report, "energy");
  for (std::size_t n = 0; n < values.size(); ++n) values[n] = std::abs((values[n] - energy[n]) / energy[0]);
  return values;
}

/// Distance of a vector from its first value.
Values drift(const RunReport& report, std::string_view vector) {
  Values sum(report.samples.size(), 0.0);
  for (const char axis : {'x', 'y', 'z'}) {
    const Values values = column(report, fmt::format("{}_{}", vector, axis));
    for (std::size_t n = 0; n < sum.size(); ++n) sum[n] += (values[n] - values[0]) * (values[n] - values[0]);
  }
  for (double& value : sum) value = std::sqrt(value);
  return sum;
}

std::string block_sizes(const RunReport& report) {
  BarPlot plot{"Blocks by their number of particles", "particles in the block: from this number to the next", {}, {}};
  for (const BlockSizeBin& bin : report.blocks) {
    plot.names.push_back(fmt::format("{}", bin.least));
    plot.values.push_back(static_cast<double>(bin.blocks));
  }
  return svg_of(plot);
}

/// The particles about their density centre, as far as half as far again as the radius of 90 % of the mass.
std::string places(const RunReport& report) {
  if (!report.particles || report.particles->size() == 0) return "";
  const Particles& particles = *report.particles;
  const auto core = core_of(particles);
  const Vec3 centre = core ? core->centre : centre_of_mass(particles);
  constexpr std::array kMost{0.9};
  const double reach = 1.5 * lagrangian_radii(particles, kMost, centre).front();
  if (!(reach > 0)) return "";
  MapPlot plot{"Places at the end", "x", "y", {}, {}, {centre.x, centre.y}, reach};
  for (const Vec3& place : particles.position) plot.points.push_back({place.x, place.y});
  return svg_of(plot);
}

std::string orbits(const RunReport& report) {
  MapPlot plot{"Orbits, a point at every output", "x", "y", {}, {}, {}, 0};
  Vec3 least;
  Vec3 most;
  bool is_first = true;
  for (const Orbit& orbit : report.orbits) {
    MapPlot::Path path{fmt::format("{}", orbit.id), {}};
    for (const Vec3& place : orbit.places) {
      path.places.push_back({place.x, place.y});
      least = is_first ? place : Vec3{std::min(least.x, place.x), std::min(least.y, place.y), 0};
      most = is_first ? place : Vec3{std::max(most.x, place.x), std::max(most.y, place.y), 0};
      is_first = false;
    }
    plot.paths.push_back(std::move(path));
  }
  plot.centre = {(least.x + most.x) / 2, (least.y + most.y) / 2};
  plot.reach = 0.55 * std::max(most.x - least.x, most.y - least.y);
  return plot.reach > 0 ? svg_of(plot) : "";
}

std::string plots(const RunReport& report) {
  const Values t = column(report, "t");
  const auto curves = [&](std::string title, std::vector<Curve> of, bool log_y) {
    return svg_of(LinePlot{std::move(title), "time (N-body units)", t, std::move(of), log_y});
  };
  std::vector<Curve> radii;
  for (const auto& [name, columns] : {std::pair{"1 %", "r_01"},
                                      {"10 %", "r_10"},
                                      {"25 %", "r_25"},
                                      {"50 %", "r_50"},
                                      {"75 %", "r_75"},
                                      {"90 %", "r_90"},
                                      {"core", "core_radius"}}) {
    radii.push_back({name, column(report, columns)});
  }
  return curves("Relative energy error",
                {{"particles, |E - E0| / |E0|", absolute(column(report, "energy_error"))},
                 {"board's potentials against them", board_difference(report)}},
                true) +
         curves("Lagrangian radii and core radius", std::move(radii), true) +
         curves("Virial ratio T / |W|", {{"Q", column(report, "virial_ratio")}}, false) +
         curves("Drift of the momenta", {{"momentum", drift(report, "p")}, {"angular momentum", drift(report, "l")}},
                true) +
         block_sizes(report) +
         curves("Pipe occupancy since the start", {{"occupancy", column(report, "pipe_occupancy")}}, false) +
         places(report) + orbits(report);
}

}  // namespace

std::string run_page(const RunReport& report) {
  for (const Values& row : report.samples) {
    if (row.size() != sample_columns().size()) {
      throw Error(
          fmt::format("run_page: a sample of {} values; there are {} columns", row.size(), sample_columns().size()));
    }
  }
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta "
      "charset=\"utf-8\">{3}<title>{0}</title><style>{1}{2}</style></head><body>\n"
      "<h1>{0}</h1>\n",
      html(report.title), kRunStyle, kPlotStyle, base::content_policy());
  if (report.samples.size() < 2) {
    page += "<p>The run has one output at most: <code>--out-every</code> gives curves.</p>\n";
  }
  page += fmt::format("<div class=\"plots\">\n{}</div>\n<h2>What was run</h2>\n<table>\n", plots(report));
  for (const auto& [name, value] : report.facts) {
    page += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", html(name), html(value));
  }
  return page + "</table>\n</body></html>\n";
}

}  // namespace gdr::hostlib
