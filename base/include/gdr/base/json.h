// JSON values to be written, for reports, profiles and object files. json_value.h reads JSON.
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

/// A JSON value: null, a truth value, a number, a text, a list, or an object whose keys keep the order in which they
/// were set. It can be built from braces: `Json{{"n", 4}, {"names", names}}` is an object, because each of its entries
/// is a text and a value; any other list in braces is a list. Its destructor allocates no memory, unlike that of the
/// JSON library, since libraries write reports in processes that may have no memory left.
class Json {
 public:
  Json();
  Json(std::nullptr_t);
  Json(bool value);
  Json(std::int64_t value);
  Json(std::uint64_t value);
  template <std::integral Whole>
  Json(Whole value) : Json(static_cast<Widest<Whole>>(value)) {}
  Json(double value);  // written as null unless it is finite
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

  /// The value of a key, which is added if it is missing. A null value becomes an object first.
  Json& operator[](std::string_view key);
  /// The value of a key, which must be present.
  const Json& operator[](std::string_view key) const;
  /// The value of a key; nullptr if it is missing, or if this is no object.
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// The entries of a list; nullptr if this is no list.
  [[nodiscard]] const std::vector<Json>* list() const;
  /// The keys of an object with their values, in their order; nullptr if this is no object.
  [[nodiscard]] const std::vector<std::pair<std::string, Json>>* members() const;
  /// The text of a text; nullptr if this is none.
  [[nodiscard]] const std::string* string() const;
  /// Appends to a list. A null value becomes a list first.
  void push_back(Json value);
  /// Sorts the keys of an object, and of all objects inside it, by their bytes.
  void sort_keys();
  [[nodiscard]] bool is_null() const;
  /// The value of a number that was set as double.
  [[nodiscard]] double number() const;
  /// False for null, false, 0, and a text, list or object without entries.
  [[nodiscard]] bool holds_something() const;
  /// A value in a form of fmt without its braces, such as ">8.2f": a number times `factor`, a text, or a list, whose
  /// entries have commas between them.
  [[nodiscard]] std::string printed(std::string_view form, double factor = 1) const;

  /// As the indentation of text(): everything on one line, without blanks.
  static constexpr int kCompact = -1;
  /// The value as JSON text, each level indented by `indent` blanks. Bytes that are not UTF-8, which file names may
  /// contain, are replaced by U+FFFD. Numbers are written so that reading gives the same values.
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
