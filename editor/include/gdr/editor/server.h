// The Language Server Protocol for assembly source. No input or output but included files: messages come in as text and
// go out through a function.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "gdr/assembler/assembler.h"

namespace gdr::editor {

class LanguageServer {
 public:
  /// `options` hold until the client sends settings of its own, which are added to them. `send` gets messages without
  /// headers.
  LanguageServer(assembler::AssembleOptions options, std::function<void(std::string_view message)> send);
  ~LanguageServer();
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  /// Answers one message; false when the client has said `exit`. What is wrong with a message is its answer.
  [[nodiscard]] bool handle(std::string_view message);
  /// Sends the diagnostics of all that has changed; to be called when no message waits.
  void settle();
  /// True if the client asked for `shutdown` before it said `exit` or closed the stream.
  [[nodiscard]] bool was_shut_down() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gdr::editor
