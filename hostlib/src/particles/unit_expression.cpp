// Units as AMUSE writes them: a small grammar of products and powers, of which nothing is evaluated but this.
//
//   product   = power { ("*" | "/") power }
//   power     = unit [ "**" ["-"] digits [".0"] ]
//   unit      = number | "(" product ")" | base | name
//   base      = "system.get('" SYSTEM "').base('" QUANTITY "')" | "nbody_system." QUANTITY | ["nbody "] QUANTITY
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/quoted.h"
#include "unit_names.h"

namespace gdr::hostlib {
namespace {

constexpr std::array<std::string_view, 3> kQuantities{"mass", "length", "time"};
constexpr int kMostPower = 9;
constexpr unsigned kMostDepth = 32;  // parentheses within one another
constexpr std::size_t kMostShown = 100;
// The unit of time of a system is then a double, and has a text.
constexpr double kLeastSize = 1e-60;
constexpr double kMostSize = 1e60;

struct Prefix {
  char letter;
  double size;
};
constexpr std::array kPrefixes{Prefix{'k', 1e3},  Prefix{'M', 1e6},  Prefix{'G', 1e9},
                               Prefix{'T', 1e12}, Prefix{'c', 1e-2}, Prefix{'m', 1e-3}};

using Powers = std::array<int, kQuantities.size()>;  // of mass, length and time

constexpr Powers powers_of(UnitOf of) {
  switch (of) {
    case UnitOf::mass:
      return {1, 0, 0};
    case UnitOf::length:
      return {0, 1, 0};
    case UnitOf::time:
      return {0, 0, 1};
    case UnitOf::speed:
      return {0, 1, -1};
  }
  return {};
}

constexpr std::string_view words_of(UnitOf of) {
  switch (of) {
    case UnitOf::mass:
      return "a mass";
    case UnitOf::length:
      return "a length";
    case UnitOf::time:
      return "a time";
    case UnitOf::speed:
      return "a speed, length / time";
  }
  return {};
}

/// A product of units. A number has no powers and is of no system.
struct Product {
  double size = 1.0;
  Powers powers{};
  bool is_generic = false;
  bool has_size = false;  // of units that are not generic
};

class Expression {
 public:
  explicit Expression(std::string_view text) : text_(text) {}

  Product whole() {
    const Product product = this->product();
    if (at_ < text_.size()) refuse("an end, *, / or ** must be here");
    return product;
  }

  [[noreturn]] void refuse(std::string_view why) const { refuse_at(at_, why); }

 private:
  [[noreturn]] void refuse_at(std::size_t at, std::string_view why) const {
    throw Error(fmt::format("unit '{}' is refused at character {}: {}", base::on_one_line(text_.substr(0, kMostShown)),
                            at + 1, why));
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(std::string_view word) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    skip_blanks();
    return true;
  }

  Product product() {
    Product product = power();
    for (;;) {
      const std::size_t at = at_;
      if (take("*")) {
        product = times(product, power(), 1, at);
      } else if (take("/")) {
        product = times(product, power(), -1, at);
      } else {
        return product;
      }
    }
  }

  /// `one` times `other`, or divided by it if `power` is -1.
  Product times(const Product& one, const Product& other, int power, std::size_t at) const {
    Product product{power > 0 ? one.size * other.size : one.size / other.size, one.powers,
                    one.is_generic || other.is_generic, one.has_size || other.has_size};
    for (std::size_t k = 0; k < product.powers.size(); ++k) {
      product.powers.at(k) += power * other.powers.at(k);
      if (std::abs(product.powers.at(k)) > kMostPower) refuse_at(at, too_large());
    }
    if (product.is_generic && product.has_size) {
      refuse_at(at, "a unit of AMUSE's generic system and one of another system cannot be multiplied");
    }
    return product;
  }

  static std::string too_large() {
    return fmt::format("a power of mass, length or time must be from {} to {}", -kMostPower, kMostPower);
  }

