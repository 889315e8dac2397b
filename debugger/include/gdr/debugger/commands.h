// The debugger's commands as lines of text, used by people, scripts and an editor's console alike.
#pragma once

#include <string>
#include <string_view>

#include "gdr/debugger/debugger.h"

namespace gdr::debugger {

struct Reply {
  std::string text;  // lines, each with its line break
  bool quit = false;
};

class Commands {
 public:
  /// The debugger must outlive this object.
  explicit Commands(Debugger& debugger) : debugger_(debugger) {}

  /// Executes a command. Empty lines and lines that begin with # do nothing. Throws gdr::Error if the command cannot be
  /// executed, and for `assert` if its expression is false.
  Reply execute(std::string_view line);
  /// The current position, with its source line.
  [[nodiscard]] std::string where() const;
  /// All named words of the focused element, as `gdr run --break` prints them.
  [[nodiscard]] std::string state() const;

 private:
  Debugger& debugger_;
};

/// Help text: one line for each command.
[[nodiscard]] std::string_view command_help();

/// `x = 1.5  [0.5 1.5 2.5 3.5]`: a word of the focus; for a vector, followed by the words of all four elements.
[[nodiscard]] std::string text_of(const Debugger& debugger, const Symbol& symbol, unsigned entry, unsigned element,
                                  Format format);

}  // namespace gdr::debugger
