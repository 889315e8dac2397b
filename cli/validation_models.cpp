// Which function gives ours for a row of docs/validation.toml.
#include <algorithm>

#include "validation.h"

namespace gdr::cli {
namespace {

bool covers(const Model& model, const std::string& id) {
  return model.id.ends_with('.') ? id.starts_with(model.id) : id == model.id;
}

}  // namespace

Models::Models() {
  for (const auto& models_of : {grape_dr_models, blas_models, tca_models, mapping_models, urino_models}) {
    std::ranges::move(models_of(), std::back_inserter(models_));
  }
}

Ours Models::ours(const ValidationRow& row) {
  const auto model = std::ranges::find_if(models_, [&](const Model& m) { return covers(m, row.id); });
  return model == models_.end() ? Ours{} : model->compute(row);
}

}  // namespace gdr::cli
