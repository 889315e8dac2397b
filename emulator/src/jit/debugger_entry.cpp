#include "debugger_entry.h"

#include <utility>

#include "../../jit/compile.h"
#include "gdr/base/plugin.h"

namespace gdr::emulator::jit {
namespace {

template <class Function>
Function of_library(const char* name) {
  return reinterpret_cast<Function>(base::plugin_function("libgdr_jit.so", name));
}

}  // namespace

DebuggerEntry::DebuggerEntry(std::string object, const void* code) : object_(std::move(object)) {
  const auto show = of_library<GdrJitShow>(GDR_JIT_SHOW);
  if (show != nullptr) shown_ = show(object_.data(), object_.size(), code);
}

DebuggerEntry::~DebuggerEntry() {
  if (shown_ != nullptr) of_library<GdrJitHide>(GDR_JIT_HIDE)(shown_);
}

}  // namespace gdr::emulator::jit
