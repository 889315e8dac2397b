// The header gdr/kernel.h as clang has read it (a precompiled header), kept from one process to the next.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::compiler {

/// True if a source has nothing but comments before `#include <gdr/kernel.h>`, so that clang may read the header before
/// the source. False for some texts that would do, such as comments with a backslash, which may continue a line.
[[nodiscard]] bool begins_with_kernel_header(std::string_view source);

/// What clang makes of the header by one command. An entry counts as missing if it is damaged, if another user could
/// have written it, or if clang or one of the headers is no longer the file that it was.
class HeaderCache {
 public:
  /// `command`: the program and the arguments by which it reads the header.
  explicit HeaderCache(const std::vector<std::string>& command);

  /// The header; empty text if clang could not read it in advance less than a day ago.
  [[nodiscard]] std::optional<std::string> find() const;
  /// False if keep() would keep nothing: making the header would be in vain. Makes the folder if it is missing.
  [[nodiscard]] bool can_keep() const;
  /// Keeps a header that clang has made of `files`, or empty text: that it could not. It is no error if it cannot be
  /// written. If there are more than kMostEntries entries, the oldest ones are removed.
  static constexpr std::size_t kMostEntries = 4;  // of 3 MB each
  void keep(std::string_view header, const std::vector<std::string>& files) const;
  void remove() const;

 private:
  std::string program_;         // path of its file; empty if it is not found
  std::string key_;             // digest of the command
  std::filesystem::path path_;  // of the entry; empty if nothing can be kept
};

}  // namespace gdr::compiler
