// Curves and bars as SVG, for self-contained pages. The page must include kPlotStyle, which sets colours and fonts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gdr::hostlib {

struct Curve {
  std::string name;
  std::vector<double> y;  // one value for each x of the plot; a value that is not finite, or that is not positive
                          // although y is logarithmic, leaves a gap
};

struct LinePlot {
  std::string title;
  std::string x_label;
  std::vector<double> x;
  std::vector<Curve> curves;
  bool log_y = false;
};

/// An svg element, with the title as its accessible name. Curves without a value to show are left out; if no value is
/// left, the text is empty.
[[nodiscard]] std::string svg_of(const LinePlot& plot);

struct BarPlot {
  std::string title;
  std::string x_label;
  std::vector<std::string> names;
  std::vector<double> values;  // >= 0, one per name
};
[[nodiscard]] std::string svg_of(const BarPlot& plot);

/// Places in a plane, with one scale for both axes.
struct MapPlot {
  struct Place {
    double x = 0.0;
    double y = 0.0;
  };
  struct Path {
    std::string name;
    std::vector<Place> places;
  };
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Place> points;
  std::vector<Path> paths;  // each with a dot at its end
  Place centre;
  double reach = 0.0;  // of the picture from the centre, > 0; what lies outside is not drawn
};
[[nodiscard]] std::string svg_of(const MapPlot& plot);

extern const std::string_view kPlotStyle;

}  // namespace gdr::hostlib
