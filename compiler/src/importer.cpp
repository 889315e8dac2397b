#include "importer.h"

#include <fmt/format.h>

#include "../import/import.h"
#include "gdr/base/error.h"
#include "gdr/base/plugin.h"
#include "gdr/compiler/compiler.h"

namespace gdr::compiler {
namespace {

/// The library is loaded once and never unloaded, because LLVM does not support unloading.
ImportFunction importer() {
  static const auto found =
      reinterpret_cast<ImportFunction>(base::plugin_function("libgdr_import.so", GDR_IMPORT_FUNCTION));
  return found;
}

}  // namespace

std::string not_found(std::string_view library) {
  return fmt::format("the library {} is not found; in the source tree, cmake --build --preset release builds it",
                     library);
}

bool available() { return importer() != nullptr; }

Imported import_ir(const std::string& code, const std::string& name, const std::string& function) {
  const ImportFunction import = importer();
  if (import == nullptr) throw Error("pair functions cannot be compiled: " + not_found("gdr_import"));
  Imported imported;
  import(code, name, function, imported);
  return imported;
}

}  // namespace gdr::compiler
