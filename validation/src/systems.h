// The models of each system, each in a source file of its own.
#pragma once

#include <vector>

#include "gdr/validation/models.h"

namespace gdr::validation {

inline constexpr double kPercent = 100;  // per cent in a ratio of 1

[[nodiscard]] std::vector<Model> koike_gravity_models();
[[nodiscard]] std::vector<Model> koike_blas_models();
[[nodiscard]] std::vector<Model> grape_dr_cluster_models();
[[nodiscard]] std::vector<Model> hanawa_tca_models();
[[nodiscard]] std::vector<Model> sanno_mapping_models();
[[nodiscard]] std::vector<Model> urino_summa_models();

}  // namespace gdr::validation
