#include "gdr/base/error.h"
#include "png.h"

namespace gdr::cli {

bool has_png() { return false; }

void write_png(const std::filesystem::path& /*file*/, const std::string& /*svg*/, double /*scale*/) {
  throw Error("this program was built without librsvg (-DGDR_RSVG=OFF)");
}

}  // namespace gdr::cli
