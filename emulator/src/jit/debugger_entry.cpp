#include "debugger_entry.h"

#include <utility>

#include "gdr/base/plugin.h"
#include "jit/plugin/compile.h"

namespace gdr::emulator::jit {
DebuggerEntry::DebuggerEntry(std::string object, const void* code) : object_(std::move(object)) {
  const auto show = GDR_PLUGIN_FUNCTION("libgdr_jit.so", GDR_JIT_SHOW);
  if (show != nullptr) shown_ = show(object_.data(), object_.size(), code);
}

DebuggerEntry::~DebuggerEntry() {
  if (shown_ != nullptr) GDR_PLUGIN_FUNCTION("libgdr_jit.so", GDR_JIT_HIDE)(shown_);
}

}  // namespace gdr::emulator::jit
