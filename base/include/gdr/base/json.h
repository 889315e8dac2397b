// What reports, profiles and object files are made of: JSON values to be written. Reading JSON is not its business.
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

namespace gdr::base {

/// Null, a truth value, a number, a text, a list, or an object whose keys keep the order in which they were set, so
/// that a report reads as it was meant. Built as it is written: `Json{{"n", 4}, {"names", names}}` is an object,
/// because each of its entries is a text and a value; any other list in braces is a list. Destroying one takes no
/// memory, unlike a value of the JSON library: libraries write reports in processes that may have none left.
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
  /// Puts the keys of an object, and of all inside it, in the order of their bytes.
  void sort_keys();
  [[nodiscard]] bool is_null() const;
  /// The value of a number that was set as double.
  [[nodiscard]] double number() const;

  /// Indentation of text() that writes everything in one line, without blanks.
  static constexpr int kCompact = -1;
  /// As text, each level indented by as many blanks. Bytes that are no UTF-8, as names of files may hold, are replaced
  /// by U+FFFD. Numbers are read back as the same values.
  [[nodiscard]] std::string text(int indent = 2) const;

 private:
  template <std::integral Whole>
  using Widest = std::conditional_t<std::signed_integral<Whole>, std::int64_t, std::uint64_t>;
  using List = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>;
  friend class JsonWriter;

  Value value_;
};

}  // namespace gdr::base
