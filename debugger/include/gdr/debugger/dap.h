// The Debug Adapter Protocol for the debugger, for VS Code and other editors that support it. No input or output: the
// caller passes messages in, and a function sends the answers.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/debugger/debugger.h"

namespace gdr::debugger {

/// True if the message asks to stop the running operation: pause, disconnect or terminate.
[[nodiscard]] bool dap_interrupts(std::string_view message);

/// Arguments of a `launch` request; each comment has the name of the JSON field.
struct DapLaunch {
  std::string kernel;                   // `program`
  std::string i_file;                   // `i`
  std::string j_file;                   // `j`
  std::vector<std::string> parameters;  // `param`: NAME=NUMBER
  bool ignore_extra = false;            // `ignoreExtra`
  std::optional<std::uint64_t> turns;   // `turns`
  std::string machine = "model1800";    // `machine`
  unsigned boards = 1;                  // `boards`
  // How a source is assembled, as the options of `gdr as`.
  std::vector<std::string> definitions;  // `definitions`: in JSON an object of names and values; here NAME=VALUE
  std::vector<std::string> include_directories;  // `includePath`
  std::vector<std::string> warnings;             // `warnings`: arguments of -W
  bool compat_il = false;                        // `compatIl`
  std::string schedule;                          // `schedule`: list or full
  bool pipeline = false;                         // `pipeline`
  // How a function in C++ is compiled, as the options of `gdr cc`.
  std::uint64_t effort = 2;  // `effort`: that of -O
  std::uint64_t seed = 1;    // `seed`
  bool fast = false;         // `fast`
  std::string function;      // `function`
  // Of a kernel of experiments.
  std::optional<std::uint64_t> steps;       // `steps`
  std::optional<std::uint64_t> experiment;  // `experiment`: its number, from 0 on
  /// Called with the diagnostics of the source as compilers print them: FILE:LINE:COLUMN: error: MESSAGE.
  std::function<void(const std::string& diagnostics)> show_diagnostics{};
};
using DapLauncher = std::function<Job(const DapLaunch& launch)>;

class DapServer {
 public:
  /// `send` gets messages without headers; `interrupted` is called during a run, as for Debugger::set_interrupt().
  DapServer(DapLauncher launch, std::function<void(std::string_view message)> send, std::function<bool()> interrupted);
  ~DapServer();
  DapServer(const DapServer&) = delete;
  DapServer& operator=(const DapServer&) = delete;

  /// Answers one message. Returns false when the session is over. A faulty message gets an error as its answer.
  [[nodiscard]] bool handle(std::string_view message);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gdr::debugger
