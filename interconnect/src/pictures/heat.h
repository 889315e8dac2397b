// The colour scale that all pictures of loads share.
#pragma once

#include <cstdint>
#include <string>

namespace gdr::interconnect {

/// Colour of a share from 0 to 1: from light grey over yellow and red to black, so that high loads are dark, also in
/// print.
[[nodiscard]] std::string heat_colour(double share);

/// Bytes as text, such as "1.25 MB".
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);

/// Legend of the scale from 0 to `most` bytes on a link, as SVG; upper left corner at (x, y), height 12.
[[nodiscard]] std::string heat_legend(double x, double y, std::uint64_t most);

}  // namespace gdr::interconnect
