/* For LD_PRELOAD: a library whose start leaves the processor rounding upwards, with subnormal numbers flushed to zero
   where it can, as some libraries of numerical code do. */
#include <fenv.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

__attribute__((constructor)) static void change(void) {
  fesetround(FE_UPWARD);
#if defined(__SSE__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, and take subnormal operands as zero */
#endif
}