  Product power() {
    const std::size_t begin = at_;
    const Product unit = this->unit();
    if (!take("**")) return unit;
    const std::size_t at = at_;
    const bool is_inverse = take("-");
    int power = 0;
    const auto [end, reason] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), power);
    if (reason != std::errc() || power < 0 || power > kMostPower) {
      refuse_at(at, fmt::format("a power must be a whole number from {} to {}", -kMostPower, kMostPower));
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    if (text_.substr(at_).starts_with(".0")) at_ += 2;
    if (at_ < text_.size() && (text_[at_] == '.' || (text_[at_] >= '0' && text_[at_] <= '9'))) {
      refuse_at(at, "a power must be a whole number");
    }
    skip_blanks();
    Product raised{1.0, {}, unit.is_generic, unit.has_size};
    for (int k = 0; k < power; ++k) raised = times(raised, unit, is_inverse ? -1 : 1, begin);
    return raised;
  }

  Product unit() {
    skip_blanks();
    const std::size_t at = at_;
    if (at == text_.size()) refuse("a unit must be here");
    if (take("(")) {
      if (++depth_ > kMostDepth) refuse_at(at, fmt::format("there may be {} parentheses", kMostDepth));
      const Product product = this->product();
      if (!take(")")) refuse("a parenthesis must end here");
      --depth_;
      return product;
    }
    if ((text_[at] >= '0' && text_[at] <= '9') || text_[at] == '.') return number();
    if (take("system.get(")) return base_of_system(at);
    if (take("nbody_system.") || take("nbody ")) return generic(word(), at);
    const std::string_view name = word();
    for (const std::string_view quantity : kQuantities) {
      if (name == quantity) return generic(name, at);
    }
    return named(name, at);
  }

  Product number() {
    Product number;
    const auto [end, reason] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number.size);
    if (reason != std::errc() || !(number.size > 0) || !std::isfinite(number.size)) {
      refuse("a number must be positive and in the range of doubles");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    skip_blanks();
    return number;
  }

  std::string_view word() {
    const std::size_t begin = at_;
    // Bytes above 127 are those of the sun's sign.
    while (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' ||
                                  static_cast<unsigned char>(text_[at_]) > 127)) {
      ++at_;
    }
    const std::string_view found = text_.substr(begin, at_ - begin);
    if (found.empty()) refuse_at(begin, "a number, the name of a unit or a parenthesis must be here");
    skip_blanks();
    return found;
  }

  /// What stands between quotes of either kind.
  std::string_view quoted() {
    const std::size_t at = at_;
    if (at == text_.size() || (text_[at] != '\'' && text_[at] != '"')) refuse("a name in quotes must be here");
    const std::size_t end = text_.find(text_[at], at + 1);
    if (end == std::string_view::npos) refuse("the quotes do not end");
    at_ = end + 1;
    return text_.substr(at + 1, end - at - 1);
  }

  Product base_of_system(std::size_t at) {
    const std::string_view system = quoted();
    if (!take(")")) refuse("a parenthesis must end here");
    if (!take(".base(")) refuse(".base( must be here");
    const std::string_view quantity = quoted();
    if (!take(")")) refuse("a parenthesis must end here");
    if (system == "generic") return generic(quantity, at);
    if (system != "S.I.") {
      refuse_at(at, fmt::format("the system must be 'S.I.' or 'generic', not '{}'", base::on_one_line(system)));
    }
    constexpr std::array<std::string_view, kQuantities.size()> kBases{"kg", "m", "s"};
    for (std::size_t k = 0; k < kQuantities.size(); ++k) {
      if (quantity == kQuantities.at(k)) return named(kBases.at(k), at);
    }
    refuse_quantity(quantity, at);
  }

  Product generic(std::string_view quantity, std::size_t at) const {
    for (std::size_t k = 0; k < kQuantities.size(); ++k) {
      if (quantity != kQuantities.at(k)) continue;
      Product product{1.0, {}, true, false};
      product.powers.at(k) = 1;
      return product;
    }
    refuse_quantity(quantity, at);
  }

  [[noreturn]] void refuse_quantity(std::string_view quantity, std::size_t at) const {
    refuse_at(at, fmt::format("'{}' must be one of {}", base::on_one_line(quantity), fmt::join(kQuantities, ", ")));
  }

