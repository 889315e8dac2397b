// Pictures that subcommands write: SVG, or PNG made from it by librsvg.
#pragma once

#include <filesystem>
#include <string>

#include "command/command.h"

namespace gdr::cli {

/// Checks for a file name that ends in .svg or, if libgdr_png.so is found (-DGDR_RSVG=ON), in .png.
[[nodiscard]] Check picture_file();

/// Writes `svg` in the format of the file's name. A PNG has two pixels for each unit of the SVG, so that small text is
/// legible. The name is one that picture_file() lets pass. Throws gdr::Error.
void write_picture(const std::filesystem::path& file, const std::string& svg);

}  // namespace gdr::cli
