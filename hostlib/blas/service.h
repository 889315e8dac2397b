// What stands between the BLAS faces and the board: which of the two computes a call, blocking, and the report.
#pragma once

#include <memory>

#include "host_blas.h"

namespace gdr::blas {

/// One a process, made at the first call. Calls may come from any thread; the board works on one at a time.
class Service {
 public:
  static Service& get();
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// C = alpha op(A) op(B) + beta C; the arguments are good. Never throws: what the board cannot do, the host does.
  void gemm(const Gemm& call) noexcept;
  /// op(A) X = alpha B or X op(A) = alpha B, X over B, by halves down to triangles that the host solves.
  void trsm(const Trsm& call) noexcept;

 private:
  Service();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gdr::blas