  static Product product_of(const NamedUnit& unit, double factor) {
    return {factor * unit.size, powers_of(unit.of), false, true};
  }

  Product named(std::string_view name, std::size_t at) const {
    for (const UnitOf of : {UnitOf::mass, UnitOf::length, UnitOf::time, UnitOf::speed}) {
      if (const NamedUnit* const found = named_unit(of, name)) return product_of(*found, 1.0);
    }
    for (const NamedUnit& unit : named_units()) {
      for (const Prefix& prefix : kPrefixes) {
        const bool fits = unit.prefixes.find(prefix.letter) != std::string_view::npos &&
                          name.size() == unit.name.size() + 1 && name.front() == prefix.letter &&
                          name.substr(1) == unit.name;
        if (fits) return product_of(unit, prefix.size);
      }
    }
    std::vector<std::string_view> names;
    for (const NamedUnit& unit : named_units()) names.push_back(unit.name);
    refuse_at(at,
              fmt::format("'{}' is no unit of mass, length or time that is known: it must be one of {}, with the SI "
                          "prefixes of usual units",
                          base::on_one_line(name), fmt::join(names, ", ")));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

double kilogram() { return named_unit(UnitOf::mass, "kg")->size; }

/// The name of a unit of this size, or its size in SI.
std::string name_of(UnitOf of, double size) {
  const auto is_same = [&](double other) { return std::fabs(size / other - 1) < 1e-14; };
  for (const NamedUnit& unit : named_units()) {
    if (unit.of == of && of != UnitOf::speed && is_same(unit.size)) return std::string(unit.name);
    if (of != UnitOf::speed || unit.of != UnitOf::length) continue;
    for (const NamedUnit& time : named_units()) {
      if (time.of == UnitOf::time && is_same(unit.size / time.size)) return fmt::format("{}/{}", unit.name, time.name);
    }
  }
  switch (of) {
    case UnitOf::mass:
      return fmt::format("{:.6g} kg", size / kilogram());
    case UnitOf::length:
      return fmt::format("{:.6g} m", size);
    case UnitOf::time:
      return fmt::format("{:.6g} s", size);
    case UnitOf::speed:
      return fmt::format("{:.6g} m/s", size);
  }
  return {};
}

/// A base of AMUSE's generic system, or a multiple of one of SI.
std::string base_text(std::string_view quantity, std::optional<double> size) {
  if (!size) return fmt::format("system.get('generic').base('{}')", quantity);
  return fmt::format("({} * system.get('S.I.').base('{}'))", *size, quantity);
}

}  // namespace

std::string unit_text(UnitOf of, const std::optional<Units>& units) {
  switch (of) {
    case UnitOf::mass:
      return base_text("mass", units ? std::optional(units->mass / kilogram()) : std::nullopt);
    case UnitOf::length:
      return base_text("length", units ? std::optional(units->length) : std::nullopt);
    case UnitOf::time:
      return base_text("time", units ? std::optional(units->seconds) : std::nullopt);
    case UnitOf::speed:
      return fmt::format("({} * ({}**-1))", unit_text(UnitOf::length, units), unit_text(UnitOf::time, units));
  }
  return {};
}

Unit unit_from(UnitOf of, std::string_view text) {
  Expression expression(text);
  const Product product = expression.whole();
  if (product.powers != powers_of(of)) {
    const auto& [mass, length, time] = product.powers;
    throw Error(fmt::format("unit '{}' is refused: it is mass^{} length^{} time^{}, not {}",
                            base::on_one_line(text.substr(0, kMostShown)), mass, length, time, words_of(of)));
  }
  if (!(product.size >= kLeastSize && product.size <= kMostSize)) {
    expression.refuse(fmt::format("the size of the unit must be from {} to {}, in SI", kLeastSize, kMostSize));
  }
  if (product.is_generic) {
    return {product.size == 1 ? "generic" : fmt::format("{:.6g} generic", product.size), product.size, true};
  }
  return {name_of(of, product.size), product.size, false};
}

}  // namespace gdr::hostlib
