#include "program_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "programs/c_string.h"

namespace gdr::compiler {
namespace {

/// The calls of interconnect/src/xmp/xmp_calls.h, and bounds of a rank's loops: `from` is the first step at or above
/// `low`, `until` the lesser of two ends, `count` the number of steps. With `inclusive` ends, the caller adds 1.
constexpr const char* kCalls = R"(void gdr_xmp_begin(int*, char***, const char*);
void gdr_xmp_nodes(const char*, int, const long*, int);
void gdr_xmp_template(const char*, int, int, const long*, const int*, long*);
void* gdr_xmp_array(const char*, int, __SIZE_TYPE__, int, int, const long*, const int*, const long*, int, long*, long*);
void gdr_xmp_parameter(const char*, int, int, int, const long*, const int*, const long*, long*, long*);
int gdr_xmp_passed(const void*, const char*, int);
void gdr_xmp_reflect_init(int, const long*, const int*, int, int);
void gdr_xmp_reflect_do(int, int);
void gdr_xmp_move_side(int, int, void*, int, const long*, const long*);
void gdr_xmp_move(__SIZE_TYPE__, int);
void gdr_xmp_barrier(void);
void gdr_xmp_bcast(void*, __SIZE_TYPE__, int, int);
int gdr_xmp_is_on_nodes(int, const long*, int, int);
int gdr_xmp_is_on_template(int, const long*, int);
void gdr_xmp_sum_begin(int, double, int);
void gdr_xmp_term(int, double, int, int, long, long, long, long);
double gdr_xmp_sum_end(int);
double gdr_xmp_sum_end_among(int, int, unsigned long);
double gdr_xmp_sum_merge(int, double, int);
void gdr_xmp_reduce(void*, int, int, int, unsigned long);
void gdr_xmp_spend(double, double);
void gdr_xmp_not_timed(int);
void gdr_xmp_outside(const char*, int, long, const long*, int) __attribute__((noreturn));
static inline long gdr_xmp_from(long first, long step, long low) {
  return first >= low ? first : first + (low - first + step - 1) / step * step;
}
static inline long gdr_xmp_until(long end, long limit) { return end < limit ? end : limit; }
static inline double gdr_xmp_count(long first, long end, long step, long low, long limit) {
  const long begin = gdr_xmp_from(first, step, low), stop = gdr_xmp_until(end, limit);
  return begin < stop ? (double)((stop - begin + step - 1) / step) : 0;
}
)";

std::string names(const XaccArray& array) {
  std::string all;
  for (std::size_t d = 0; d < array.extents.size(); ++d) all += fmt::format("{}long i{}", d == 0 ? "" : ", ", d);
  return all;
}

/// Functions that turn subscripts of the whole array into a place in the rank's; range: first, end, first with shadow,
/// end with shadow of each dimension.
std::string access(const XaccArray& array, std::size_t n) {
  std::string place;
  std::string check;
  std::string passed;
  for (std::size_t d = 0; d < array.extents.size(); ++d) {
    place += fmt::format("i{} * gdr_xmp_pitch_{}[{}] + ", d, n, d);
    check += fmt::format(
        "  if (i{0} < gdr_xmp_range_{1}[{2} + (writes ? 0 : 2)] || i{0} >= gdr_xmp_range_{1}[{2} + (writes ? 1 : 3)]) "
        "gdr_xmp_outside(\"{3}\", {0}, i{0}, gdr_xmp_range_{1} + {2}, line);\n",
        d, n, 4 * d, array.name);
    passed += fmt::format("{}i{}", d == 0 ? "" : ", ", d);
  }
  return fmt::format(
      "static long gdr_xmp_pitch_{0}[{1}], gdr_xmp_range_{0}[{2}];\n"
      "static inline long gdr_xmp_at_{0}({3}) {{ return {4}gdr_xmp_pitch_{0}[{5}]; }}\n"
      "static inline long gdr_xmp_checked_{0}(int line, int writes, {3}) {{\n{6}"
      "  return gdr_xmp_at_{0}({7});\n}}\n",
      n, array.extents.size() + 1, 4 * array.extents.size(), names(array), place, array.extents.size(), check, passed);
}

template <class T>
std::string list(const char* type, const std::vector<T>& values) {
  return fmt::format("({}[]){{{}}}", type, fmt::join(values, ", "));
}

}  // namespace

std::string xacc_head(const XaccText& text, const std::string& file) {
  std::string out = kCalls;
  for (std::size_t t = 0; t < text.layout.templates.size(); ++t)
    out += fmt::format("static long gdr_xmp_block_{}[{}];\n", t, 2 * text.layout.templates[t].bounds.size());
  for (std::size_t n = 0; n < text.layout.arrays.size(); ++n) out += access(text.layout.arrays[n], n);
  return out + fmt::format("static void gdr_xmp_set_up(void);\n#line 1 {}\n", c_string(file));
}

std::string xacc_tail(const XaccText& text, const std::string& file) {
  const XaccLayout& layout = text.layout;
  std::string out = fmt::format("\n#line 1 {}\nstatic void gdr_xmp_set_up(void) {{\n", c_string(file));
  for (const XaccNodes& one : layout.nodes) {
    out +=
        fmt::format("  gdr_xmp_nodes(\"{}\", {}, {}, 0);\n", one.name, one.extents.size(), list("long", one.extents));
  }
  for (std::size_t t = 0; t < layout.templates.size(); ++t) {
    const XaccTemplate& one = layout.templates[t];
    if (one.nodes < 0) continue;
    std::vector<long> bounds;
    for (const auto& [first, last] : one.bounds) bounds.insert(bounds.end(), {first, last});
    out += fmt::format("  gdr_xmp_template(\"{}\", {}, {}, {}, {}, gdr_xmp_block_{});\n", one.name, one.nodes,
                       one.bounds.size(), list("long", bounds), list("int", one.node_dimension), t);
  }
  for (std::size_t n = 0; n < layout.arrays.size(); ++n) {
    const XaccArray& one = layout.arrays[n];
    std::vector<long> shadow;
    for (const XaccWidth& width : one.shadow) {
      if (width.full) {
        shadow.insert(shadow.end(), {-1, -1});
      } else {
        shadow.insert(shadow.end(), {width.low, width.high});
      }
    }
    if (one.parameter) {
      out += fmt::format(
          "  gdr_xmp_parameter(\"{0}\", {1}, {2}, {3}, {4}, {5}, {6}, gdr_xmp_pitch_{7}, gdr_xmp_range_{7});\n",
          one.name, text.lines[n], one.on, one.extents.size(), list("long", one.extents), list("int", one.along),
          list("long", shadow), n);
      continue;
    }
    out += fmt::format(
        "  {0} = gdr_xmp_array(\"{0}\", {1}, sizeof *{0}, {2}, {3}, {4}, {5}, {6}, {7}, gdr_xmp_pitch_{8}, "
        "gdr_xmp_range_{8});\n",
        one.name, text.lines[n], one.on, one.extents.size(), list("long", one.extents), list("int", one.along),
        list("long", shadow), one.diagonal ? 1 : 0, n);
  }
  return out + "}\n";
}

}  // namespace gdr::compiler
