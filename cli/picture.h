// Pictures that subcommands write: SVG, or PNG made from it by librsvg.
#pragma once

#include <filesystem>
#include <string>

#include "command.h"

namespace gdr::cli {

/// Checks for a file name that ends in .svg or, if the program was built with librsvg (-DGDR_RSVG=ON), in .png.
[[nodiscard]] Check picture_file();

/// Writes `svg` in the format of the file's name. A PNG has two pixels for each unit of the SVG, so that small text is
/// legible. Throws gdr::Error.
void write_picture(const std::filesystem::path& file, const std::string& svg);

}  // namespace gdr::cli
