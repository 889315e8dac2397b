// What produces our side of a row: models by name, each a function of the row's case.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gdr/validation/row.h"

namespace gdr::validation {

/// A number in the row's unit, whether a statement holds, or nothing where this build lacks what it takes (SimGrid).
using Ours = std::variant<std::monostate, double, bool>;

struct Model {
  std::string name;
  std::vector<CaseField> takes;  // what a row must say, no more and no less
  std::function<Ours(const Row&)> compute;
};

class Models {
 public:
  /// All of ours. What they read (kernels, descriptions) is read when first needed and kept.
  Models();
  explicit Models(std::vector<Model> models) : models_(std::move(models)) {}

  /// Null if there is none of this name.
  [[nodiscard]] const Model* find(std::string_view name) const;
  /// Nothing for a row without a model. Throws gdr::Error for a name that is none of ours, and if a kernel or
  /// description is missing.
  [[nodiscard]] Ours ours(const Row& row) const;

 private:
  std::vector<Model> models_;
};

}  // namespace gdr::validation
