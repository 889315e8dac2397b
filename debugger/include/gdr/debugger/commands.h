// The commands of the debugger as lines of text, for a person, a script and an editor's console alike.
#pragma once

#include <string>
#include <string_view>

#include "gdr/debugger/debugger.h"

namespace gdr::debugger {

struct Reply {
  std::string text;  // lines, each with its end
  bool quit = false;
};

class Commands {
 public:
  /// The debugger must outlive it.
  explicit Commands(Debugger& debugger) : debugger_(debugger) {}

  /// Empty lines and those that begin with # do nothing. Throws gdr::Error for what cannot be done, and for `assert` of
  /// an expression that is false.
  Reply execute(std::string_view line);
  /// Where it stands, with the source.
  [[nodiscard]] std::string where() const;
  /// All named words of the element: what `gdr run --break` prints.
  [[nodiscard]] std::string state() const;

 private:
  Debugger& debugger_;
};

/// All commands, one a line.
[[nodiscard]] std::string_view command_help();

/// `x = 1.5  [0.5 1.5 2.5 3.5]`: a word of the focus; of a vector, the words of all four elements behind it.
[[nodiscard]] std::string text_of(const Debugger& debugger, const Symbol& symbol, unsigned entry, unsigned element,
                                  Format format);

}  // namespace gdr::debugger
