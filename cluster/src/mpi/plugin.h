// The only function by which gdr calls the library with MPI.
#pragma once

#include "gdr/cluster/communicator.h"

namespace gdr::cluster {

/// Starts MPI and returns a communicator, which the caller owns. `version` is the caller's version of this interface,
/// `library` the handle by which it loaded the library. Null with a reason in `why` if that fails.
using PluginEntry = Communicator*(int version, void* library, const char** why);
inline constexpr char kPluginEntry[] = "gdr_mpi_communicator";
inline constexpr int kPluginVersion = 2;

}  // namespace gdr::cluster
