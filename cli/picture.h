// Pictures that subcommands write: SVG, or PNG made of it by librsvg.
#pragma once

#include <filesystem>
#include <string>

#include "command.h"

namespace gdr::cli {

/// Pictures end in .svg or, where the program was built with librsvg (-DGDR_RSVG=ON), in .png.
[[nodiscard]] Check picture_file();

/// Writes `svg` as the file's name says. A PNG has two pixels for each unit of the SVG, so that small type can be read.
/// Throws gdr::Error.
void write_picture(const std::filesystem::path& file, const std::string& svg);

}  // namespace gdr::cli
