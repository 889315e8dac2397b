#include "gdr/base/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace gdr::base {
namespace {

constexpr std::size_t kMostDepth = 8;  // gdr's files are at most 5 deep
constexpr std::size_t kMostKeys = 64;  // objects of gdr's files have at most 20

}  // namespace

/// Builds the value from the events of the library's parser.
class JsonBuilder : public nlohmann::json::json_sax_t {
 public:
  JsonValue take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { throw JsonError("it holds bytes that are no JSON"); }
  bool start_object(std::size_t /*size*/) override { return open(JsonValue::Members()); }
  bool start_array(std::size_t /*size*/) override { return open(JsonValue::List()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    auto& members = std::get<JsonValue::Members>(open_.back()->content_);
    if (members.size() == kMostKeys) throw JsonError(fmt::format("an object has more than {} keys", kMostKeys));
    if (open_.back()->member(name) != nullptr) throw JsonError(fmt::format("key '{}' is there twice", name));
    members.push_back({std::move(name), JsonValue()});
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                   const nlohmann::json::exception& error) override {
    throw JsonError(error.what());
  }

 private:
  /// Stores a value as the next one of the innermost open list or object.
  JsonValue& place(JsonValue::Content content) {
    if (open_.empty()) {
      root_ = JsonValue(std::move(content));
      return root_;
    }
    JsonValue::Content& parent = open_.back()->content_;
    if (auto* const members = std::get_if<JsonValue::Members>(&parent)) {
      members->back().value = JsonValue(std::move(content));
      return members->back().value;
    }
    return std::get<JsonValue::List>(parent).emplace_back(std::move(content));
  }
  bool add(JsonValue::Content content) {
    place(std::move(content));
    return true;
  }
  bool open(JsonValue::Content content) {
    if (open_.size() == kMostDepth) {
      throw JsonError(fmt::format("it is more than {} levels deep", kMostDepth));
    }
    open_.push_back(&place(std::move(content)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  JsonValue root_;
  // Open lists and objects, outermost first. A list moves its values when it grows, but only the innermost one grows.
  std::vector<JsonValue*> open_;
};

JsonValue::JsonValue() : content_(nullptr) {}
JsonValue::JsonValue(Content content) : content_(std::move(content)) {}
JsonValue::JsonValue(const JsonValue& other) = default;
JsonValue::JsonValue(JsonValue&& other) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue& other) = default;
JsonValue& JsonValue::operator=(JsonValue&& other) noexcept = default;
JsonValue::~JsonValue() = default;

const JsonValue* JsonValue::member(std::string_view key) const {
  const auto* const members = std::get_if<Members>(&content_);
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, key, &Member::key);
  return found == members->end() ? nullptr : &found->value;
}

const JsonValue& JsonValue::at(std::string_view key) const {
  const JsonValue* const found = member(key);
  if (found == nullptr) throw JsonError(fmt::format("key '{}' is not found in {}", key, described()));
  return *found;
}

const JsonValue& JsonValue::at(std::size_t index) const {
  if (index >= list().size())
    throw JsonError(fmt::format("a list has {} values, number {} is missing", list().size(), index));
  return list()[index];
}

const JsonValue::List& JsonValue::list() const {
  const auto* const values = std::get_if<List>(&content_);
  if (values == nullptr) throw JsonError(fmt::format("{} stands where a list belongs", described()));
  return *values;
}

const JsonValue::Members& JsonValue::members() const {
  const auto* const values = std::get_if<Members>(&content_);
  if (values == nullptr) throw JsonError(fmt::format("{} stands where an object belongs", described()));
  return *values;
}

const std::string& JsonValue::text() const {
  const auto* const value = std::get_if<std::string>(&content_);
  if (value == nullptr) throw JsonError(fmt::format("{} stands where a text belongs", described()));
  return *value;
}

bool JsonValue::boolean() const {
  const bool* const value = std::get_if<bool>(&content_);
  if (value == nullptr) throw JsonError(fmt::format("{} stands where true or false belongs", described()));
  return *value;
}

double JsonValue::number() const {
  if (const auto* const value = std::get_if<double>(&content_)) return *value;
  if (const auto* const value = std::get_if<std::uint64_t>(&content_)) return static_cast<double>(*value);
  if (const auto* const value = std::get_if<std::int64_t>(&content_)) return static_cast<double>(*value);
  throw JsonError(fmt::format("{} stands where a number belongs", described()));
}

std::uint64_t JsonValue::whole_up_to(std::uint64_t most) const {
  const auto* const value = std::get_if<std::uint64_t>(&content_);
  if (value == nullptr || *value > most) {
    throw JsonError(fmt::format("{} stands where a whole number in 0..{} belongs", described(), most));
  }
  return *value;
}

std::int64_t JsonValue::whole_within(std::int64_t least, std::int64_t most) const {
  if (const auto* const value = std::get_if<std::uint64_t>(&content_)) {
    if (std::cmp_less_equal(*value, most)) return static_cast<std::int64_t>(*value);
  }
  if (const auto* const value = std::get_if<std::int64_t>(&content_)) {
    if (*value >= least && *value <= most) return *value;
  }
  throw JsonError(fmt::format("{} stands where a whole number in {}..{} belongs", described(), least, most));
}

std::string JsonValue::described() const {
  if (const bool* const value = std::get_if<bool>(&content_)) return *value ? "true" : "false";
  if (const auto* const value = std::get_if<std::uint64_t>(&content_)) return fmt::format("{}", *value);
  if (const auto* const value = std::get_if<std::int64_t>(&content_)) return fmt::format("{}", *value);
  if (const auto* const value = std::get_if<double>(&content_)) return fmt::format("{}", *value);
  if (const auto* const value = std::get_if<std::string>(&content_)) return fmt::format("'{}'", *value);
  if (std::holds_alternative<List>(content_)) return "a list";
  return std::holds_alternative<Members>(content_) ? "an object" : "null";
}

JsonValue parse_json(std::string_view text) {
  JsonBuilder builder;
  // The builder throws on errors, so the result tells nothing more.
  static_cast<void>(nlohmann::json::sax_parse(text.begin(), text.end(), &builder));
  return builder.take();
}

}  // namespace gdr::base
