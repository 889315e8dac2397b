// Directives of XcalableMP and OpenACC, and those for the board, as words and as what they say. Nothing here refers to
// clang.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pair/pair_function.h"

namespace gdr::compiler {

/// A word of a directive, after macros.
struct XaccWord {
  std::string text;
  Place place;
};

/// A line #pragma xmp, #pragma acc or #pragma goose.
struct XaccPragma {
  std::string space;            // xmp, acc or goose
  std::vector<XaccWord> words;  // behind it
  Place place;                  // of the word xmp, acc or goose
  std::size_t begin = 0;        // offset of the #
  std::size_t end = 0;          // offset of the end of the line, continuations included
};

/// What is refused, and where. Thrown inside this folder only.
struct XaccRefusal {
  Place place;
  std::string text;
};

enum class XaccKind : std::uint8_t {
  nodes,
  template_of,
  distribute,
  align,
  shadow,
  loop,
  reflect,
  reflect_init,
  reflect_do,
  barrier,
  bcast,
  task,
  reduction,
  gmove,
  acc_compute,  // parallel or kernels, with or without loop
  acc_loop,
  board,     // goose: a loop for the board, which gdr/compiler/goose.h compiles
  acc_other  // data, update, wait, host_data: nothing to do where the device's memory is the host's
};

/// The operations of a reduction, in the order of the runtime's numbers.
enum class XaccOperation : std::uint8_t { sum, product, most, least, and_bits, or_bits, xor_bits };

struct XaccReduction {
  XaccOperation operation = XaccOperation::sum;
  std::string variable;
  Place place;
};

/// low:high, each a C expression; a single place if there is no colon. In sections of arrays (gmove) low:length;
/// without a length, up to the end.
struct XaccRange {
  bool all = false;      // *; in sections [:]
  bool section = false;  // has a colon, in a section
  std::string low;
  std::string high;
  Place place;
};

/// Something with subscripts, the fastest first, as t(j, i) or t[i][j]; subscripts in brackets count from 0.
struct XaccReference {
  std::string name;
  Place place;
  std::vector<XaccRange> at;
  bool brackets = false;
};

struct XaccWidth {
  long low = 0;
  long high = 0;
  bool periodic = false;
  bool full = false;  // a shadow that holds all elements of the dimension

  [[nodiscard]] bool any() const { return full || low > 0 || high > 0; }
  bool operator==(const XaccWidth&) const = default;
};

struct XaccDirective {
  XaccKind kind = XaccKind::acc_other;
  const XaccPragma* pragma = nullptr;
  XaccReference subject;            // nodes, template, distribute, align, shadow: what is declared; gmove: left side
  XaccReference on;                 // distribute onto, align with, loop and task on, bcast from; gmove: right side
  std::vector<XaccWord> names;      // counters of a loop, the outer first if it is the board's; arrays of a reflect;
                                    // variables of a bcast
  std::vector<XaccWidth> widths;    // of shadow and reflect, by dimension of the array
  std::vector<XaccReduction> sums;  // of loop, reduction, acc loops
  XaccWord among;                   // barrier, bcast, reduction: the nodes behind on, which are all nodes
  bool orthogonal = false;          // reflect without corners
};

/// Reads a directive. Throws XaccRefusal, with the name of the directive, for all that is not taken.
[[nodiscard]] XaccDirective read_directive(const XaccPragma& pragma);

/// The value of a constant expression of +, -, *, /, % and parentheses. Throws XaccRefusal.
[[nodiscard]] long constant_value(const std::string& expression, const Place& place, const std::string& what);

}  // namespace gdr::compiler
