// Replaces run_files.cpp if gdr is built without HDF5.
#include "gdr/base/error.h"
#include "gdr/hostlib/run_files.h"

namespace gdr::hostlib {

std::shared_ptr<const RunFiles> hdf5_run_files() {
  throw Error("this gdr was built without HDF5 (-DGDR_HDF5=OFF): it reads and writes text alone");
}

}  // namespace gdr::hostlib
