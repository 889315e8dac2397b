// The kernels for AVX2.
#include "batch_avx2.h"
#include "kernels.h"

namespace gdr::emulator::simd {

Kernel find_kernel_avx2(const KernelKey& key) { return choose_kernel(key); }

}  // namespace gdr::emulator::simd
