#include "svg_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "gdr/base/html.h"

namespace gdr::hostlib {
namespace {

using base::html;

// In pixels.
constexpr double kWidth = 460;
constexpr double kHeight = 270;
constexpr double kLeft = 62;
constexpr double kRight = 448;
constexpr double kTop = 46;
constexpr double kBottom = 226;

constexpr std::array<std::string_view, 8> kColours{"#1f4e79", "#d98200", "#2a9d5c", "#aa3333",
                                                   "#7a3fa0", "#008b9a", "#8a6d3b", "#555555"};

/// Maps an interval of values to an interval of pixels.
class Scale {
 public:
  Scale(double from, double to, double first_pixel, double last_pixel, bool logarithmic)
      : logarithmic_(logarithmic), from_(of(from)), to_(of(to)), first_(first_pixel), last_(last_pixel) {}

  [[nodiscard]] double pixel(double value) const {
    return first_ + (of(value) - from_) / (to_ - from_) * (last_ - first_);
  }

  /// About five round values.
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> found;
    const double span = to_ - from_;
    if (logarithmic_ && span < 2) {
      for (double decade = std::floor(from_); decade <= to_; decade += 1) {
        for (const double digit : {1.0, 2.0, 5.0}) add(found, std::pow(10, decade) * digit);
      }
      return found;
    }
    const double rough = span / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = power * (rough / power > 5 ? 10 : rough / power > 2 ? 5 : rough / power > 1 ? 2 : 1);
    if (logarithmic_) step = std::max(1.0, std::round(step));
    for (double n = std::ceil(from_ / step); n * step <= to_ + 1e-9 * span; n += 1) {
      found.push_back(logarithmic_ ? std::pow(10, n * step) : n * step);
    }
    return found;
  }

 private:
  [[nodiscard]] double of(double value) const { return logarithmic_ ? std::log10(value) : value; }
  void add(std::vector<double>& found, double value) const {
    if (of(value) >= from_ - 1e-9 && of(value) <= to_ + 1e-9) found.push_back(value);
  }

  bool logarithmic_;
  double from_;
  double to_;
  double first_;
  double last_;
};

struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void include(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  [[nodiscard]] bool empty() const { return least > most; }
  /// The range with some room at both ends; its length is never zero.
  [[nodiscard]] Range widened(bool logarithmic) const {
    if (logarithmic) {
      const double room = std::pow(10, std::max(0.05, 0.05 * std::log10(most / least)));
      return {least / room, most * room};
    }
    const double span = most > least ? most - least : std::max(std::abs(most), 1.0);
    return {least - 0.05 * span, most + 0.05 * span};
  }
};

std::string tick_text(double value) { return fmt::format("{:.4g}", std::abs(value) < 1e-12 ? 0.0 : value); }

std::string begin(const std::string& title) {
  return fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"><text class=\"title\" x=\"{}\" "
      "y=\"16\">{}</text>",
      kWidth, kHeight, html(title), kLeft, html(title));
}

std::string frame(const std::string& x_label) {
  return fmt::format(
      "<path class=\"axis\" d=\"M{0} {1}V{2}H{3}\"/><text x=\"{4}\" y=\"{5}\" text-anchor=\"middle\">{6}</text>", kLeft,
      kTop, kBottom, kRight, (kLeft + kRight) / 2, kBottom + 36, html(x_label));
}

std::string y_ticks(const Scale& scale) {
  std::string svg;
  for (const double value : scale.ticks()) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", kLeft,
        scale.pixel(value), kRight, kLeft - 5, scale.pixel(value) + 4, tick_text(value));
  }
  return svg;
}

bool shown(double y, bool log_y) { return std::isfinite(y) && (!log_y || y > 0); }

/// Path through the curve's points, with lines between neighbours. A point between two gaps becomes a dot.
std::string path_of(const LinePlot& plot, const Curve& curve, const Scale& x, const Scale& y) {
  std::string path;
  bool drawing = false;
  for (std::size_t n = 0; n < curve.y.size(); ++n) {
    if (!shown(curve.y[n], plot.log_y)) {
      drawing = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x.pixel(plot.x[n]), y.pixel(curve.y[n]));
    if (!drawing) path += "h0";
    drawing = true;
  }
  return path;
}

}  // namespace

const std::string_view kPlotStyle =
    "svg.plot{font:11px sans-serif}svg.plot .title{font-weight:bold;font-size:13px}.plot .axis{fill:none;stroke:#444}"
    ".plot .grid{stroke:#e4e4e4}.plot .curve{fill:none;stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}"
    ".plot rect{fill:#1f4e79}";

