// Messages of an editor on standard input.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "gdr/base/message_framing.h"

namespace gdr::commandline {

class MessageInput {
 public:
  /// Waits for the next message; nothing at the end of the input. Throws gdr::Error as MessageFraming.
  [[nodiscard]] std::optional<std::string> next();
  /// The messages that have arrived and that next() has not returned yet; reads without waiting.
  [[nodiscard]] const std::deque<std::string>& arrived();
  /// True if next() would wait.
  [[nodiscard]] bool is_empty() const { return waiting_.empty(); }
  /// True at the end of the input, as far as it was read.
  [[nodiscard]] bool ended() const { return ended_; }

 private:
  /// False at the end of the input.
  bool read_some();

  base::MessageFraming framing_;
  std::deque<std::string> waiting_;
  bool ended_ = false;
};

/// Sends a message to the editor, on standard output.
void send_message(std::string_view message);

}  // namespace gdr::commandline
