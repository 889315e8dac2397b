// The one function by which the library with MPI is entered.
#pragma once

#include "gdr/cluster/communicator.h"

namespace gdr::cluster {

/// Starts MPI for a caller of this version of the interface, which gives the handle by which it loaded the library and
/// owns what it gets. Null with a reason in `why` if that fails.
using PluginEntry = Communicator*(int version, void* library, const char** why);
inline constexpr char kPluginEntry[] = "gdr_mpi_communicator";
inline constexpr int kPluginVersion = 2;

}  // namespace gdr::cluster
