#include "gdr/interconnect/link_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/interconnect/mapping_output.h"
#include "heat.h"

namespace gdr::interconnect {
namespace {

/// A row of links in the picture; a place without a link stays white.
struct Row {
  std::string label;
  std::vector<std::optional<LinkId>> links;
};

std::vector<Row> hub_rows(const Topology& hub) {
  std::vector<Row> rows;
  for (NodeId from = 0; from < hub.nodes(); ++from) {
    Row row{std::to_string(from), {}};
    for (NodeId to = 0; to < hub.nodes(); ++to) {
      const std::vector<LinkId> route = hub.route(from, to);
      row.links.push_back(route.size() == 1 ? std::optional(route[0]) : std::nullopt);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// The part of a link's name that its neighbours share: "0>leaf" gives "nodes>leaf", "leaf2:up7" gives "leaf2:up".
std::string family_of(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  if (name.find_first_of(kDigits) == 0) {
    return "nodes" + std::string(name.substr(name.find_first_not_of(kDigits)));
  }
  const std::string family(name.substr(0, name.find_last_not_of(kDigits) + 1));
  return family.ends_with('>') ? family + "nodes" : family;
}

std::vector<Row> rows_by_name(const Topology& topology) {
  std::vector<Row> rows;
  for (LinkId link = 0; link < topology.links().size(); ++link) {
    const std::string family = family_of(topology.links().name(link));
    if (rows.empty() || rows.back().label != family) rows.push_back({family, {}});
    rows.back().links.emplace_back(link);
  }
  return rows;
}

std::string rows_picture(const std::vector<Row>& rows, std::span<const std::uint64_t> bytes, const std::string& title,
                         bool is_matrix) {
  constexpr double kMargin = 20;
  constexpr double kTitle = 34;
  constexpr double kCell = 9;
  constexpr double kLabel = 70;
  constexpr std::size_t kLabelsApart = 8;  // rows or columns of a matrix
  std::size_t columns = 0;
  for (const Row& row : rows) columns = std::max(columns, row.links.size());
  const std::uint64_t most = std::ranges::max(bytes);
  const double scale = most == 0 ? 1 : static_cast<double>(most);
  const double left = kMargin + kLabel;
  const double top = kMargin + kTitle;
  const double legend = top + kCell * static_cast<double>(rows.size()) + 16;
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
      "font-family='sans-serif' font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n"
      "<text x='{2:.0f}' y='{3:.0f}'>{4}: busiest link {5}</text>\n",
      std::max(left + kCell * static_cast<double>(columns) + kMargin, 460.0), legend + 12 + kMargin, kMargin,
      kMargin + 10, title, readable_bytes(most));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double y = top + kCell * static_cast<double>(r);
    if (!is_matrix || r % kLabelsApart == 0) {
      svg += fmt::format("<text x='{:.0f}' y='{:.0f}' font-size='9' fill='#606060'>{}{}</text>\n", kMargin,
                         y + kCell - 1, is_matrix ? "from " : "", rows[r].label);
    }
    for (std::size_t c = 0; c < rows[r].links.size(); ++c) {
      const double x = left + kCell * static_cast<double>(c);
      if (is_matrix && r == 0 && c % kLabelsApart == 0) {
        svg += fmt::format("<text x='{:.0f}' y='{:.0f}' font-size='9' fill='#606060'>to {}</text>\n", x, top - 3, c);
      }
      const std::optional<LinkId> link = rows[r].links[c];
      if (!link) continue;
      svg += fmt::format("<rect x='{:.0f}' y='{:.0f}' width='{}' height='{}' fill='{}'><title>{}</title></rect>\n", x,
                         y, kCell - 1, kCell - 1, heat_colour(static_cast<double>(bytes[*link]) / scale),
                         readable_bytes(bytes[*link]));
    }
  }
  return svg + heat_legend(kMargin, legend, most) + "</svg>\n";
}

}  // namespace

std::string link_picture(const Platform& platform, std::span<const LinkLoad> loads, const std::string& title) {
  const Topology& topology = platform.topology;
  if (loads.size() != topology.links().size()) {
    throw Error(fmt::format("loads of {} links are refused: {} has {}", loads.size(), topology.name(),
                            topology.links().size()));
  }
  std::vector<std::uint64_t> bytes;
  for (const LinkLoad& load : loads) bytes.push_back(load.bytes);
  if (!platform.extents.empty()) {
    const LoadPanel panels[] = {{title, bytes}};
    return load_picture(Grid(platform.extents, true), panels);
  }
  const bool is_hub = platform.kind == PlatformKind::optical_hub || platform.kind == PlatformKind::optical_hub_2d;
  return rows_picture(is_hub ? hub_rows(topology) : rows_by_name(topology), bytes, title, is_hub);
}

}  // namespace gdr::interconnect
