// What stands between the BLAS faces and the boards: which of the two computes a call, and blocking.
//
// There is one service a process. It is created on the first call and never destroyed, so that handlers of atexit,
// static destructors and threads that outlive main may multiply. A forked child begins with one of its own: neither the
// threads nor the calls of its parent are the child's.
#pragma once

#include "gdr/hostlib/blas.h"
#include "host_blas.h"

namespace gdr::blas {

/// C = alpha op(A) op(B) + beta C; the arguments are good. What the boards cannot do, the host does; C is never half
/// updated. From any thread.
void gemm(const Gemm& call) noexcept;
/// op(A) X = alpha B or X op(A) = alpha B, X over B, by halves down to triangles that the host solves.
void trsm(const Trsm& call) noexcept;

/// Of all services to come, those of forked children too.
void set_hook(gdr_blas_hook hook, void* context) noexcept;

}  // namespace gdr::blas
