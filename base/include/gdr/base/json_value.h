// What object files, checkpoints and other files of ours are read into: JSON as a tree of bounded depth. json.h writes
// it.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gdr/base/error.h"

namespace gdr::base {

/// A text is no JSON, or a value is not what its reader asks for. The text of the error names the value, not the file.
class JsonError : public Error {
 public:
  using Error::Error;
};

/// A value as it was read. Destroying one takes no memory, unlike a value of the JSON library, which ends the process
/// where none is left.
class JsonValue {
 public:
  using List = std::vector<JsonValue>;
  struct Member;
  using Members = std::vector<Member>;  // each key once
  // Numbers: whole and not negative, whole and negative, any other.
  using Content = std::variant<std::nullptr_t, bool, std::uint64_t, std::int64_t, double, std::string, List, Members>;

  // All of these where Member is complete.
  JsonValue();
  explicit JsonValue(Content content);
  JsonValue(const JsonValue& other);
  JsonValue(JsonValue&& other) noexcept;
  JsonValue& operator=(const JsonValue& other);
  JsonValue& operator=(JsonValue&& other) noexcept;
  ~JsonValue();

  // Each throws JsonError if the value is of another kind, is not there or does not fit.
  [[nodiscard]] const JsonValue& at(std::string_view key) const;
  [[nodiscard]] const JsonValue& at(std::size_t index) const;
  [[nodiscard]] const List& list() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number() const;
  template <std::integral Whole>
  [[nodiscard]] Whole whole() const {
    using Limits = std::numeric_limits<Whole>;
    if constexpr (std::unsigned_integral<Whole>) return static_cast<Whole>(whole_up_to(Limits::max()));
    if constexpr (std::signed_integral<Whole>) return static_cast<Whole>(whole_within(Limits::min(), Limits::max()));
  }
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(content_); }
  /// False also where the value has no keys.
  [[nodiscard]] bool contains(std::string_view key) const { return member(key) != nullptr; }

 private:
  friend class JsonBuilder;
  [[nodiscard]] const JsonValue* member(std::string_view key) const;
  [[nodiscard]] std::uint64_t whole_up_to(std::uint64_t most) const;
  [[nodiscard]] std::int64_t whole_within(std::int64_t least, std::int64_t most) const;
  /// As it is told in a message.
  [[nodiscard]] std::string described() const;

  Content content_;
};

struct JsonValue::Member {
  std::string key;
  JsonValue value;
};

/// Throws JsonError: what is wrong where, lists and objects nested more than 8 deep, objects of more than 64 keys or
/// with one twice.
[[nodiscard]] JsonValue parse_json(std::string_view text);

}  // namespace gdr::base
