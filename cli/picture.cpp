#include "picture.h"

#include <fmt/format.h>

#include "gdr/base/file.h"
#include "gdr/base/plugin.h"
#include "png.h"

namespace gdr::cli {
namespace {

/// Null without the library.
WritePng png_writer() {
  static const auto found = reinterpret_cast<WritePng>(base::plugin_function("libgdr_png.so", GDR_WRITE_PNG));
  return found;
}

}  // namespace

Check picture_file() {
  return {[](const std::string& name) {
            if (name.ends_with(".svg") || (name.ends_with(".png") && png_writer() != nullptr)) return std::string();
            if (name.ends_with(".png")) {
              return fmt::format(
                  "'{}' is refused: PNG needs gdr's library libgdr_png.so, which is not found or does not load: it "
                  "needs librsvg 2.52 and is built with -DGDR_RSVG=ON; .svg needs neither",
                  name);
            }
            return fmt::format("'{}' is refused: pictures are SVG or PNG, so it must end in .svg or .png", name);
          },
          ".svg or .png"};
}

void write_picture(const std::filesystem::path& file, const std::string& svg) {
  constexpr double kPixels = 2;  // pixels for each unit of the SVG
  if (file.extension() == ".png") {
    png_writer()(file, svg, kPixels);
  } else {
    base::write_file(file, svg);
  }
}

}  // namespace gdr::cli
