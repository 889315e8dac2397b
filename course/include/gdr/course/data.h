// Data of an exercise and the results that the plain C++ reference computes from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/course/exercise.h"
#include "gdr/hostlib/table.h"

namespace gdr::course {

/// The numbers of one case. The same case and seed give the same numbers on every host.
struct CaseData {
  hostlib::Table i;  // ni rows; integers for variables of whole numbers
  hostlib::Table j;  // nj rows
  std::map<std::string, double> parameters;
};

/// Draws the numbers of a case. Those of case 0, which is shown, are multiples of 1/16 and do not depend on the seed.
/// `number` must be below exercise.cases.size().
[[nodiscard]] CaseData make_data(const Exercise& exercise, std::size_t number, std::uint64_t seed);

/// A correct result, and the scale of an error in it.
struct Expected {
  double value = 0;
  double scale = 0;  // sum of the magnitudes of the terms that were added up; of a minimum its own magnitude
};

/// Correct results, column by column, a row for each i-particle.
struct ExpectedColumn {
  std::string name;
  std::vector<Expected> rows;
};

/// Results of the exercise's reference in double precision, in the order of exercise.results.
[[nodiscard]] std::vector<ExpectedColumn> expected_results(const Exercise& exercise, const CaseData& data);

/// The files of a case with their tables: i.csv and j.csv, if it has such data, and results.csv.
[[nodiscard]] std::vector<std::pair<std::string, hostlib::Table>> tables_of(const Exercise& exercise,
                                                                            std::size_t number, std::uint64_t seed);

/// The values as a table, for results.csv.
[[nodiscard]] hostlib::Table table_of(const std::vector<ExpectedColumn>& expected);

}  // namespace gdr::course
