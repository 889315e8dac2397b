// The calls of which gdr_blas_on_call() tells.
#pragma once

#include <vector>

#include "gdr/hostlib/blas.h"

namespace gdr::tests {

/// Those that end while it lives. One at a time.
class ToldCalls {
 public:
  ToldCalls() {
    gdr_blas_on_call(
        [](const gdr_blas_call* call, void* told) { static_cast<ToldCalls*>(told)->calls.push_back(*call); }, this);
  }
  ~ToldCalls() { gdr_blas_on_call(nullptr, nullptr); }
  ToldCalls(const ToldCalls&) = delete;
  ToldCalls& operator=(const ToldCalls&) = delete;

  std::vector<gdr_blas_call> calls;
};

}  // namespace gdr::tests
