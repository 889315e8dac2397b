#include "host_functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "import/importer.h"
#include "programs/clang.h"

namespace gdr::compiler_testing {
namespace {

void make_library(const std::filesystem::path& library, const std::filesystem::path& source, HostCompiler compiler) {
  const bool plain = compiler == HostCompiler::plain;
  const std::string command = fmt::format(
      "{} -std=c++20 {} -fno-math-errno -ffp-contract=off -w -I{} -shared -fPIC -o {} {}",
      plain ? GDR_HOST_COMPILER : GDR_CLANG, plain ? "-O0" : "-O2", GDR_HEADERS, library.string(), source.string());
  if (std::system(command.c_str()) != 0) throw Error("the host's compiler refuses: " + command);
}

/// As gdr cc has clang make it.
std::string code_of(const std::filesystem::path& source, const std::vector<std::string>& arguments) {
  const compiler::ClangOutput output = compiler::run_clang(source, arguments);
  if (output.bitcode.empty()) throw Error("clang refuses: " + output.messages);
  return compiler::optimised(output.bitcode);
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "gdr-pair-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error("no folder can be made: " + name);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

HostFunctions::HostFunctions(const std::string& source, HostCompiler compiler) {
  base::write_file(folder_ / "all.cc", source);
  make_library(folder_ / "all.so", folder_ / "all.cc", compiler);
  bitcode_ = code_of(folder_ / "all.cc", {});
  library_ = dlopen((folder_ / "all.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) throw Error(dlerror());
}

HostFunctions::~HostFunctions() {
  if (library_ != nullptr) dlclose(library_);
}

void* HostFunctions::symbol(const std::string& name) const {
  void* found = dlsym(library_, name.c_str());
  if (found == nullptr) throw Error("no symbol " + name);
  return found;
}

std::string llvm_code(const std::string& source, bool text) {
  const Folder folder;
  base::write_file(folder / "one.cc", source);
  return code_of(folder / "one.cc", text ? std::vector<std::string>{"-S"} : std::vector<std::string>{});
}

}  // namespace gdr::compiler_testing
