#include "branchy_functions.h"

#include <fmt/format.h>

#include <random>
#include <vector>

namespace gdr::compiler_testing {
namespace {

class BranchyWriter {
 public:
  explicit BranchyWriter(std::uint64_t seed) : random_(seed) {}

  std::string function(const std::string& name) {
    text_ = fmt::format("void {}(const I& i, const J& j, F& f, const P& p) {{\n", name);
    line("float l0 = " + datum() + ";");
    line("double l1 = j.t;");
    line("int n0 = i.k;");
    line("bool q0 = i.k == j.m;");
    held_ = one_in(4);
    if (held_) line("double held = f.r2;");
    block(1 + below(3), 0);
    if (held_) line("f.r2 = held;");
    change();  // so that each function has one
    return text_ + "}\n";
  }

 private:
  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <std::size_t N>
  std::string one_of(const char* const (&all)[N]) {
    return all[below(N)];
  }

  void line(const std::string& text) { text_ += std::string(2 * (depth_ + 1), ' ') + text + "\n"; }
  std::string quarter() { return fmt::format("{:.2f}f", 0.25 * static_cast<double>(1 + below(15))); }

  std::string datum() { return one_of({"i.x", "i.z", "j.u", "j.v", "p.a"}); }

  std::string number(unsigned depth) {
    if (depth == 0 || one_in(4)) return one_in(3) ? "l0" : one_in(4) ? quarter() : datum();
    switch (below(8)) {
      case 0:
      case 1:
        return fmt::format("({} + {})", number(depth - 1), number(depth - 1));
      case 2:
        return fmt::format("({} - {})", number(depth - 1), number(depth - 1));
      case 3:
        return fmt::format("{} * {}", datum(), datum());
      case 4:
        return fmt::format("std::{}({}, {})", one_of({"min", "max", "fmin", "fmax"}), number(depth - 1), datum());
      case 5:
        return fmt::format("std::fabs({})", number(depth - 1));
      case 6:
        return fmt::format("({} ? {} : {})", condition(depth - 1), number(depth - 1), number(depth - 1));
      default:
        return fmt::format("static_cast<float>({})", whole(depth - 1));
    }
  }

  std::string wide(unsigned depth) {
    switch (below(depth == 0 ? 2 : 5)) {
      case 0:
        return one_of({"i.w", "j.t", "l1"});
      case 1:
        return fmt::format("static_cast<double>({})", number(depth == 0 ? 0 : depth - 1));
      case 2:
        return fmt::format("({} + {})", wide(depth - 1), wide(depth - 1));
      case 3:
        return fmt::format("({} - {})", wide(depth - 1), wide(depth - 1));
      default:
        return fmt::format("0.5 * {}", one_of({"i.w", "j.t", "i.x", "j.v"}));
    }
  }

  std::string whole(unsigned depth) {
    if (depth == 0 || one_in(3)) return one_in(3) ? std::to_string(below(8)) : one_of({"i.k", "j.m", "p.b", "n0"});
    switch (below(6)) {
      case 0:
        return fmt::format("({} + {})", whole(depth - 1), whole(depth - 1));
      case 1:
        return fmt::format("({} - {})", whole(depth - 1), whole(depth - 1));
      case 2:
        return fmt::format("({} {} {})", whole(depth - 1), one_of({"&", "|", "^"}), whole(depth - 1));
      case 3:
        return fmt::format("({} ? {} : {})", condition(depth - 1), whole(depth - 1), whole(depth - 1));
      case 4:
        return fmt::format("std::{}({}, {})", one_of({"min", "max"}), whole(depth - 1), whole(depth - 1));
      default:
        return fmt::format("static_cast<int>({})", datum());
    }
  }

  std::string condition(unsigned depth) {
    if (depth > 0 && one_in(2)) {
      if (one_in(4)) return "!(" + condition(depth - 1) + ")";
      return fmt::format("({} {} {})", condition(depth - 1), one_of({"&&", "||"}), condition(depth - 1));
    }
    const std::string relation = one_of({"<", "<=", ">", ">=", "==", "!="});
    switch (below(6)) {
      case 0:
        return fmt::format("{} {} {}", wide(0), relation, quarter());
      case 1:
      case 2:
        return fmt::format("{} {} {}", whole(1), relation, whole(0));
      case 3:
        return "q0";
      default:
        return fmt::format("{} {} {}", number(1), relation, one_in(2) ? quarter() : datum());
    }
  }

