// docs/validation.toml as typed rows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/validation/models.h"
#include "gdr/validation/row.h"

namespace gdr::validation {

struct Source {
  std::string name;  // short
  std::string full;
};

struct Data {
  std::vector<Row> rows;  // in the file's order, parts after one another
  std::map<std::string, Source> sources;
  std::map<Role, std::string> roles;            // what each means; all of them
  std::map<std::string, std::string> sections;  // their titles, in the order of their keys
};

/// The text of a file `name`. Every row's model is one of `models` and its case gives what that takes. Throws
/// gdr::Error with file, line and what is wrong.
[[nodiscard]] Data parse_data(std::string_view text, const std::string& name, const Models& models);

/// docs/validation.toml of the first data directory that has it. Throws as parse_data().
[[nodiscard]] Data read_data(const Models& models);

}  // namespace gdr::validation
