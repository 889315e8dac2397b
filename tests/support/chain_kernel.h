// Sources of random kernels that are written as people write them first: one operation in each line, results through
// few registers, T from one line to a later one, flags and conditions.
#pragma once

#include <array>
#include <string>
#include <utility>

#include "gdr/selftest/random_program.h"

namespace gdr::tests {

/// The same seed gives the same source with every compiler: no two random choices stand in one expression.
class ChainKernel {
 public:
  explicit ChainKernel(std::uint64_t seed) : random_(seed) {}

  /// Every line stands behind a `nop` but those that read T, so that all of them are legal.
  [[nodiscard]] std::string source(unsigned operations) {
    std::string text =
        "kernel chain\nbvar long xj elt\nbvar short mj elt\nvar vector long xi hlt\nvar vector short si hlt\n"
        "var vector long sum rrn flt72to64 fadd\nvar vector long most rrn flt72to64 fmax\n"
        "var vector long bits rrn none uxor\nvar vector long kept\nvar vector short less\n"
        "loop initialization\n  uxor $lt $lt $lt $ok1\n  upassa $lt $ok2.z\n  upassa $lt sum\n  upassa $lt most\n  "
        "upassa $lt bits\n"
        "  upassa $lt kept\n  upassa $t less\n";
    for (const std::string_view name : kLong) text += "  upassa xi " + std::string(name) + "\n";
    for (const std::string_view name : kShort) text += "  upassa si " + std::string(name) + "\n";
    text += "  nop\nloop body\n  fsub xj xi $lr0v $lt\n  fmul xi mj $r32v\n  nop\n";
    for (unsigned operation = 0; operation < operations; ++operation) text += this->operation();
    text += "  nop\n  fadd sum $lr0v sum\n  nop\n  fmax most $lr8v most\n  nop\n  uxor bits $lr16v bits\n  nop\n";
    text += "  upassa kept $lt\n  uxor bits $lt bits\n  nop\n";
    return text;
  }

 private:
  static constexpr std::array<std::string_view, 4> kLong{"$lr0v", "$lr8v", "$lr16v", "kept"};
  static constexpr std::array<std::string_view, 4> kShort{"$r32v", "$r36v", "$r40v", "less"};

  template <std::size_t Count>
  std::string one_of(const std::array<std::string_view, Count>& names) {
    return std::string(names[random_.below(Count)]);
  }
  std::string register_of(bool is_long) { return is_long ? one_of(kLong) : one_of(kShort); }

  std::string operation() {
    const bool is_long = random_.one_in(2);
    const bool floating = !random_.one_in(4);
    const bool from_t = t_is_long_ == is_long && random_.one_in(2);
    std::string a = from_t ? (is_long ? "$lt" : "$t") : register_of(is_long);
    if (random_.one_in(8)) a = is_long ? "xi" : "si";
    std::string text = "  ";
    if (floating) {
      const bool product = random_.one_in(2);
      std::string b = product ? one_of(kShort) : register_of(random_.one_in(2));
      if (random_.one_in(6)) b = "mj";
      text += product ? "fmul " : random_.one_in(2) ? "fadd " : "fsub ";
      text += a + " " + b;
    } else {
      text += random_.one_in(2) ? "uxor " : "uadd ";
      text += a + " " + register_of(is_long);
    }
    const std::string to = register_of(is_long);
    if (clashes(text)) return "";
    text += " " + to;
    if (random_.one_in(5)) {
      text += random_.one_in(2) ? "/" : "/!";
      text += random_.one_in(2) ? "1" : "2";
    }
    if (random_.one_in(2)) {
      text += is_long ? " $lt" : " $t";
      if (random_.one_in(6)) {
        text += "/1";
        if (t_is_long_ != is_long) return "";
      }
      t_is_long_ = is_long;
    }
    if (random_.one_in(6)) text += random_.one_in(2) ? " $ok1" : " $ok2.z";
    return text + "\n  nop\n";
  }

  /// True if a line would need more than the one port of local memory.
  static bool clashes(const std::string& sources) {
    int taken = 0;
    for (const std::string_view name : {"xi", "si", "kept", "less"}) {
      taken += sources.find(name) != std::string::npos ? 1 : 0;
    }
    return taken > 1;
  }

  selftest::RandomPrograms random_;
  bool t_is_long_ = true;
};

}  // namespace gdr::tests
