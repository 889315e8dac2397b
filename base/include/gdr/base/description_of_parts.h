// Descriptions composed of others: a cluster names its boards, its hosts and its network.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"

namespace gdr::base {

struct KindOfParts {
  DescriptionKind kind;
  std::vector<std::string> parts;  // keys of the table [parts]; each value is a description's name or file
};

struct DescriptionOfParts {
  Description description;
  std::map<std::string, std::string> parts;  // by key; names of files are relative to the working directory
};

/// As parse_description() and load_description(), for files with a table [parts], in which all keys of the kind are
/// required. A part whose name ends in .toml is a file in the description's folder.
[[nodiscard]] DescriptionOfParts parse_description_of_parts(std::string_view text, std::string_view name,
                                                            const KindOfParts& kind);
[[nodiscard]] DescriptionOfParts load_description_of_parts(std::string_view name_or_file, const KindOfParts& kind);

/// True if the file says that it is of this kind; false also if it cannot be read.
[[nodiscard]] bool is_of_kind(std::string_view file, std::string_view kind);

}  // namespace gdr::base
