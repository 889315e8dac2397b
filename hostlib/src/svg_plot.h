// Curves and bars as SVG, for pages that stand alone. Colours and fonts come from kPlotStyle.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gdr::hostlib {

struct Curve {
  std::string name;
  std::vector<double> y;  // as many as the plot has x; a value that is not finite, or not positive where y is
                          // logarithmic, leaves a gap
};

struct LinePlot {
  std::string title;
  std::string x_label;
  std::vector<double> x;
  std::vector<Curve> curves;
  bool log_y = false;
};

/// An svg element, with the title as its accessible name. Without a value to show it says so.
[[nodiscard]] std::string svg_of(const LinePlot& plot);

struct BarPlot {
  std::string title;
  std::string x_label;
  std::vector<std::string> names;
  std::vector<double> values;  // >= 0, one per name
};
[[nodiscard]] std::string svg_of(const BarPlot& plot);

extern const std::string_view kPlotStyle;

}  // namespace gdr::hostlib
