// JSON values read from object files, checkpoints and other files of gdr: a tree of bounded depth. json.h writes JSON.
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

/// Thrown if a text is not JSON, or a value is not what the caller asks for. The message names the value, not the file.
class JsonError : public Error {
 public:
  using Error::Error;
};

/// A value as it was read. Its destructor allocates no memory, unlike that of the JSON library, which ends the process
/// if no memory is left.
class JsonValue {
 public:
  using List = std::vector<JsonValue>;
  struct Member;
  using Members = std::vector<Member>;  // each key once
  // Types of numbers: non-negative integers, negative integers, all others.
  using Content = std::variant<std::nullptr_t, bool, std::uint64_t, std::int64_t, double, std::string, List, Members>;

  // These are defined where Member is complete.
  JsonValue();
  explicit JsonValue(Content content);
  JsonValue(const JsonValue& other);
  JsonValue(JsonValue&& other) noexcept;
  JsonValue& operator=(const JsonValue& other);
  JsonValue& operator=(JsonValue&& other) noexcept;
  ~JsonValue();

  // Each throws JsonError if the value is of another kind, is missing, or does not fit.
  [[nodiscard]] const JsonValue& at(std::string_view key) const;
  [[nodiscard]] const JsonValue& at(std::size_t index) const;
  [[nodiscard]] const List& list() const;
  [[nodiscard]] const Members& members() const;  // of an object, in the order of the text
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
  /// True if this is an object with that key; false for other kinds of value.
  [[nodiscard]] bool contains(std::string_view key) const { return member(key) != nullptr; }

 private:
  friend class JsonBuilder;
  [[nodiscard]] const JsonValue* member(std::string_view key) const;
  [[nodiscard]] std::uint64_t whole_up_to(std::uint64_t most) const;
  [[nodiscard]] std::int64_t whole_within(std::int64_t least, std::int64_t most) const;
  /// The value as text for a message.
  [[nodiscard]] std::string described() const;

  Content content_;
};

struct JsonValue::Member {
  std::string key;
  JsonValue value;
};

/// Parses JSON. Throws JsonError for text that is not JSON (what is wrong and where), for lists and objects nested more
/// than 8 deep, and for objects with more than 64 keys or a repeated key.
[[nodiscard]] JsonValue parse_json(std::string_view text);

}  // namespace gdr::base
