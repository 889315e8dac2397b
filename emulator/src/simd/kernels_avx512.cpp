// The kernels for AVX-512.
#include "batch_avx512.h"
#include "kernels.h"

namespace gdr::emulator::simd {

Kernel find_kernel_avx512(const KernelKey& key) { return choose_kernel(key); }

}  // namespace gdr::emulator::simd
