// The option of gdr dgemm, gdr hpl and gdr cluster that says how chips share products of small depth.
#pragma once

#include <string>

#include "command/command.h"
#include "command/kernel_source.h"
#include "gdr/hostlib/dgemm_model.h"

namespace gdr::cli {

inline Option add_small_depths(Command command, std::string& option) {
  return command.add_option(
      "--small-depths", option,
      "products of small K in the model: chips left over take rows of their own, as this library's do, or "
      "every unit takes all chips, as on record",
      one_of({"own-rows", "fixed-unit"}));
}

[[nodiscard]] inline SmallDepths small_depths_named(const std::string& option) {
  return option == "own-rows" ? SmallDepths::own_rows : SmallDepths::fixed_unit;
}

inline Option add_product_kernel(Command command, std::string& kernel) {
  return command.add_option("--kernel", kernel, "dgemm (50-bit operands) or dgemm_double",
                            kernel_named({"dgemm", "dgemm_double"}));
}

}  // namespace gdr::cli
