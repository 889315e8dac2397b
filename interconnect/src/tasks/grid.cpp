#include "gdr/interconnect/grid.h"

#include <fmt/format.h>

#include <charconv>

#include "gdr/base/error.h"

namespace gdr::interconnect {

Grid::Grid(std::vector<std::uint32_t> extents, bool torus)
    : axes_(static_cast<unsigned>(extents.size())), torus_(torus) {
  if (extents.empty() || extents.size() > kMostAxes) {
    throw Error(fmt::format("grid of {} axes is refused: it has one to {}", extents.size(), kMostAxes));
  }
  std::uint64_t nodes = 1;
  for (unsigned axis = 0; axis < axes_; ++axis) {
    if (extents[axis] == 0) throw Error("grid of extent 0 is refused: every extent is at least 1");
    nodes *= extents[axis];
    if (nodes > kMostNodes) throw Error(fmt::format("grid of more than {} nodes is refused", kMostNodes));
    extents_[axis] = extents[axis];
  }
}

Grid Grid::parse(std::string_view text) {
  const auto refuse = [&](std::string_view why) -> Error {
    return Error(
        fmt::format("topology '{}' is refused: {}; it reads like torus:16x16x16, torus:9x7 or mesh:8x8x8", text, why));
  };
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  if (kind != "torus" && kind != "mesh") throw refuse("it begins with neither torus: nor mesh:");
  if (colon == std::string_view::npos) throw refuse("extents are missing");
  std::vector<std::uint32_t> extents;
  std::string_view rest = text.substr(colon + 1);
  while (true) {
    std::uint32_t extent = 0;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), extent);
    if (error != std::errc()) throw refuse("an extent is no whole number");
    if (extent == 0) throw refuse("an extent is 0");
    extents.push_back(extent);
    if (extents.size() > kMostAxes) throw refuse("it has more than three axes");
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    if (rest.empty()) break;
    if (rest.front() != 'x') throw refuse("extents are separated by x");
    rest.remove_prefix(1);
  }
  return {std::move(extents), kind == "torus"};
}

std::string Grid::name() const {
  std::string text = torus_ ? "torus:" : "mesh:";
  for (unsigned axis = 0; axis < axes_; ++axis) text += fmt::format("{}{}", axis == 0 ? "" : "x", extents_[axis]);
  return text;
}

std::array<unsigned, 3> parse_axis_order(std::string_view text) {
  std::array<unsigned, 3> order{};
  unsigned seen = 0;
  bool good = text.size() == order.size();
  for (std::size_t i = 0; good && i < order.size(); ++i) {
    good = text[i] >= 'x' && text[i] <= 'z';
    if (!good) break;
    order[i] = static_cast<unsigned>(text[i] - 'x');
    seen |= 1U << order[i];
  }
  if (!good || seen != 7) {
    throw Error(fmt::format("axis order '{}' is refused: it names x, y and z, each once, like xyz", text));
  }
  return order;
}

}  // namespace gdr::interconnect
