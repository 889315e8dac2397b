// Records as a device reads and returns them: sequences of 8-byte fields, found by the names of the program's
// variables.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "gdr/hostlib/vec3.h"
#include "gdr/isa/program.h"

namespace gdr::hostlib {

/// The fields of a program's i-record (hlt), j-record (elt) or result (rrn). `program` must outlive this object.
class RecordLayout {
 public:
  RecordLayout(const isa::Program& program, isa::Transfer transfer) : program_(program), transfer_(transfer) {}

  /// Number of fields of one record.
  [[nodiscard]] std::size_t fields() const { return program_.record_fields(transfer_); }
  /// Index of the first field of variable `name`. Throws gdr::Error if the record has no variable of this name with
  /// `elements` elements.
  [[nodiscard]] std::size_t field(std::string_view name, std::size_t elements) const;
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  const isa::Program& program_;
  isa::Transfer transfer_;
};

inline void put(std::span<std::uint64_t> record, std::size_t field, double value) {
  record[field] = std::bit_cast<std::uint64_t>(value);
}
inline void put(std::span<std::uint64_t> record, std::size_t field, std::int64_t value) {
  record[field] = std::bit_cast<std::uint64_t>(value);
}
inline void put(std::span<std::uint64_t> record, std::size_t field, const Vec3& value) {
  put(record, field, value.x);
  put(record, field + 1, value.y);
  put(record, field + 2, value.z);
}

[[nodiscard]] inline double number_at(std::span<const std::uint64_t> record, std::size_t field) {
  return std::bit_cast<double>(record[field]);
}
[[nodiscard]] inline Vec3 vector_at(std::span<const std::uint64_t> record, std::size_t field) {
  return {number_at(record, field), number_at(record, field + 1), number_at(record, field + 2)};
}

}  // namespace gdr::hostlib
