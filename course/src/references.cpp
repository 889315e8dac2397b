// The reference of each exercise by its name.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "gdr/base/error.h"
#include "reference.h"

namespace gdr::course {

Reference reference_of(std::string_view exercise) {
  static constexpr auto kReferences = std::to_array<std::pair<std::string_view, Reference>>({
      {"mass", mass},
      {"moment", moment},
      {"inertia", inertia},
      {"nearest", nearest},
      {"neighbours", neighbours},
      {"product", product},
      {"histogram", histogram},
      {"total", total},
      {"potential", potential},
      {"pairs", pairs},
      {"gravity", gravity},
      {"jerk", jerk},
  });
  for (const auto& [name, reference] : kReferences) {
    if (name == exercise) return reference;
  }
  throw Error(fmt::format("exercise '{}' has no reference", exercise));
}

}  // namespace gdr::course
