// The Language Server Protocol for assembly source. It reads included files and does no other input or output: the
// caller passes messages in as text, and a function sends the answers.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "gdr/assembler/assembler.h"

namespace gdr::editor {

/// Compiles a pair function in another language, from the file as it is saved. The diagnostics of the result have the
/// number 0 and name its files, one of which is `path`.
using Compiler = std::function<assembler::AssembleResult(const std::filesystem::path& path)>;

class LanguageServer {
 public:
  /// `options` are in use until the client sends settings, which are added to them. `send` gets messages without
  /// headers. Without `compiler`, the server knows assembly only.
  LanguageServer(assembler::AssembleOptions options, std::function<void(std::string_view message)> send,
                 Compiler compiler = {});
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
