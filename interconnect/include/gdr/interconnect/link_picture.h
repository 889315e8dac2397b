// Heat maps of the links of a platform. In the library gdr::mapping.
#pragma once

#include <span>
#include <string>

#include "gdr/interconnect/closed_form.h"
#include "gdr/interconnect/platform.h"

namespace gdr::interconnect {

/// Heat map of the bytes over every link, as SVG. A hub is a matrix with a row for each sender and a column for each
/// receiver, a torus is its grid as in load_picture(), and a fat tree has a row for the cables of all nodes and for
/// those of each leaf, up and down. `loads` is the result of link_loads(). Throws gdr::Error unless it has one entry
/// for each link.
[[nodiscard]] std::string link_picture(const Platform& platform, std::span<const LinkLoad> loads,
                                       const std::string& title);

}  // namespace gdr::interconnect
