// What several N-body tests need.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "gdr/base/error.h"
#include "gdr/hostlib/particles.h"

namespace gdr::hostlib::testing {

/// Text of the gdr::Error that `call` throws; fails the test if it throws none.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "no gdr::Error was thrown";
  return {};
}

/// A directory of the running test's own, empty at first and removed at the end.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(::testing::TempDir()) /
            (std::string("gdr_") + test->test_suite_name() + "_" + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Two bodies of mass 1/2 at the apocentre of an orbit with semi-major axis 1 (period 2 pi) about the origin.
inline Particles binary(double eccentricity) {
  const double apocentre = 1.0 + eccentricity;
  const double relative_speed = std::sqrt((1.0 - eccentricity) / apocentre);
  Particles p;
  p.push_back(0, 0.5, {apocentre / 2.0, 0.0, 0.0}, {0.0, relative_speed / 2.0, 0.0});
  p.push_back(1, 0.5, {-apocentre / 2.0, 0.0, 0.0}, {0.0, -relative_speed / 2.0, 0.0});
  return p;
}

}  // namespace gdr::hostlib::testing
