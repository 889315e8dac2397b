// The scale of colour that all pictures of loads share.
#pragma once

#include <cstdint>
#include <string>

namespace gdr::interconnect {

/// Of a share from 0 to 1: light grey over yellow and red to black, dark where much passes, also in print.
[[nodiscard]] std::string heat_colour(double share);

/// "1.25 MB".
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);

/// The scale from 0 to `most` bytes a link as SVG, its upper left corner at (x, y), 12 high.
[[nodiscard]] std::string heat_legend(double x, double y, std::uint64_t most);

}  // namespace gdr::interconnect
