// What the library libgdr_png.so offers. librsvg and what it brings take longer to load than most commands of gdr run,
// so that it is loaded for the first PNG.
#pragma once

#include <filesystem>
#include <string>

// The function of the library that is a WritePng. Its number rises with each change of the type.
#define GDR_WRITE_PNG "gdr_write_png_1"

namespace gdr::cli {

/// Draws `svg` with `scale` pixels for each of its units. Throws gdr::Error.
using WritePng = void (*)(const std::filesystem::path& file, const std::string& svg, double scale);

}  // namespace gdr::cli
