#include "importer.h"

#include <dlfcn.h>

#include <filesystem>
#include <vector>

#include "../import/import.h"
#include "gdr/base/error.h"
#include "gdr/compiler/compiler.h"

namespace gdr::compiler {
namespace {

/// Where the library may be: beside the code that asks, as it is built and as it is installed.
std::vector<std::filesystem::path> library_places() {
  std::vector<std::filesystem::path> places;
  Dl_info own{};
  if (dladdr(reinterpret_cast<const void*>(&library_places), &own) != 0 && own.dli_fname != nullptr) {
    std::error_code none;
    const std::filesystem::path beside = std::filesystem::canonical(own.dli_fname, none).parent_path();
    if (!none) {
      for (const char* folder : {".", "../lib", "../" GDR_LIBRARY_FOLDER}) places.push_back(beside / folder);
    }
  }
  places.emplace_back(GDR_INSTALLED_LIBRARIES);
  places.emplace_back(GDR_BUILT_LIBRARIES);
  return places;
}

/// Loaded once, and never unloaded: LLVM does not like it.
ImportFunction importer() {
  static const ImportFunction found = []() -> ImportFunction {
    for (const std::filesystem::path& place : library_places()) {
      void* library = dlopen((place / "libgdr_import.so").c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) return reinterpret_cast<ImportFunction>(dlsym(library, GDR_IMPORT_FUNCTION));
    }
    return nullptr;
  }();
  return found;
}

}  // namespace

bool available() { return importer() != nullptr; }

Imported import_ir(const std::string& code, const std::string& name, const std::string& function) {
  const ImportFunction import = importer();
  if (import == nullptr) throw Error("pair functions cannot be compiled: the library gdr_import is not found");
  Imported imported;
  import(code, name, function, imported);
  return imported;
}

}  // namespace gdr::compiler
