// Files of pictures: SVG, or PNG made from it by librsvg.
#pragma once

#include <filesystem>
#include <string>

namespace gdr::interconnect {

/// Why a picture cannot have this name, which must end in .svg or, if libgdr_png.so is found (-DGDR_RSVG=ON), in .png;
/// empty if it can.
[[nodiscard]] std::string refuse_picture(const std::string& name);

/// Writes `svg` in the format of the file's name, which refuse_picture() lets pass. A PNG has two pixels for each unit
/// of the SVG, so that small text is legible. Throws gdr::Error.
void write_picture(const std::filesystem::path& file, const std::string& svg);

}  // namespace gdr::interconnect
