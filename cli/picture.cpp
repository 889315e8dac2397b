#include "picture.h"

#include <fmt/format.h>

#include "gdr/base/file.h"
#include "png.h"

namespace gdr::cli {

Check picture_file() {
  return {[](const std::string& name) {
            if (name.ends_with(".svg") || (name.ends_with(".png") && has_png())) return std::string();
            if (name.ends_with(".png"))
              return fmt::format("'{}' is refused: this program was built without librsvg and writes SVG alone", name);
            return fmt::format("'{}' is refused: pictures are SVG or PNG, so it must end in .svg or .png", name);
          },
          has_png() ? ".svg or .png" : ".svg"};
}

void write_picture(const std::filesystem::path& file, const std::string& svg) {
  constexpr double kPixels = 2;  // pixels for each unit of the SVG
  if (file.extension() == ".png") {
    write_png(file, svg, kPixels);
  } else {
    base::write_file(file, svg);
  }
}

}  // namespace gdr::cli
