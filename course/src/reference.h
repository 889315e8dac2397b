// What the references of the exercises are written with. Each is one function in course/exercises/NAME/reference.cpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/course/data.h"

namespace gdr::course {

/// Numbers by the names of their columns.
using Columns = std::map<std::string, std::vector<double>, std::less<>>;

/// Row `n` of the columns `name[0]` to `name[2]`.
struct Vector {
  double x = 0;
  double y = 0;
  double z = 0;
  friend Vector operator-(const Vector& a, const Vector& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vector operator*(double a, const Vector& b) { return {a * b.x, a * b.y, a * b.z}; }
  friend double dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
};

[[nodiscard]] inline Vector abs(const Vector& v) { return {std::abs(v.x), std::abs(v.y), std::abs(v.z)}; }

struct Data {
  Columns i;
  Columns j;
  std::size_t ni = 0;
  std::size_t nj = 0;
  std::map<std::string, double> parameters;
};

[[nodiscard]] inline Vector vector_of(const Columns& columns, const std::string& name, std::size_t n) {
  return {columns.at(name + "[0]")[n], columns.at(name + "[1]")[n], columns.at(name + "[2]")[n]};
}

/// Results that the reference fills: one number for each column and i-particle, 0 at first.
class Results {
 public:
  Results(const std::vector<std::string>& columns, std::size_t rows) {
    for (const std::string& column : columns) columns_[column].resize(rows);
  }
  /// Adds a term to a sum. `magnitude` is that of the numbers that the term is a sum of itself.
  void add(const std::string& column, std::size_t row, double term, double magnitude) {
    Expected& sum = columns_.at(column)[row];
    sum.value += term;
    sum.scale += magnitude;
  }
  void add(const std::string& column, std::size_t row, double term) { add(column, row, term, std::abs(term)); }
  void add(const std::string& name, std::size_t row, const Vector& term) {
    add(name + "[0]", row, term.x);
    add(name + "[1]", row, term.y);
    add(name + "[2]", row, term.z);
  }
  void add(const std::string& name, std::size_t row, const Vector& term, const Vector& magnitude) {
    add(name + "[0]", row, term.x, magnitude.x);
    add(name + "[1]", row, term.y, magnitude.y);
    add(name + "[2]", row, term.z, magnitude.z);
  }
  /// Sets a result that is no sum.
  void set(const std::string& column, std::size_t row, double value) {
    columns_.at(column)[row] = {value, std::abs(value)};
  }
  [[nodiscard]] const std::vector<Expected>& column(const std::string& name) const { return columns_.at(name); }

 private:
  std::map<std::string, std::vector<Expected>> columns_;
};

// One for each exercise.
void mass(const Data& data, Results& results);
void moment(const Data& data, Results& results);
void inertia(const Data& data, Results& results);
void nearest(const Data& data, Results& results);
void neighbours(const Data& data, Results& results);
void product(const Data& data, Results& results);
void histogram(const Data& data, Results& results);
void total(const Data& data, Results& results);
void potential(const Data& data, Results& results);
void pairs(const Data& data, Results& results);
void gravity(const Data& data, Results& results);
void jerk(const Data& data, Results& results);

using Reference = void (*)(const Data&, Results&);
/// The reference of an exercise. Throws gdr::Error if there is none of this name.
[[nodiscard]] Reference reference_of(std::string_view exercise);

}  // namespace gdr::course
