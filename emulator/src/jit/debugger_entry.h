// Compiled loop bodies as debuggers see them.
#pragma once

#include <string>

namespace gdr::emulator::jit {

/// If on, functions of bodies and their source lines are shown to debuggers.
inline constexpr const char* kDebuggerVariable = "GDR_GDB";

/// Shows an object file to debuggers as long as this object exists.
class DebuggerEntry {
 public:
  /// `code`: start of the code that the object file belongs to.
  DebuggerEntry(std::string object, const void* code);
  ~DebuggerEntry();
  DebuggerEntry(const DebuggerEntry&) = delete;
  DebuggerEntry& operator=(const DebuggerEntry&) = delete;

 private:
  std::string object_;
  void* shown_ = nullptr;
};

}  // namespace gdr::emulator::jit
