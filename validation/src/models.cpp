#include "gdr/validation/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "gdr/base/error.h"
#include "systems.h"

namespace gdr::validation {

Models::Models() {
  for (const auto& models_of : {koike_gravity_models, koike_blas_models, grape_dr_cluster_models, hanawa_tca_models,
                                sanno_mapping_models, urino_summa_models}) {
    std::ranges::move(models_of(), std::back_inserter(models_));
  }
}

const Model* Models::find(std::string_view name) const {
  const auto model = std::ranges::find(models_, name, &Model::name);
  return model == models_.end() ? nullptr : &*model;
}

Ours Models::ours(const Row& row) const {
  if (row.model.empty()) return {};
  const Model* model = find(row.model);
  if (model == nullptr) throw Error(fmt::format("row {}: there is no model '{}'", row.id.text(), row.model));
  return model->compute(row);
}

double Models::seconds(const Row& row) const {
  const Model* model = find(row.model);
  return model != nullptr && model->seconds ? model->seconds(row) : 0;
}

}  // namespace gdr::validation
