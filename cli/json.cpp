#include "json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gdr/base/error.h"

namespace gdr::cli {

struct JsonWriter {
  using Text = nlohmann::ordered_json;

  Text operator()(const Json& json) const {
    return std::visit([this](const auto& value) { return written(value); }, json.value_);
  }

 private:
  template <class Scalar>
  Text written(const Scalar& value) const {
    return value;
  }
  Text written(const Json::List& list) const {
    Text text = Text::array();
    for (const Json& entry : list) text.push_back((*this)(entry));
    return text;
  }
  Text written(const Json::Object& object) const {
    Text text = Text::object();
    for (const auto& [key, entry] : object) text[key] = (*this)(entry);
    return text;
  }
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
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
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

void Json::push_back(Json value) {
  if (is_null()) value_ = List();
  std::get<List>(value_).push_back(std::move(value));
}

bool Json::is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }

double Json::number() const { return std::get<double>(value_); }

std::string Json::text() const {
  return JsonWriter()(*this).dump(2, ' ', false, JsonWriter::Text::error_handler_t::replace);
}

}  // namespace gdr::cli