std::string svg_of(const LinePlot& plot) {
  Range x_range;
  Range y_range;
  for (const double value : plot.x) x_range.include(value);
  for (const Curve& curve : plot.curves) {
    for (const double value : curve.y) {
      if (shown(value, plot.log_y)) y_range.include(value);
    }
  }
  if (y_range.empty()) return "";
  std::string svg = begin(plot.title);
  if (x_range.least == x_range.most) x_range = x_range.widened(false);
  y_range = y_range.widened(plot.log_y);
  const Scale x(x_range.least, x_range.most, kLeft, kRight, false);
  const Scale y(y_range.least, y_range.most, kBottom, kTop, plot.log_y);
  svg += y_ticks(y);
  for (const double value : x.ticks()) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x.pixel(value), kBottom + 17,
                       tick_text(value));
  }
  svg += frame(plot.x_label);
  double legend = kLeft;
  for (std::size_t n = 0; n < plot.curves.size(); ++n) {
    const Curve& curve = plot.curves[n];
    if (std::ranges::none_of(curve.y, [&](double value) { return shown(value, plot.log_y); })) continue;
    const std::string_view colour = kColours[n % kColours.size()];
    svg += fmt::format("<path class=\"curve\" stroke=\"{}\" d=\"{}\"><title>{}</title></path>", colour,
                       path_of(plot, curve, x, y), html(curve.name));
    if (plot.curves.size() == 1) continue;
    svg += fmt::format("<text x=\"{:.1f}\" y=\"34\" style=\"fill:{}\">{}</text>", legend, colour, html(curve.name));
    legend += 16 + 6.6 * static_cast<double>(curve.name.size());
  }
  return svg + "</svg>";
}

std::string svg_of(const BarPlot& plot) {
  const double most = plot.values.empty() ? 0 : *std::ranges::max_element(plot.values);
  if (!(most > 0)) return "";
  std::string svg = begin(plot.title);
  const Scale y(0, 1.05 * most, kBottom, kTop, false);
  svg += y_ticks(y) + frame(plot.x_label);
  const double pitch = (kRight - kLeft) / static_cast<double>(plot.values.size());
  for (std::size_t n = 0; n < plot.values.size(); ++n) {
    const double left = kLeft + pitch * static_cast<double>(n);
    const double top = y.pixel(plot.values[n]);
    svg += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}: {}</title></rect><text "
        "x=\"{:.1f}\" "
        "y=\"{}\" text-anchor=\"middle\">{}</text>",
        left + 0.1 * pitch, top, 0.8 * pitch, kBottom - top, html(plot.names[n]), plot.values[n], left + 0.5 * pitch,
        kBottom + 17, html(plot.names[n]));
  }
  return svg + "</svg>";
}

std::string svg_of(const MapPlot& plot) {
  constexpr double kSide = kRight - kLeft;
  constexpr double kFloor = kTop + kSide;
  std::string svg = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\"><text class=\"title\" x=\"{}\" "
      "y=\"16\">{}</text>",
      kWidth, kFloor + kHeight - kBottom, html(plot.title), kLeft, html(plot.title));
  const Scale x(plot.centre.x - plot.reach, plot.centre.x + plot.reach, kLeft, kRight, false);
  const Scale y(plot.centre.y - plot.reach, plot.centre.y + plot.reach, kFloor, kTop, false);
  svg += y_ticks(y);
  for (const double value : x.ticks()) {
    svg += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>",
        x.pixel(value), kTop, kFloor, kFloor + 17, tick_text(value));
  }
  svg += fmt::format(
      "<path class=\"axis\" d=\"M{0} {1}V{2}H{3}\"/><text x=\"{4}\" y=\"{5}\" text-anchor=\"middle\">{6}</text>"
      "<text x=\"{0}\" y=\"34\" text-anchor=\"end\">{7}</text>",
      kLeft, kTop, kFloor, kRight, (kLeft + kRight) / 2, kFloor + 36, html(plot.x_label), html(plot.y_label));
  const auto is_inside = [&](const MapPlot::Place& place) {
    return std::fabs(place.x - plot.centre.x) <= plot.reach && std::fabs(place.y - plot.centre.y) <= plot.reach;
  };
  std::string dots;  // a line of no length with round ends is a dot
  for (const MapPlot::Place& place : plot.points) {
    if (is_inside(place)) dots += fmt::format("M{:.1f} {:.1f}h0", x.pixel(place.x), y.pixel(place.y));
  }
  const double width = plot.points.size() > 2000 ? 1.4 : plot.points.size() > 200 ? 2.2 : 4;
  if (!dots.empty()) {
    svg += fmt::format("<path class=\"curve\" style=\"stroke-width:{}\" stroke=\"{}\" d=\"{}\"/>", width, kColours[0],
                       dots);
  }
  double legend = kLeft + 20;
  for (std::size_t n = 0; n < plot.paths.size(); ++n) {
    const MapPlot::Path& path = plot.paths[n];
    const std::string_view colour = kColours[n % kColours.size()];
    std::string line;
    bool drawing = false;
    for (const MapPlot::Place& place : path.places) {
      if (!is_inside(place)) {
        drawing = false;
        continue;
      }
      line += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x.pixel(place.x), y.pixel(place.y));
      drawing = true;
    }
    if (line.empty()) continue;
    svg += fmt::format("<path class=\"curve\" style=\"stroke-width:1\" stroke=\"{}\" d=\"{}\"><title>{}</title></path>",
                       colour, line, html(path.name));
    if (is_inside(path.places.back())) {
      svg += fmt::format("<path class=\"curve\" style=\"stroke-width:6\" stroke=\"{}\" d=\"M{:.1f} {:.1f}h0\"/>",
                         colour, x.pixel(path.places.back().x), y.pixel(path.places.back().y));
    }
    svg += fmt::format("<text x=\"{:.1f}\" y=\"34\" style=\"fill:{}\">{}</text>", legend, colour, html(path.name));
    legend += 16 + 6.6 * static_cast<double>(path.name.size());
  }
  return svg + "</svg>";
}

}  // namespace gdr::hostlib