  void change() {
    switch (below(held_ ? 13 : 12)) {
      case 0:
      case 1:
        return line(fmt::format("f.r0 {} {};", one_of({"+=", "-="}), one_in(4) ? wide(1) : number(1)));
      case 2:
      case 3:
        return line(fmt::format("f.r1 {} {};", one_of({"+=", "-="}), one_in(2) ? wide(1) : number(1)));
      case 4:
        if (!held_) return line(fmt::format("f.r2 += {};", wide(1)));
        [[fallthrough]];
      case 5:
        return line(fmt::format("f.c0 {} {};", one_of({"+=", "-="}), whole(1)));
      case 6:
        return line(one_in(2) ? "++f.c1;" : fmt::format("f.c1 += {};", whole(2)));
      case 7: {
        const std::string value = number(1);
        return line(one_in(2) ? fmt::format("f.least = std::min(f.least, {});", value)
                              : fmt::format("if (const float e = {}; e < f.least) f.least = e;", value));
      }
      case 8:
        return line(fmt::format("f.most = std::max(f.most, {});", wide(1)));
      case 9:
        return line(fmt::format("f.low = std::min(f.low, {});", whole(1)));
      case 10:
        return line(fmt::format("f.{};", one_in(2) ? "all &= " + whole(1) + " | 8" : "any |= " + whole(1)));
      case 11:
        return line(fmt::format("f.odd ^= {};", whole(1)));
      default:
        return line(fmt::format("held += {};", wide(1)));
    }
  }

  void assignment() {
    switch (below(4)) {
      case 0:
        return line(fmt::format("l0 {} {};", one_of({"=", "+=", "-="}), number(1)));
      case 1:
        return line(fmt::format("l1 {} {};", one_of({"=", "+="}), wide(1)));
      case 2:
        return line(fmt::format("n0 {} {};", one_of({"=", "+="}), whole(1)));
      default:
        return line("q0 = " + condition(1) + ";");
    }
  }

  void block(std::size_t statements, unsigned loops) {
    for (; statements > 0; --statements) statement(loops);
  }

  void inside(const std::string& head, unsigned loops) {
    line(head + " {");
    ++depth_;
    block(one_in(3) ? 2 : 1, loops);
    --depth_;
  }

  void statement(unsigned loops) {
    const std::size_t kind = depth_ >= 2 ? below(4) : below(10);
    switch (kind) {
      case 0:
        return assignment();
      case 1:
      case 2:
        return change();
      case 3:
        if (loops > 0) return line(fmt::format("if ({}) {};", condition(1), one_of({"break", "continue"})));
        return depth_ < 2 && one_in(2) ? line(fmt::format("if ({}) return;", condition(1))) : change();
      case 4:
      case 5:
        inside(fmt::format("if ({})", condition(depth_ == 0 ? 2 : 1)), loops);
        if (one_in(2)) inside("} else", loops);
        return line("}");
      case 6:
        inside(fmt::format("if ({})", condition(1)), loops);
        for (std::size_t n = 1 + below(3); n > 0; --n) inside(fmt::format("}} else if ({})", condition(1)), loops);
        if (one_in(2)) inside("} else", loops);
        return line("}");
      case 7:
      case 8:
        return choice();
      default:
        if (loops > 0) return change();
        inside(fmt::format("for (int n = 0; n < {}; ++n)", 2 + below(3)), loops + 1);
        line(fmt::format("  f.r1 += static_cast<float>(n) * {};", datum()));
        return line("}");
    }
  }

  void choice() {
    line(fmt::format("switch ({}) {{", one_in(2) ? "(i.k + j.m) & 3" : whole(1)));
    ++depth_;
    const std::size_t cases = 2 + below(3);
    for (std::size_t n = 0; n < cases; ++n) {
      line(fmt::format("case {}:", n));
      block(1, 0);
      if (!one_in(3)) line("break;");
    }
    if (one_in(2)) {
      line("default:");
      block(1, 0);
    }
    --depth_;
    line("}");
  }

  std::mt19937_64 random_;
  std::string text_;
  unsigned depth_ = 0;
  bool held_ = false;
};

}  // namespace

std::string branchy_function(const std::string& name, std::uint64_t seed) { return BranchyWriter(seed).function(name); }

std::string branchy_prologue() {
  return "#include <gdr/kernel.h>\n#include <algorithm>\n#include <cmath>\n"
         "struct I { float x, z; double w; int k; };\nstruct J { float u, v; double t; int m; };\n"
         "struct F { float r0; double r1, r2; int c0, c1; float least; double most; int low, all, any, odd; };\n"
         "struct P { float a; int b; };\n";
}

}  // namespace gdr::compiler_testing
