#include "host_functions.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "gdr/base/error.h"
#include "gdr/base/file.h"

namespace gdr::compiler_testing {
namespace {

void run_clang(const std::string& arguments) {
  const std::string command =
      fmt::format("{} -std=c++20 -O2 -g -fno-math-errno -ffp-contract=off -I{} {}", GDR_CLANG, GDR_HEADERS, arguments);
  if (std::system(command.c_str()) != 0) throw Error("clang refuses: " + command);
}

std::string code_of(const std::filesystem::path& source, const std::filesystem::path& out, const char* form) {
  run_clang(
      fmt::format("-D__GDR__ -fno-vectorize -fno-slp-vectorize -fno-exceptions -fstandalone-debug -mllvm "
                  "-unroll-threshold=20000 -emit-llvm {} -o {} {}",
                  form, out.string(), source.string()));
  return base::read_file(out);
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

HostFunctions::HostFunctions(const std::string& source) {
  base::write_file(folder_ / "all.cc", source);
  run_clang(fmt::format("-shared -fPIC -o {} {}", (folder_ / "all.so").string(), (folder_ / "all.cc").string()));
  bitcode_ = code_of(folder_ / "all.cc", folder_ / "all.bc", "-c");
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
  return code_of(folder / "one.cc", folder / "one.out", text ? "-S" : "-c");
}

}  // namespace gdr::compiler_testing
