// Models that compute gdr's value for a row. Each has a name and is a function of the row's case.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gdr/validation/row.h"

namespace gdr::validation {

/// gdr's value for a row: a number in the row's unit, whether a statement holds, or nothing if this build lacks what
/// the model needs (SimGrid).
using Ours = std::variant<std::monostate, double, bool>;

struct Model {
  std::string name;
  std::vector<CaseField> takes;             // the fields that a row's case must have, and no others
  std::function<Ours(const Row&)> compute;  // by several threads at once
  /// About how long that takes; none: a moment. Only the order of rows depends on it.
  std::function<double(const Row&)> seconds = {};
};

class Models {
 public:
  /// All models of gdr. Kernels and descriptions are read when a model first needs them, and kept. So are simulations
  /// that several rows need.
  Models();
  explicit Models(std::vector<Model> models) : models_(std::move(models)) {}

  /// Null if there is none of this name.
  [[nodiscard]] const Model* find(std::string_view name) const;
  /// Computes the row's model; nothing for a row without one. Throws gdr::Error for an unknown name, and if a kernel or
  /// description is missing.
  [[nodiscard]] Ours ours(const Row& row) const;
  /// Estimated seconds of ours(); 0 for a moment.
  [[nodiscard]] double seconds(const Row& row) const;

 private:
  std::vector<Model> models_;
};

}  // namespace gdr::validation
