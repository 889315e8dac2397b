// JSON as this component reads it: a tree of bounded depth. The JSON library's own tree takes memory while it is
// destroyed, which ends the process where there is none left; this one does not.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace gdr::isa {

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

  // Each throws gdr::Error if the value is of another kind, is not there or does not fit.
  [[nodiscard]] const JsonValue& at(std::string_view key) const;
  [[nodiscard]] const JsonValue& at(std::size_t index) const;
  [[nodiscard]] const List& list() const;
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number() const;
  template <class Whole>
  [[nodiscard]] Whole whole() const {
    static_assert(std::is_unsigned_v<Whole>);
    return static_cast<Whole>(whole_up_to(std::numeric_limits<Whole>::max()));
  }
  /// False also where the value has no keys.
  [[nodiscard]] bool contains(std::string_view key) const { return member(key) != nullptr; }

 private:
  friend class JsonBuilder;
  [[nodiscard]] const JsonValue* member(std::string_view key) const;
  [[nodiscard]] std::uint64_t whole_up_to(std::uint64_t most) const;
  /// As it is told in a message.
  [[nodiscard]] std::string described() const;

  Content content_;
};

struct JsonValue::Member {
  std::string key;
  JsonValue value;
};

/// Throws gdr::Error: what is wrong where, lists and objects nested too deep, objects of too many keys or with one
/// twice.
[[nodiscard]] JsonValue parse_json(std::string_view text);

}  // namespace gdr::isa
