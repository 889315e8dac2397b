#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "gdr/interconnect/mapping_output.h"
#include "heat.h"

namespace gdr::interconnect {

namespace {

// All lengths are in units of the SVG.
constexpr double kGap = 16;  // between planes
constexpr double kMargin = 20;
constexpr double kTitle = 24;
constexpr double kLabel = 14;  // above a plane
constexpr std::uint32_t kPlanesInARow = 8;

/// Positions on the page. Nodes are drawn larger if there are few.
struct Layout {
  const Grid& grid;
  std::uint32_t columns;  // number of planes in a row
  double pitch;           // between nodes
  double node;            // half of a node's side
  double aside;           // distance of a directed link from the middle of its cable
  double line_width;
  double stub;  // length of a link that closes a ring
  double plane_width;
  double label;
  double plane_height;
  double panel_height;

  explicit Layout(const Grid& shown)
      : grid(shown),
        columns(std::min(shown.extents()[2], kPlanesInARow)),
        pitch(std::clamp(480.0 / (shown.extents()[0] * columns), 16.0, 48.0)),
        node(pitch * 3 / 16),
        aside(pitch / 10),
        line_width(pitch * 0.15),
        stub(pitch * 3 / 8),
        plane_width(pitch * shown.extents()[0] + kGap),
        label(shown.axes() == 3 ? kLabel : 0),
        plane_height(label + pitch * shown.extents()[1] + kGap),
        panel_height(kTitle + plane_height * ((shown.extents()[2] + columns - 1) / columns)) {}

  [[nodiscard]] double width() const { return std::max(2 * kMargin + plane_width * columns, 420.0); }
  [[nodiscard]] double x(const GridPosition& at) const {
    return kMargin + plane_width * (at[2] % columns) + pitch * (at[0] + 0.5);
  }
  [[nodiscard]] double y(const GridPosition& at, std::size_t panel) const {
    return kMargin + panel_height * static_cast<double>(panel) + kTitle + plane_height * (at[2] / columns) + label +
           pitch * (at[1] + 0.5);
  }
};

/// A link within its plane: a line from its node to the next, or a stub over the edge if it closes a ring.
std::string line_of(const Layout& layout, const GridPosition& at, std::size_t panel, unsigned axis, bool plus,
                    const std::string& ink) {
  const bool closes = plus ? at[axis] + 1 == layout.grid.extents()[axis] : at[axis] == 0;
  const double along = (closes ? layout.stub : layout.pitch - layout.node) * (plus ? 1 : -1);
  const double begin = layout.node * (plus ? 1 : -1);
  const double aside = layout.aside * (plus ? 1 : -1);
  const double x = layout.x(at);
  const double y = layout.y(at, panel);
  if (axis == 0) {
    return fmt::format("<path d='M{:.1f} {:.1f}H{:.1f}' stroke='{}'/>\n", x + begin, y + aside, x + along, ink);
  }
  return fmt::format("<path d='M{:.1f} {:.1f}V{:.1f}' stroke='{}'/>\n", x + aside, y + begin, y + along, ink);
}

}  // namespace

std::map<std::uint64_t, std::uint64_t> load_histogram(const Grid& grid, std::span<const std::uint64_t> loads) {
  if (loads.size() != grid.links()) {
    throw Error(fmt::format("loads of {} links are refused: {} has {}", loads.size(), grid.name(), grid.links()));
  }
  std::map<std::uint64_t, std::uint64_t> histogram;
  for (std::uint32_t link = 0; link < grid.links(); ++link) {
    const unsigned axis = link / 2 % grid.axes();
    const std::uint32_t at = grid.position(link / (2 * grid.axes()))[axis];
    const bool closes = link % 2 == 0 ? at + 1 == grid.extents()[axis] : at == 0;
    if (grid.torus() || !closes) ++histogram[loads[link]];
  }
  return histogram;
}

std::string load_picture(const Grid& grid, std::span<const LoadPanel> panels) {
  const Layout layout(grid);
  std::uint64_t most = 0;
  for (const LoadPanel& panel : panels) {
    if (panel.loads.size() != grid.links()) {
      throw Error(
          fmt::format("loads of {} links are refused: {} has {}", panel.loads.size(), grid.name(), grid.links()));
    }
    most = std::max(most, *std::ranges::max_element(panel.loads));
  }
  const double scale = most == 0 ? 1 : static_cast<double>(most);
  const double legend_y = kMargin + layout.panel_height * static_cast<double>(panels.size());
  const double height = legend_y + 42 + kMargin;
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
      "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n",
      layout.width(), height);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const LoadPanel& panel = panels[p];
    svg += fmt::format("<text x='{:.0f}' y='{:.0f}'>{}: busiest link {}</text>\n", kMargin,
                       kMargin + layout.panel_height * static_cast<double>(p) + 12, panel.title,
                       readable_bytes(*std::ranges::max_element(panel.loads)));
    for (std::uint32_t z = 0; layout.label > 0 && z < grid.extents()[2]; ++z) {
      svg += fmt::format("<text x='{:.1f}' y='{:.1f}' font-size='9' fill='#606060'>z = {}</text>\n",
                         layout.x({0, 0, z}) - layout.node, layout.y({0, 0, z}, p) - layout.pitch / 2 - 3, z);
    }
    svg += fmt::format("<g stroke-width='{:.1f}' fill='none'>\n", layout.line_width);
    for (std::uint32_t link = 0; link < grid.links(); ++link) {
      const unsigned axis = link / 2 % grid.axes();
      const GridPosition at = grid.position(link / (2 * grid.axes()));
      const bool plus = link % 2 == 0;
      const bool closes = plus ? at[axis] + 1 == grid.extents()[axis] : at[axis] == 0;
      if (closes && !grid.torus()) continue;
      const std::string ink = heat_colour(static_cast<double>(panel.loads[link]) / scale);
      if (axis < 2) {
        svg += line_of(layout, at, p, axis, plus, ink);
      } else {  // left half: towards larger z, right half: towards smaller
        svg += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='{}'/>\n",
                           layout.x(at) - (plus ? layout.node : 0), layout.y(at, p) - layout.node, layout.node,
                           2 * layout.node, ink);
      }
    }
    svg += "</g>\n";
  }
  svg += heat_legend(kMargin, legend_y + 20, most);
  if (layout.label > 0) {
    svg += fmt::format(
        "<text x='{:.0f}' y='{:.0f}' font-size='9' fill='#606060'>square: a node; its left half: the link to the "
        "next plane, right half: to the plane before</text>\n",
        kMargin, legend_y + 50);
  }
  return svg + "</svg>\n";
}

}  // namespace gdr::interconnect
