// What libc++ 13, which Debian 12's emscripten brings, lacks of the C++20 that the components use. The build for the
// browser includes it in front of every source; no other build knows it. It adds to namespace std what the standard
// puts there, in the forms that the components call and no others.
#pragma once

#ifdef __cplusplus
#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000
#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

_LIBCPP_BEGIN_NAMESPACE_STD

template <class To, class From>
[[nodiscard]] constexpr To bit_cast(const From& from) noexcept {
  static_assert(sizeof(To) == sizeof(From) && is_trivially_copyable_v<To> && is_trivially_copyable_v<From>);
  return __builtin_bit_cast(To, from);
}

/// The guides of this library make a span of characters that can be written to.
span(string_view) -> span<const char>;

/// The module has one thread.
template <class Number>
class atomic_ref {
 public:
  explicit atomic_ref(Number& number) : number_(&number) {}
  Number fetch_and(Number bits) { return exchange(*number_ & bits); }
  Number fetch_or(Number bits) { return exchange(*number_ | bits); }
  Number load() const { return *number_; }
  void store(Number number) { *number_ = number; }

 private:
  Number exchange(Number now) {
    const Number before = *number_;
    *number_ = now;
    return before;
  }
  Number* number_;
};

// ---- numbers --------------------------------------------------------------------------------------------------------

/// By strtod() of musl, which rounds correctly. That takes blanks, signs, hexadecimal numbers, infinities and NaN, too:
/// what the standard's function takes is cut out first.
template <class Real>
  requires is_floating_point_v<Real>
from_chars_result from_chars(const char* first, const char* last, Real& value) {
  const auto digit = [&](const char* at) { return at != last && *at >= '0' && *at <= '9'; };
  const auto word = [&](const char* at, string_view lower) {
    for (const char c : lower) {
      if (at == last || (*at | 0x20) != c) return false;
      ++at;
    }
    return true;
  };
  const char* const begin = first != last && *first == '-' ? first + 1 : first;
  const char* end = begin;
  if (word(begin, "inf")) {
    end += word(begin, "infinity") ? 8 : 3;
  } else if (word(begin, "nan")) {
    end += 3;
  } else {
    while (digit(end)) ++end;
    bool digits = end != begin;
    if (end != last && *end == '.') {
      const char* const point = end++;
      while (digit(end)) ++end;
      digits = digits || end != point + 1;
    }
    if (!digits) return {first, errc::invalid_argument};
    if (end != last && (*end | 0x20) == 'e') {
      const char* exponent = end + 1;
      if (exponent != last && (*exponent == '+' || *exponent == '-')) ++exponent;
      if (digit(exponent)) {
        while (digit(exponent)) ++exponent;
        end = exponent;
      }
    }
  }
  const string text(first, end);
  const int before = errno;
  errno = 0;
  const Real read =
      static_cast<Real>(sizeof(Real) == sizeof(float) ? strtof(text.c_str(), nullptr) : strtod(text.c_str(), nullptr));
  // A subnormal number is in range, though strtod() may say otherwise; zero of digits that are none is not.
  const bool out = errno == ERANGE && (read == 0 || read == Real(HUGE_VAL) || read == -Real(HUGE_VAL));
  errno = before;
  if (out) return {end, errc::result_out_of_range};
  value = read;
  return {end, errc()};
}

// ---- algorithms of ranges -------------------------------------------------------------------------------------------

namespace ranges {
namespace missing {

template <class Range>
using Iterator = decltype(std::begin(std::declval<Range&>()));

template <class Function, class Projection>
auto projected(Function& function, Projection& projection) {
  return [&](auto&&... values) -> decltype(auto) {
    return std::invoke(function, std::invoke(projection, static_cast<decltype(values)&&>(values))...);
  };
}

}  // namespace missing

template <class Range, class Value, class Projection = identity>
constexpr auto find(Range&& range, const Value& value, Projection projection = {}) {
  auto at = std::begin(range);
  while (at != std::end(range) && !(std::invoke(projection, *at) == value)) ++at;
  return at;
}

template <class Range, class Value, class Projection = identity>
constexpr auto count(Range&& range, const Value& value, Projection projection = {}) {
  typename iterator_traits<missing::Iterator<Range>>::difference_type found = 0;
  for (auto&& entry : range) found += std::invoke(projection, entry) == value ? 1 : 0;
  return found;
}

template <class Range, class Value>
constexpr void replace(Range&& range, const Value& before, const Value& after) {
  std::replace(std::begin(range), std::end(range), before, after);
}

template <class Range, class Predicate, class Projection = identity>
constexpr bool any_of(Range&& range, Predicate predicate, Projection projection = {}) {
  for (auto&& entry : range) {
    if (std::invoke(predicate, std::invoke(projection, entry))) return true;
  }
  return false;
}

template <class Range, class Predicate, class Projection = identity>
constexpr bool none_of(Range&& range, Predicate predicate, Projection projection = {}) {
  return !ranges::any_of(range, predicate, projection);
}

template <class Range, class Predicate, class Projection = identity>
constexpr bool all_of(Range&& range, Predicate predicate, Projection projection = {}) {
  for (auto&& entry : range) {
    if (!std::invoke(predicate, std::invoke(projection, entry))) return false;
  }
  return true;
}

template <class Range, class Predicate, class Projection = identity>
constexpr auto count_if(Range&& range, Predicate predicate, Projection projection = {}) {
  typename iterator_traits<missing::Iterator<Range>>::difference_type found = 0;
  for (auto&& entry : range) found += std::invoke(predicate, std::invoke(projection, entry)) ? 1 : 0;
  return found;
}

template <class Range, class Predicate, class Projection = identity>
constexpr auto find_if(Range&& range, Predicate predicate, Projection projection = {}) {
  auto at = std::begin(range);
  while (at != std::end(range) && !std::invoke(predicate, std::invoke(projection, *at))) ++at;
  return at;
}

template <class Range, class Function>
constexpr void for_each(Range&& range, Function function) {
  std::for_each(std::begin(range), std::end(range), function);
}

template <class Range, class Out, class Function>
constexpr void transform(Range&& range, Out out, Function function) {
  std::transform(std::begin(range), std::end(range), out, function);
}

template <class Range, class Value>
constexpr bool binary_search(Range&& range, const Value& value) {
  return std::binary_search(std::begin(range), std::end(range), value);
}

template <class First, class Second, class Predicate = equal_to>
constexpr bool equal(First&& first, Second&& second, Predicate predicate = {}) {
  return std::equal(std::begin(first), std::end(first), std::begin(second), std::end(second), predicate);
}

template <class First, class Second>
constexpr auto mismatch(First&& first, Second&& second) {
  return std::mismatch(std::begin(first), std::end(first), std::begin(second), std::end(second));
}

template <class Range, class Out>
constexpr void copy(Range&& range, Out out) {
  std::copy(std::begin(range), std::end(range), out);
}

template <class Range, class Out, class Predicate>
constexpr void copy_if(Range&& range, Out out, Predicate predicate) {
  std::copy_if(std::begin(range), std::end(range), out, predicate);
}

template <class Range, class Value>
constexpr void fill(Range&& range, const Value& value) {
  std::fill(std::begin(range), std::end(range), value);
}

template <class Range, class Compare = less, class Projection = identity>
constexpr void sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::sort(std::begin(range), std::end(range), missing::projected(compare, projection));
}

