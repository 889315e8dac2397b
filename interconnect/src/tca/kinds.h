// Kinds of description that are defined beside the models which read them.
#pragma once

#include "gdr/base/description.h"

namespace gdr::interconnect {

[[nodiscard]] base::DescriptionKind peach2_kind();
[[nodiscard]] base::DescriptionKind ha_pacs_tca_kind();

}  // namespace gdr::interconnect
