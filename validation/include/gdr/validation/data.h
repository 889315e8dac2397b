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

/// Numbers that a source prints and that no row compares.
struct NotCompared {
  std::string source;    // key of Data::sources
  std::string citation;  // as a reader cites it
  std::string printed;   // the numbers, with their units
  std::string because;   // the reason
};

struct Data {
  std::vector<Row> rows;                  // in the order of the file, the parts of a row one after another
  std::vector<NotCompared> not_compared;  // in the order of the file
  std::map<std::string, Source> sources;
  std::map<Role, std::string> roles;            // the meaning of every role
  std::map<std::string, std::string> sections;  // their titles, in the order of their keys
};

/// Parses the text of the file `name`. Every row's model must be one of `models`, and its case must have the fields
/// that the model takes. Throws gdr::Error with file, line and reason.
[[nodiscard]] Data parse_data(std::string_view text, const std::string& name, const Models& models);

/// docs/validation.toml of the first data directory that has it. Throws as parse_data().
[[nodiscard]] Data read_data(const Models& models);

}  // namespace gdr::validation
