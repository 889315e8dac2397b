// Runs a submission on every case and finds the result that is furthest from the reference.
#include "gdr/course/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "gdr/assembler/analysis.h"
#include "gdr/assembler/assembler.h"
#include "gdr/base/digest.h"
#include "gdr/base/error.h"
#include "gdr/course/data.h"
#include "gdr/hostlib/device.h"

namespace gdr::course {
namespace {

using hostlib::Column;
using hostlib::ColumnType;
using hostlib::NumberType;
using hostlib::Table;
using isa::Transfer;

std::string sha256_of(std::string_view bytes) { return base::sha256_hex(std::as_bytes(std::span(bytes))); }

/// Lines of a section, and how many its operations need at least: the analyser's limit for it as a loop body.
void count_section(isa::Program program, isa::Section section, Lines& counted) {
  program.steps(isa::Section::loop_body) = program.steps(section);
  const assembler::Analysis analysis = assembler::analyse(program);
  counted.lines += analysis.lines;
  counted.bound += analysis.least_lines();
}

Lines lines_of(const isa::Program& program, Counted which) {
  Lines counted;
  if (which == Counted::all_sections) {
    count_section(program, isa::Section::initialization, counted);
    count_section(program, isa::Section::loop_initialization, counted);
    count_section(program, isa::Section::loop_termination, counted);
  }
  const assembler::Analysis body = assembler::analyse(program);
  counted.lines += body.lines;
  counted.bound += body.least_lines();
  counted.clocks = body.bound.clocks();
  counted.clocks_bound = body.bound.bound();
  return counted;
}

std::string names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns()) names.push_back(column.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

/// The columns that the program takes, in its order and with its types.
Table taken(const isa::Program& program, Transfer transfer, const Table& given, std::string_view what) {
  Table table;
  for (const ColumnType& wanted : hostlib::columns_of(program, transfer)) {
    const auto column = std::ranges::find(given.columns(), wanted.name, &Column::name);
    if (column == given.columns().end()) {
      throw Error(fmt::format("the exercise has no {} '{}', which the kernel declares; it has {}", what, wanted.name,
                              names_of(given)));
    }
    if (wanted.type == column->type()) {
      table.add(wanted.name, column->numbers);
    } else if (wanted.type == NumberType::real) {
      const auto& wholes = std::get<std::vector<std::int64_t>>(column->numbers);
      table.add(wanted.name, std::vector<double>(wholes.begin(), wholes.end()));
    } else {
      throw Error(
          fmt::format("{} '{}' are real numbers, but the kernel declares them as whole ones", what, wanted.name));
    }
  }
  return table;
}

/// One run's results: the words of the exercise's columns, with their types.
struct RunResults {
  std::vector<ColumnType> columns;
  std::vector<std::vector<std::uint64_t>> words;  // of each column, row after row

  [[nodiscard]] double number(std::size_t column, std::size_t row) const {
    const std::uint64_t word = words[column][row];
    return columns[column].type == NumberType::real ? std::bit_cast<double>(word)
                                                    : static_cast<double>(static_cast<std::int64_t>(word));
  }
};

/// Throws gdr::Error if the kernel cannot run on these data or lacks a result.
RunResults run(const isa::Program& program, const CaseData& data, std::size_t nj,
               const std::vector<ExpectedColumn>& wanted, const JudgeOptions& options, std::uint64_t& events) {
  if (program.is_type2())
    throw Error("the kernel moves data itself (Type II); the exercises are for kernels of Type I");
  const std::vector<ColumnType> made = hostlib::columns_of(program, Transfer::rrn);
  RunResults results;
  std::vector<std::size_t> fields;
  for (const ExpectedColumn& column : wanted) {
    const auto found = std::ranges::find(made, column.name, &ColumnType::name);
    if (found == made.end()) throw Error(fmt::format("the kernel has no result '{}'", column.name));
    results.columns.push_back(*found);
    fields.push_back(static_cast<std::size_t>(found - made.begin()));
  }
  const Table i = taken(program, Transfer::hlt, data.i, "i-data");
  const Table j = taken(program, Transfer::elt, data.j, "j-data");
  DeviceOptions chosen;
  chosen.threads = options.threads;
  Device device(chosen);
  device.follow_events();
  device.load(program);
  for (const auto& [name, value] : data.parameters) device.set_parameter(name, value);
  device.write_j(0, hostlib::fields_of(j));
  const std::vector<std::uint64_t> records = device.run(hostlib::fields_of(i), nj);
  const emulator::FpEvents counted = device.events().counts;
  events += counted.invalid + counted.overflow + counted.underflow;
  // A kernel without i-data runs once, for all places of i-particles.
  const std::size_t rows = records.size() / made.size();
  for (const std::size_t field : fields) {
    std::vector<std::uint64_t>& words = results.words.emplace_back();
    for (std::size_t row = 0; row < data.i.rows(); ++row) words.push_back(records[row % rows * made.size() + field]);
  }
  return results;
}

/// Relative to the magnitudes of the terms. NaN, and anything but the right number where there are no terms, are
/// infinitely wrong.
double error_of(double got, const Expected& wanted) {
  if (got == wanted.value) return 0;
  const double error = std::abs(got - wanted.value) / wanted.scale;
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

void compare(const RunResults& results, const std::vector<ExpectedColumn>& wanted, std::size_t test_case,
             Verdict& verdict) {
  for (std::size_t column = 0; column < wanted.size(); ++column) {
    for (std::size_t row = 0; row < wanted[column].rows.size(); ++row) {
      const Expected& right = wanted[column].rows[row];
      const double got = results.number(column, row);
      const double error = error_of(got, right);
      ++verdict.results;
      if (!verdict.worst || error > verdict.worst->error) {
        verdict.worst = Worst{test_case, wanted[column].name, row, got, right.value, error};
      }
    }
  }
}

std::string bytes_of(const RunResults& results) {
  std::string bytes;
  for (const std::vector<std::uint64_t>& column : results.words) {
    for (const std::uint64_t word : column) {
      for (unsigned shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(word >> shift & 0xff));
    }
  }
  return bytes;
}

std::string case_text(const Exercise& exercise, std::size_t number) {
  return number == 0 ? std::string("in the shown data")
                     : fmt::format("in hidden case {} ({} i-particles, {} j-particles)", number,
                                   exercise.cases[number].ni, exercise.cases[number].nj);
}

/// Runs all cases. On the first that cannot run, the outcome is run_error.
void run_all(const Exercise& exercise, const isa::Program& program, const JudgeOptions& options, Verdict& verdict) {
  std::string words;
  for (std::size_t number = 0; number < exercise.cases.size(); ++number) {
    const CaseData data = make_data(exercise, number, options.seed);
    const std::vector<ExpectedColumn> wanted = expected_results(exercise, data);
    try {
      const RunResults results = run(program, data, exercise.cases[number].nj, wanted, options, verdict.events);
      words += bytes_of(results);
      compare(results, wanted, number, verdict);
      ++verdict.cases;
    } catch (const Error& error) {
      verdict.outcome = Outcome::run_error;
      verdict.message = fmt::format("{}: {}", case_text(exercise, number), error.what());
      verdict.worst.reset();
      break;
    }
  }
  verdict.results_sha256 = sha256_of(words);
}

void decide(const Exercise& exercise, Verdict& verdict) {
  const Worst& worst = *verdict.worst;
  if (!(worst.error <= exercise.tolerance)) {
    verdict.outcome = Outcome::wrong_answer;
    verdict.message = fmt::format("{} of i-particle {} {} is {:.10g} instead of {:.10g}", worst.column, worst.row,
                                  case_text(exercise, worst.test_case), worst.got, worst.wanted);
  } else if (exercise.most_lines && verdict.lines->lines > *exercise.most_lines) {
    verdict.outcome = Outcome::limit;
    verdict.message = fmt::format("all results are right, but the kernel has {} lines; {} are allowed",
                                  verdict.lines->lines, *exercise.most_lines);
  }
}

/// What decides about a submission, as text of a fixed form. Messages are not in it: they name files.
std::string hash_of(const Verdict& verdict) {
  std::string text = fmt::format("gdr verdict 1\nexercise {}\nseed {}\nsubmission {}\noutcome {}\n", verdict.exercise,
                                 verdict.seed, verdict.submission_sha256, name_of(verdict.outcome));
  if (verdict.lines) {
    text += fmt::format("lines {}\nbound {}\nclocks {}\n", verdict.lines->lines, verdict.lines->bound,
                        verdict.lines->clocks);
  }
  return sha256_of(text + fmt::format("cases {}\nresults {}\n", verdict.cases, verdict.results_sha256));
}

}  // namespace

Submission assembled(std::string source, std::string_view name) {
  assembler::AssembleResult result = assembler::assemble(source, name);
  return {std::move(source), std::move(result.program), assembler::format_diagnostics(result)};
}

Verdict judge(const Exercise& exercise, const Submission& submission, const JudgeOptions& options) {
  Verdict verdict;
  verdict.exercise = exercise.name;
  verdict.seed = options.seed;
  verdict.messages = submission.messages;
  verdict.submission_sha256 = sha256_of(submission.source);
  if (submission.program) {
    verdict.lines = lines_of(*submission.program, exercise.counted);
    run_all(exercise, *submission.program, options, verdict);
    if (verdict.outcome == Outcome::accepted) decide(exercise, verdict);
  } else {
    verdict.outcome = Outcome::compile_error;
    verdict.message = "the source has errors";
  }
  verdict.hash = hash_of(verdict);
  return verdict;
}

}  // namespace gdr::course
