#include "importer.h"

#include <fmt/format.h>

#include "gdr/base/error.h"
#include "gdr/base/plugin.h"
#include "gdr/compiler/compiler.h"
#include "plugin/import.h"

namespace gdr::compiler {
namespace {

/// The library is loaded once and never unloaded, because LLVM does not support unloading.
auto importer() {
  static const auto found = GDR_PLUGIN_FUNCTION("libgdr_import.so", GDR_IMPORT_FUNCTION);
  return found;
}

}  // namespace

bool available() { return importer() != nullptr; }

void refuse_without(std::string_view what, std::string_view library, std::string_view needs, std::string_view option) {
  throw Error(
      fmt::format("{} cannot be compiled without {}; in the source tree, cmake --build --preset release builds it",
                  what, base::missing_plugin(library, needs, option)));
}

void require_import() {
  if (!available()) refuse_without("pair functions", "libgdr_import.so", "LLVM 19", "GDR_CC");
}

std::string optimised(const std::string& code) {
  require_import();
  static const auto passes = GDR_PLUGIN_FUNCTION("libgdr_import.so", GDR_PASSES_FUNCTION);
  std::string made;
  passes(code, made);
  return made;
}

Imported import_ir(const std::string& code, const std::string& name, const std::string& function) {
  require_import();
  const auto import = importer();
  Imported imported;
  import(code, name, function, imported);
  return imported;
}

}  // namespace gdr::compiler
