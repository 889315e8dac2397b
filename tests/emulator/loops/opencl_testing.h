// The engine opencl in tests: devices, how it makes loop bodies, and sessions with particles.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/emulator/opencl.h"
#include "gdr/emulator/session.h"
#include "kernel_data.h"

namespace gdr::tests {

/// The devices; none if this build has no OpenCL.
[[nodiscard]] std::vector<emulator::OpenClDevice> devices();

class OpenCl : public testing::Test {
 protected:
  void SetUp() override {
    for (const emulator::OpenClDevice& device : devices()) {
      if (device.refusal.empty()) return;
    }
    GTEST_SKIP() << "this host has no OpenCL device that the engine can use, or this build no OpenCL";
  }
};

/// How the engine makes loop bodies, for as long as this lives. `lanes`: PEs of a work-item; empty: what the device
/// prefers; `turns`: iterations side by side; empty: what the engine chooses for the device.
class Mode {
 public:
  explicit Mode(const char* jit, const std::string& lanes = {}, const std::string& turns = {}) {
    setenv("GDR_JIT", jit, 1);
    if (!lanes.empty()) setenv("GDR_OPENCL_LANES", lanes.c_str(), 1);
    if (!turns.empty()) setenv("GDR_OPENCL_TURNS", turns.c_str(), 1);
  }
  ~Mode() {
    unsetenv("GDR_JIT");
    unsetenv("GDR_OPENCL_LANES");
    unsetenv("GDR_OPENCL_TURNS");
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;
};

/// A session of two chips with j-records and i-particles in them, after a run.
struct Loaded {
  /// What a test changes in the j-records and in the i-particles, [field][particle].
  using Change = std::function<void(std::vector<isa::LongWord>& records, std::vector<isa::LongWord>& particles)>;

  std::unique_ptr<emulator::Session> session;
  std::vector<emulator::Piece> pieces;

  Loaded(std::string_view engine_name, const isa::Program& program, Data data, unsigned turns, unsigned live_pes,
         const Change& change = {});
};

/// Expects all words and events of live PEs to be equal.
void expect_equal(const emulator::Session& expected, const emulator::Session& found, unsigned live_pes);

}  // namespace gdr::tests
