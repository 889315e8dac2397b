// The Language Server Protocol for assembly source. It reads included files and does no other input or output: the
// caller passes messages in as text, and a function sends the answers.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "gdr/assembler/assembler.h"

namespace gdr::editor {

class LanguageServer {
 public:
  /// `options` are in use until the client sends settings, which are added to them. `send` gets messages without
  /// headers.
  LanguageServer(assembler::AssembleOptions options, std::function<void(std::string_view message)> send);
  ~LanguageServer();
  LanguageServer(const LanguageServer&) = delete;
  LanguageServer& operator=(const LanguageServer&) = delete;

  /// Answers one message. Returns false after the client has sent `exit`. A faulty message gets an error as its answer.
  [[nodiscard]] bool handle(std::string_view message);
  /// Sends the diagnostics of all changed documents. Call it when no message is waiting.
  void settle();
  /// True if the client asked for `shutdown` before it sent `exit` or closed the stream.
  [[nodiscard]] bool was_shut_down() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace gdr::editor
