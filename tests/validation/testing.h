// What the tests of this component share: models that answer at once, and the head of a data file.
#pragma once

#include <string>
#include <vector>

#include "gdr/validation/data.h"

namespace gdr::validation {

/// "size" gives the case's side, "yes" true, "no" false, "nothing" nothing, "doubled" twice the published number.
inline Models simple_models() {
  return Models(std::vector<Model>{
      {"size", {CaseField::side}, [](const Row& row) -> Ours { return static_cast<double>(*row.what.side); }},
      {"yes", {}, [](const Row&) -> Ours { return true; }},
      {"no", {}, [](const Row&) -> Ours { return false; }},
      {"nothing", {}, [](const Row&) -> Ours { return {}; }},
      {"doubled", {}, [](const Row& row) -> Ours { return 2 * *row.published; }}});
}

/// Everything but rows.
inline const std::string kHead = R"([roles]
calibration = "c"
consistency = "k"
identity = "i"
input = "n"
prediction = "p"
reading = "r"
target = "t"
[sections]
first = "First things"
last = "Last things"
[sources.book]
short = "Book 1999"
full = "A. Author: Book, 1999"
)";

inline Data parse(const std::string& rows) { return parse_data(kHead + rows, "rows.toml", simple_models()); }

}  // namespace gdr::validation
