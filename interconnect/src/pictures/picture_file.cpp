#include "gdr/interconnect/picture_file.h"

#include <fmt/format.h>

#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/plugin.h"
#include "pictures/png.h"

namespace gdr::interconnect {
namespace {

/// Null without the library.
auto png_writer() {
  static const auto found = GDR_PLUGIN_FUNCTION("libgdr_png.so", GDR_WRITE_PNG);
  return found;
}

bool is_png(const std::filesystem::path& file) { return base::ending_of(file) == ".png"; }

}  // namespace

std::string refuse_picture(const std::string& name) {
  const std::filesystem::path file = name;
  if (base::ending_of(file) == ".svg" || (is_png(file) && png_writer() != nullptr)) return "";
  if (is_png(file)) {
    return fmt::format("'{}' is refused: PNG needs {}; .svg needs neither", name,
                       base::missing_plugin("libgdr_png.so", "librsvg 2.52", "GDR_RSVG"));
  }
  return fmt::format("'{}' is refused: pictures are SVG or PNG, so it must end in .svg or .png", name);
}

void write_picture(const std::filesystem::path& file, const std::string& svg) {
  constexpr double kPixels = 2;  // pixels for each unit of the SVG
  if (is_png(file)) {
    png_writer()(file, svg, kPixels);
  } else {
    base::write_file(file, svg);
  }
}

}  // namespace gdr::interconnect
