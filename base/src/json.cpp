#include "gdr/base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gdr/base/error.h"

namespace gdr::base {

/// Writes lists and objects itself; the JSON library formats texts and numbers.
class JsonWriter {
 public:
  explicit JsonWriter(int indent) : indent_(indent) {}

  void write(const Json& json) {
    std::visit([this](const auto& value) { written(value); }, json.value_);
  }
  std::string take() { return std::move(text_); }

 private:
  template <class Scalar>
  void written(const Scalar& value) {
    text_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  void written(const Json::List& list) {
    enclosed(list, '[', ']', [this](const Json& entry) { write(entry); });
  }
  void written(const Json::Object& object) {
    enclosed(object, '{', '}', [this](const auto& entry) {
      written(entry.first);
      text_ += indent_ == Json::kCompact ? ":" : ": ";
      write(entry.second);
    });
  }
  template <class Entries, class Write>
  void enclosed(const Entries& entries, char begin, char end, Write write_entry) {
    text_ += begin;
    ++depth_;
    for (const auto& entry : entries) {
      if (&entry != &entries.front()) text_ += ',';
      new_line();
      write_entry(entry);
    }
    --depth_;
    if (!entries.empty()) new_line();
    text_ += end;
  }
  void new_line() {
    if (indent_ == Json::kCompact) return;
    text_ += '\n';
    text_.append(static_cast<std::size_t>(indent_) * depth_, ' ');
  }

  int indent_;
  std::size_t depth_ = 0;
  std::string text_;
};

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(bool value) : value_(value) {}
Json::Json(std::int64_t value) : value_(value) {}
Json::Json(std::uint64_t value) : value_(value) {}
Json::Json(double value) : value_(value) {}
Json::Json(std::string value) : value_(std::move(value)) {}
Json::Json(std::string_view value) : value_(std::string(value)) {}
Json::Json(const char* value) : value_(std::string(value)) {}
// Does not copy the variant itself: if memory runs out then, the standard library destroys it as a value that it does
// not hold.
Json::Json(const Json& other) {
  std::visit(
      [this](const auto& value) {
        auto copy = value;
        value_ = std::move(copy);
      },
      other.value_);
}
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) {
  if (this != &other) *this = Json(other);
  return *this;
}
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(std::initializer_list<Json> entries) {
  const auto is_key_and_value = [](const Json& entry) {
    const List* list = std::get_if<List>(&entry.value_);
    return list != nullptr && list->size() == 2 && std::holds_alternative<std::string>(list->front().value_);
  };
  if (!std::ranges::all_of(entries, is_key_and_value)) {
    value_ = List(entries);
    return;
  }
  *this = object();
  for (const Json& entry : entries) {
    const List& pair = std::get<List>(entry.value_);
    (*this)[std::get<std::string>(pair[0].value_)] = pair[1];
  }
}

Json Json::object() {
  Json json;
  json.value_ = Object();
  return json;
}

Json Json::array() {
  Json json;
  json.value_ = List();
  return json;
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) value_ = Object();
  Object& object = std::get<Object>(value_);
  const auto found = std::ranges::find(object, key, [](const auto& entry) -> std::string_view { return entry.first; });
  if (found != object.end()) return found->second;
  return object.emplace_back(std::string(key), Json()).second;
}

const Json& Json::operator[](std::string_view key) const {
  const Object& object = std::get<Object>(value_);
  const auto found = std::ranges::find(object, key, [](const auto& entry) -> std::string_view { return entry.first; });
  GDR_ASSERT(found != object.end(), "a key that is read was set before");
  return found->second;
}

const Json* Json::find(std::string_view key) const {
  const auto* const object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, key, [](const auto& entry) -> std::string_view { return entry.first; });
  return found == object->end() ? nullptr : &found->second;
}

const std::vector<Json>* Json::list() const { return std::get_if<List>(&value_); }

const std::vector<std::pair<std::string, Json>>* Json::members() const { return std::get_if<Object>(&value_); }

const std::string* Json::string() const { return std::get_if<std::string>(&value_); }

void Json::push_back(Json value) {
  if (is_null()) value_ = List();
  std::get<List>(value_).push_back(std::move(value));
}

void Json::sort_keys() {
  if (auto* const list = std::get_if<List>(&value_)) {
    for (Json& entry : *list) entry.sort_keys();
  } else if (auto* const object = std::get_if<Object>(&value_)) {
    std::ranges::sort(*object, {}, &Object::value_type::first);
    for (auto& [key, entry] : *object) entry.sort_keys();
  }
}

bool Json::is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }

double Json::number() const { return std::get<double>(value_); }

bool Json::holds_something() const {
  const struct {
    bool operator()(std::nullptr_t) const { return false; }
    bool operator()(bool value) const { return value; }
    bool operator()(std::int64_t value) const { return value != 0; }
    bool operator()(std::uint64_t value) const { return value != 0; }
    bool operator()(double value) const { return value != 0; }
    bool operator()(const std::string& value) const { return !value.empty(); }
    bool operator()(const List& value) const { return !value.empty(); }
    bool operator()(const Object& value) const { return !value.empty(); }
  } holding;
  return std::visit(holding, value_);
}

std::string Json::printed(std::string_view form, double factor) const {
  const bool of_doubles = !form.empty() && std::string_view("aefg%").find(form.back()) != std::string_view::npos;
  const auto in_form = [form](const auto& value) {
    return fmt::format(fmt::runtime(fmt::format("{{:{}}}", form)), value);
  };
  const auto number = [&](auto value) {
    return of_doubles || factor != 1 ? in_form(static_cast<double>(value) * factor) : in_form(value);
  };
  const auto entries = [&](const List& list) {
    std::string text;
    for (const Json& entry : list) text += (text.empty() ? "" : ",") + entry.printed("");
    return in_form(text);
  };
  const struct {
    decltype(in_form)& other;
    decltype(number)& of_number;
    decltype(entries)& of_list;
    std::string operator()(std::nullptr_t) const { return other(std::string("null")); }
    std::string operator()(bool value) const { return other(std::string(value ? "true" : "false")); }
    std::string operator()(std::int64_t value) const { return of_number(value); }
    std::string operator()(std::uint64_t value) const { return of_number(value); }
    std::string operator()(double value) const { return of_number(value); }
    std::string operator()(const std::string& value) const { return other(value); }
    std::string operator()(const List& value) const { return of_list(value); }
    std::string operator()(const Object&) const { return other(std::string("{}")); }
  } printing{in_form, number, entries};
  return std::visit(printing, value_);
}

std::string Json::text(int indent) const {
  JsonWriter writer(indent);
  writer.write(*this);
  return writer.take();
}

}  // namespace gdr::base