template <class Range, class Compare = less, class Projection = identity>
constexpr void stable_sort(Range&& range, Compare compare = {}, Projection projection = {}) {
  std::stable_sort(std::begin(range), std::end(range), missing::projected(compare, projection));
}

template <class Range, class Compare = less, class Projection = identity>
constexpr auto max_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::max_element(std::begin(range), std::end(range), missing::projected(compare, projection));
}

template <class Iterator>
struct min_max_result {
  Iterator min;
  Iterator max;
};

template <class Range, class Compare = less, class Projection = identity>
constexpr auto min_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  return std::min_element(std::begin(range), std::end(range), missing::projected(compare, projection));
}

template <class Range>
constexpr auto reverse(Range&& range) {
  std::reverse(std::begin(range), std::end(range));
  return std::end(range);
}

template <class Range, class Compare = less, class Projection = identity>
constexpr auto minmax_element(Range&& range, Compare compare = {}, Projection projection = {}) {
  const auto [least, most] =
      std::minmax_element(std::begin(range), std::end(range), missing::projected(compare, projection));
  return min_max_result<missing::Iterator<Range>>{least, most};
}

template <class Range>
constexpr auto minmax(Range&& range) {
  const auto [least, most] = std::minmax_element(std::begin(range), std::end(range));
  return min_max_result<remove_cvref_t<decltype(*least)>>{*least, *most};
}

template <class Range, class Value, class Compare = less, class Projection = identity>
constexpr auto lower_bound(Range&& range, const Value& value, Compare compare = {}, Projection projection = {}) {
  return std::lower_bound(std::begin(range), std::end(range), value, [&](auto&& entry, const Value& wanted) {
    return std::invoke(compare, std::invoke(projection, entry), wanted);
  });
}

template <class Range, class Value, class Compare = less, class Projection = identity>
constexpr auto upper_bound(Range&& range, const Value& value, Compare compare = {}, Projection projection = {}) {
  return std::upper_bound(std::begin(range), std::end(range), value, [&](const Value& wanted, auto&& entry) {
    return std::invoke(compare, wanted, std::invoke(projection, entry));
  });
}

/// With the members of a subrange that a loop over it takes.
template <class Iterator>
struct found_range {
  Iterator first;
  Iterator last;
  constexpr Iterator begin() const { return first; }
  constexpr Iterator end() const { return last; }
  constexpr bool empty() const { return first == last; }
};

template <class Range, class Value, class Compare = less, class Projection = identity>
constexpr auto equal_range(Range&& range, const Value& value, Compare compare = {}, Projection projection = {}) {
  return found_range<missing::Iterator<Range>>{ranges::lower_bound(range, value, compare, projection),
                                               ranges::upper_bound(range, value, compare, projection)};
}

/// What is left over behind the entries that differ from the ones before them.
template <class Range>
constexpr auto unique(Range&& range) {
  return found_range<missing::Iterator<Range>>{std::unique(std::begin(range), std::end(range)), std::end(range)};
}

}  // namespace ranges

namespace views {

/// The numbers from `first` up to before `last`.
template <class Number>
class numbers_between {
 public:
  class iterator {
   public:
    using iterator_category = forward_iterator_tag;
    using value_type = Number;
    using difference_type = ptrdiff_t;
    using pointer = const Number*;
    using reference = Number;

    constexpr iterator() = default;
    constexpr explicit iterator(Number at) : at_(at) {}
    constexpr Number operator*() const { return at_; }
    constexpr iterator& operator++() {
      ++at_;
      return *this;
    }
    constexpr iterator operator++(int) { return iterator(at_++); }
    constexpr bool operator==(const iterator&) const = default;

   private:
    Number at_{};
  };

  constexpr numbers_between(Number first, Number last) : first_(first), last_(last) {}
  constexpr iterator begin() const { return iterator(first_); }
  constexpr iterator end() const { return iterator(last_); }

 private:
  Number first_;
  Number last_;
};

template <class Number>
constexpr numbers_between<Number> iota(Number first, Number last) {
  return {first, last};
}

}  // namespace views

_LIBCPP_END_NAMESPACE_STD
#endif
#endif
