// Exercises of the course: what a kernel is to compute, on which data, and how well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::course {

/// A variable of an exercise's i- or j-data, and how its numbers are drawn.
struct DataVariable {
  std::string name;
  unsigned elements = 0;  // 0: a single number, column `name`; else the columns `name[0]`, `name[1]`, ...
  double from = 0;        // numbers are drawn evenly from [from, to)
  double to = 1;
  double step = 0;      // above 0: only `from` plus multiples of it
  bool whole = false;   // whole numbers
  std::string same_as;  // i-data only: a variable of the j-data; i-particle n has the number of j-particle n mod nj
};

struct ResultVariable {
  std::string name;
  unsigned elements = 0;  // as in DataVariable
};

/// Sizes and parameters of one run.
struct Case {
  std::size_t ni = 0;                        // 1 to 4096
  std::size_t nj = 0;                        // 0 to 16384
  std::map<std::string, double> parameters;  // all parameters of the exercise
};

/// The lines that are counted, compared with par and limited.
enum class Counted : std::uint8_t { loop_body, all_sections };
/// The name as in exercise.toml: `loop body`.
[[nodiscard]] std::string_view name_of(Counted counted);

struct Exercise {
  std::string name;     // of its folder
  unsigned number = 0;  // in the course, from 1
  std::string title;
  std::vector<DataVariable> i;
  std::vector<DataVariable> j;
  std::vector<ResultVariable> results;
  double tolerance = 0;  // largest error of a result, relative to the sum of its terms' magnitudes
  Counted counted = Counted::loop_body;
  unsigned par = 0;                    // lines of the solution
  unsigned bound = 0;                  // lines that no order of the solution's operations goes below
  std::optional<unsigned> most_lines;  // a kernel with more is not accepted
  std::vector<Case> cases;             // case 0 is shown, the others are hidden
  std::vector<std::string> hints;      // each says more than the one before
  std::string task;                    // Markdown
};

/// Names of all exercises in the order of the course. Throws gdr::Error if course/course.toml is not found or wrong.
[[nodiscard]] std::vector<std::string> exercise_names();

/// The same with numbers and lines, a row each, for a terminal.
[[nodiscard]] std::string list_of_exercises();

/// The exercise of this name, or of this number in the course. Throws gdr::Error with the known names for any other,
/// and `FILE:LINE: ...` with key, value and allowed range if its description is wrong.
[[nodiscard]] Exercise load_exercise(std::string_view name_or_number);

/// A source to begin with: the declarations of the exercise's data and parameters, and empty sections.
[[nodiscard]] std::string starting_source(const Exercise& exercise);

/// The path of one of an exercise's files, such as `solution.vsm`. Throws gdr::Error if it is not found.
[[nodiscard]] std::string exercise_file(const Exercise& exercise, std::string_view file);

}  // namespace gdr::course
