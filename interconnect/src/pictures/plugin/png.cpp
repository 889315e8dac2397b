#include "pictures/png.h"

#include <fmt/format.h>
#include <librsvg/rsvg.h>

#include <cmath>
#include <exception>
#include <memory>

#include "child/child.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"

namespace gdr::interconnect {
namespace {

template <auto free_it>
struct Free {
  template <class Thing>
  void operator()(Thing* thing) const {
    free_it(thing);
  }
};
using Handle = std::unique_ptr<RsvgHandle, Free<g_object_unref>>;
using Failure = std::unique_ptr<GError, Free<g_error_free>>;
using Surface = std::unique_ptr<cairo_surface_t, Free<cairo_surface_destroy>>;
using Canvas = std::unique_ptr<cairo_t, Free<cairo_destroy>>;

/// For cairo, which no exception may cross.
cairo_status_t append(void* png, const unsigned char* bytes, unsigned count) noexcept {
  try {
    static_cast<std::string*>(png)->append(reinterpret_cast<const char*>(bytes), count);
  } catch (const std::exception&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

std::string png_of(const std::string& svg, double scale, const std::string& file) {
  const auto refuse = [&](const char* why) { throw Error(fmt::format("{}: no PNG: {}", file, why)); };
  GError* failed = nullptr;
  const Handle handle(rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &failed));
  if (handle == nullptr) refuse(Failure(failed)->message);
  double width = 0;
  double height = 0;
  if (rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &width, &height) == 0) refuse("the SVG has no size");
  const RsvgRectangle page{0, 0, std::ceil(width * scale), std::ceil(height * scale)};
  const Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(page.width), static_cast<int>(page.height)));
  const Canvas canvas(cairo_create(surface.get()));
  if (rsvg_handle_render_document(handle.get(), canvas.get(), &page, &failed) == 0) refuse(Failure(failed)->message);
  // This also reports a surface that could not be made: an image has at most 32,767 pixels on a side.
  std::string png;
  const cairo_status_t status = cairo_surface_write_to_png_stream(surface.get(), append, &png);
  if (status != CAIRO_STATUS_SUCCESS) refuse(cairo_status_to_string(status));
  return png;
}

/// GLib ends the process that is out of memory, so that one of its own draws.
void write_png(const std::filesystem::path& file, const std::string& svg, double scale) {
  const auto drawn = run_in_child(
      {.what = file.string(), .library = "librsvg", .compute = [&] { return png_of(svg, scale, file.string()); }});
  base::write_file(file, drawn.computed);
}

}  // namespace
}  // namespace gdr::interconnect

void GDR_WRITE_PNG(const std::filesystem::path& file, const std::string& svg, double scale) {
  gdr::interconnect::write_png(file, svg, scale);
}
