// The kernels for every host.
#include "batch_portable.h"
#include "kernels.h"

namespace gdr::emulator::simd {

Kernel find_kernel_portable(const KernelKey& key) { return choose_kernel(key); }

}  // namespace gdr::emulator::simd
