// Heat maps of the links of a platform. In the library gdr::mapping.
#pragma once

#include <span>
#include <string>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {

/// Bytes over every link as SVG: of hubs a matrix, a row for each sender and a column for each receiver; of a torus its
/// grid, as load_picture(); of a fat tree a row for the cables of all nodes and for those of each leaf, up and down.
/// `loads` as link_loads() gives them. Throws gdr::Error if their number is not the platform's number of links.
[[nodiscard]] std::string link_picture(const Platform& platform, std::span<const LinkLoad> loads,
                                       const std::string& title);

}  // namespace gdr::interconnect
