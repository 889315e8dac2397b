// What the kernels' tests share.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/assembler/assembler.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/device.h"
#include "gdr/hostlib/vec3.h"

namespace gdr::kernels::testing {

/// Largest relative error of rounding to a short word (25 significant bits) to nearest.
inline constexpr double kShort = 0x1p-25;

inline std::string source_of(std::string_view kernel) {
  const std::string path = std::string(GDR_KERNELS_DIR) + "/" + std::string(kernel) + ".vsm";
  return base::read_file(path);
}

/// Throws gdr::Error that shows the diagnostics.
inline isa::Program assembled(std::string_view source, std::string_view name) {
  assembler::AssembleOptions options;
  options.include_directories = {GDR_KERNELS_DIR};
  const assembler::AssembleResult result = assembler::assemble(source, name, options);
  if (!result.program) throw Error(assembler::format_diagnostics(result));
  return *result.program;
}

inline isa::Program kernel(std::string_view name) { return assembled(source_of(name), name); }

/// The source with its one occurrence of `old_text` replaced; fails the test if there is not exactly one.
inline std::string changed(const std::string& source, std::string_view old_text, std::string_view new_text) {
  const std::size_t at = source.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  if (at == std::string::npos) return source;
  EXPECT_EQ(source.find(old_text, at + 1), std::string::npos) << old_text << " occurs twice";
  return std::string(source).replace(at, old_text.size(), new_text);
}

inline DeviceOptions options(std::string_view engine, std::string_view machine = "model1800", unsigned boards = 1) {
  DeviceOptions chosen;
  chosen.engine = engine;
  chosen.machine = machine;
  chosen.boards = boards;
  return chosen;
}

/// Records field by field.
class Fields {
 public:
  Fields& operator<<(double value) {
    bits_.push_back(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Fields& operator<<(std::int64_t value) {
    bits_.push_back(std::bit_cast<std::uint64_t>(value));
    return *this;
  }
  Fields& operator<<(const hostlib::Vec3& value) { return *this << value.x << value.y << value.z; }
  [[nodiscard]] const std::vector<std::uint64_t>& bits() const { return bits_; }

 private:
  std::vector<std::uint64_t> bits_;
};

inline double number_in(const std::vector<std::uint64_t>& fields, std::size_t at) {
  return std::bit_cast<double>(fields.at(at));
}
inline hostlib::Vec3 vector_in(const std::vector<std::uint64_t>& fields, std::size_t at) {
  return {number_in(fields, at), number_in(fields, at + 1), number_in(fields, at + 2)};
}

}  // namespace gdr::kernels::testing
