// Converts SVG to PNG. Only png.cpp includes librsvg's headers.
#pragma once

#include <filesystem>
#include <string>

namespace gdr::cli {

/// False if the program was built without librsvg (-DGDR_RSVG=OFF).
[[nodiscard]] bool has_png();

/// Draws `svg` with `scale` pixels for each of its units. Throws gdr::Error.
void write_png(const std::filesystem::path& file, const std::string& svg, double scale);

}  // namespace gdr::cli
