// What stands between the BLAS faces and the boards: which of the two computes a call, and blocking.
//
// There is one service a process. It is created on the first call and never destroyed, so that handlers of atexit,
// static destructors and threads that outlive main may multiply. A forked child begins with one of its own: neither the
// threads nor the calls of its parent are the child's.
#pragma once

#include "gdr/hostlib/blas.h"
#include "host_blas.h"

namespace gdr::blas {

// The routines of BLAS; the arguments are good. What the boards cannot do, the host does; no result is half updated.
// From any thread. A thread is not cancelled within them.
void gemm(const Gemm& call) noexcept;
void gemm(const GemmOf<float>& call) noexcept;
void trsm(const Trsm& call) noexcept;
void trmm(const Trmm& call) noexcept;
void symm(const Symm& call) noexcept;
void syrk(const Syrk& call) noexcept;
void syrk(const SyrkOf<float>& call) noexcept;
void syr2k(const Syr2k& call) noexcept;
void gemmtr(const Gemmtr& call) noexcept;

/// Counts a call of a routine that we do not offer, so that the report's share is of the whole.
void count_unserved(const char* routine, double flops) noexcept;

/// Of all services to come, those of forked children too.
void set_hook(gdr_blas_hook hook, void* context) noexcept;

}  // namespace gdr::blas
