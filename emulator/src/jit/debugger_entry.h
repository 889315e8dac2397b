// Compiled loop bodies as debuggers see them.
#pragma once

#include <string>

namespace gdr::emulator::jit {

/// On: functions of bodies and their lines in the source are shown to debuggers.
inline constexpr const char* kDebuggerVariable = "GDR_GDB";

/// Shows an object file to debuggers, as long as it lives.
class DebuggerEntry {
 public:
  /// `code`: where the code that the object belongs to stands.
  DebuggerEntry(std::string object, const void* code);
  ~DebuggerEntry();
  DebuggerEntry(const DebuggerEntry&) = delete;
  DebuggerEntry& operator=(const DebuggerEntry&) = delete;

 private:
  std::string object_;
  void* shown_ = nullptr;
};

}  // namespace gdr::emulator::jit
