// Draws the data of a case, and has the reference compute the results.
#include "gdr/course/data.h"

#include <cmath>
#include <random>
#include <variant>

#include "gdr/base/error.h"
#include "reference.h"

namespace gdr::course {
namespace {

constexpr double kShownStep = 1.0 / 16;  // of the numbers that are shown, which people compute with

std::vector<std::string> columns_of(const std::string& name, unsigned elements) {
  if (elements == 0) return {name};
  std::vector<std::string> names;
  for (unsigned n = 0; n < elements; ++n) names.push_back(name + "[" + std::to_string(n) + "]");
  return names;
}

/// FNV-1a [Fowler, Noll, Vo]: each column of each case has a seed of its own.
std::uint64_t seed_of(const std::string& column, std::size_t number, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (const char c : column) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash ^ number) * 0x100000001b3;
}

std::vector<double> drawn(const DataVariable& variable, const std::string& column, std::size_t rows, std::size_t number,
                          std::uint64_t seed) {
  const bool shown = number == 0;
  std::mt19937_64 engine(seed_of(column, number, shown ? 0 : seed));
  const double step = variable.whole ? 1 : shown && variable.step == 0 ? kShownStep : variable.step;
  std::vector<double> numbers(rows);
  for (double& value : numbers) {
    // 53 random bits: every host draws the same.
    const double offset = static_cast<double>(engine() >> 11) * 0x1p-53 * (variable.to - variable.from);
    value = variable.from + (step > 0 ? std::floor(offset / step) * step : offset);
  }
  return numbers;
}

void add(hostlib::Table& table, const DataVariable& variable, const std::string& column, std::vector<double> numbers) {
  if (!variable.whole) return table.add(column, std::move(numbers));
  std::vector<std::int64_t> wholes;
  for (const double value : numbers) wholes.push_back(static_cast<std::int64_t>(value));
  table.add(column, std::move(wholes));
}

Columns columns_of(const hostlib::Table& table) {
  Columns columns;
  for (const hostlib::Column& column : table.columns()) {
    std::visit([&](const auto& numbers) { columns[column.name].assign(numbers.begin(), numbers.end()); },
               column.numbers);
  }
  return columns;
}

}  // namespace

CaseData make_data(const Exercise& exercise, std::size_t number, std::uint64_t seed) {
  GDR_ASSERT(number < exercise.cases.size(), "a case is asked for that the exercise has");
  const Case& wanted = exercise.cases[number];
  CaseData data;
  data.parameters = wanted.parameters;
  for (const DataVariable& variable : exercise.j) {
    for (const std::string& column : columns_of(variable.name, variable.elements)) {
      add(data.j, variable, column, drawn(variable, column, wanted.nj, number, seed));
    }
  }
  const Columns j = columns_of(data.j);
  for (const DataVariable& variable : exercise.i) {
    for (const std::string& column : columns_of(variable.name, variable.elements)) {
      std::vector<double> numbers = drawn(variable, column, wanted.ni, number, seed);
      if (!variable.same_as.empty() && wanted.nj > 0) {
        const std::vector<double>& same = j.at(variable.same_as + column.substr(variable.name.size()));
        for (std::size_t n = 0; n < wanted.ni; ++n) numbers[n] = same[n % wanted.nj];
      }
      add(data.i, variable, column, std::move(numbers));
    }
  }
  return data;
}

std::vector<ExpectedColumn> expected_results(const Exercise& exercise, const CaseData& data) {
  std::vector<std::string> names;
  for (const ResultVariable& result : exercise.results) {
    for (std::string& column : columns_of(result.name, result.elements)) names.push_back(std::move(column));
  }
  const Data numbers{columns_of(data.i), columns_of(data.j), data.i.rows(), data.j.rows(), data.parameters};
  Results results(names, numbers.ni);
  reference_of(exercise.name)(numbers, results);
  std::vector<ExpectedColumn> expected;
  for (const std::string& name : names) expected.push_back({name, results.column(name)});
  return expected;
}

hostlib::Table table_of(const std::vector<ExpectedColumn>& expected) {
  hostlib::Table table;
  for (const ExpectedColumn& column : expected) {
    std::vector<double> values;
    for (const Expected& row : column.rows) values.push_back(row.value);
    table.add(column.name, std::move(values));
  }
  return table;
}

std::vector<std::pair<std::string, hostlib::Table>> tables_of(const Exercise& exercise, std::size_t number,
                                                              std::uint64_t seed) {
  const CaseData data = make_data(exercise, number, seed);
  std::vector<std::pair<std::string, hostlib::Table>> tables{
      {"i.csv", data.i}, {"j.csv", data.j}, {"results.csv", table_of(expected_results(exercise, data))}};
  std::erase_if(tables, [](const auto& table) { return table.second.columns().empty(); });
  return tables;
}

}  // namespace gdr::course
