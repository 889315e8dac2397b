// What a report is made of: JSON values to be written. Reading JSON is not its business.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace gdr::cli {

/// Null, a truth value, a number, a text, a list, or an object whose keys keep the order in which they were set, so
/// that a report reads as it was meant. Built as it is written: `Json{{"n", 4}, {"names", names}}` is an object,
/// because each of its entries is a text and a value; any other list in braces is a list.
class Json {
 public:
  Json();
  Json(std::nullptr_t);
  Json(bool value);
  Json(std::int64_t value);
  Json(std::uint64_t value);
  template <std::integral Whole>
  Json(Whole value) : Json(static_cast<Widest<Whole>>(value)) {}
  Json(double value);  // null in the text unless it is finite
  Json(std::string value);
  Json(std::string_view value);
  Json(const char* value);
  template <class Value>
  Json(const std::vector<Value>& values) : Json(array()) {
    for (const Value& value : values) push_back(value);
  }
  template <class Value, std::size_t size>
  Json(const std::array<Value, size>& values) : Json(array()) {
    for (const Value& value : values) push_back(value);
  }
  Json(std::initializer_list<Json> entries);
  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
  ~Json();

  [[nodiscard]] static Json object();
  [[nodiscard]] static Json array();

  /// The value of a key, made if it is not there. A null becomes an object first.
  Json& operator[](std::string_view key);
  /// The value of a key that is there.
  const Json& operator[](std::string_view key) const;
  /// Appends to a list. A null becomes one first.
  void push_back(Json value);
  [[nodiscard]] bool is_null() const;
  /// The value of a number that was set as double.
  [[nodiscard]] double number() const;

  /// As text, indented by two blanks. Bytes that are no UTF-8, as names of files may hold, are replaced by U+FFFD.
  [[nodiscard]] std::string text() const;

 private:
  template <std::integral Whole>
  using Widest = std::conditional_t<std::signed_integral<Whole>, std::int64_t, std::uint64_t>;
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>;
  friend struct JsonWriter;

  Value value_;
};

}  // namespace gdr::cli
