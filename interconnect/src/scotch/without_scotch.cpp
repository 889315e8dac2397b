#include "gdr/base/error.h"
#include "gdr/interconnect/task_mapping.h"

namespace gdr::interconnect {

bool has_scotch() { return false; }

TaskMapping map_by_scotch(const TaskGraph& /*graph*/, const Grid& /*grid*/) {
  throw Error("mapping by Scotch is refused: gdr was built without Scotch (-DGDR_SCOTCH=OFF)");
}

}  // namespace gdr::interconnect
