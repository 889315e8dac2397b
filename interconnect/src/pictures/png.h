// What the library libgdr_png.so offers. librsvg and what it brings take longer to load than most commands of gdr run,
// so that it is loaded for the first PNG.
#pragma once

#include <filesystem>
#include <string>

#define GDR_WRITE_PNG gdr_write_png_1

/// Draws `svg` with `scale` pixels for each of its units. Throws gdr::Error.
extern "C" __attribute__((visibility("default"))) void GDR_WRITE_PNG(const std::filesystem::path& file,
                                                                     const std::string& svg, double scale);
