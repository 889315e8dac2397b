#include "waiting_ranks.h"

#include <stdlib.h>  // secure_getenv()

#include <cstring>

namespace gdr::foreign {

void let_waiting_ranks_yield() noexcept {
  // Of Open MPI; a rank that is alone on its host takes the processor from nobody.
  const char* const here = secure_getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (here == nullptr || std::strcmp(here, "1") == 0) return;
  constexpr int kKeepTheUsers = 0;
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", kKeepTheUsers);
}

}  // namespace gdr::foreign
