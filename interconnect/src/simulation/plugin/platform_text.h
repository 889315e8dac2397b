// What happens to the text of a platform of SimGrid before SimGrid reads it.
#pragma once

#include <string>
#include <string_view>

namespace gdr::interconnect {

/// The text with blanks for comments, so that lines keep their numbers.
[[nodiscard]] std::string without_comments(std::string_view text);

/// A text without comments, with blanks for settings of SimGrid (<config>), by which a platform could have files
/// written. Throws gdr::Error with the name of the file if what is left still has such a setting, as in a value, or if
/// one does not end.
[[nodiscard]] std::string without_settings(const std::string& file, std::string_view text);

/// Least number of hosts of a platform without comments: of single hosts, and of the radicals of clusters, such as
/// "0-15,20". SimGrid itself makes them all before it can be asked, and ends the process when memory is exhausted.
/// Throws gdr::Error with the name of the file for a radical that cannot be counted.
[[nodiscard]] double hosts_named(const std::string& file, std::string_view text);

/// A text in memory, as a file that SimGrid can open: what it reads is what was checked.
class TextAsFile {
 public:
  /// Throws gdr::Error with the name of the file if there is no memory for it.
  TextAsFile(const std::string& file, std::string_view text);
  ~TextAsFile();
  TextAsFile(const TextAsFile&) = delete;
  TextAsFile& operator=(const TextAsFile&) = delete;

  /// The same in processes that this one starts.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace gdr::interconnect
