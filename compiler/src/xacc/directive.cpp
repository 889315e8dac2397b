// The grammar of directives.
#include "directive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

namespace gdr::compiler {
namespace {

class DirectiveReader {
 public:
  explicit DirectiveReader(const XaccPragma& pragma) : pragma_(pragma) {}

  XaccDirective read() {
    directive_.pragma = &pragma_;
    if (pragma_.words.empty()) refuse("a directive has no name");
    const std::string name = word();
    title_ = pragma_.space + " " + name;
    if (pragma_.space == "acc") {
      read_acc(name);
    } else if (pragma_.space == "goose") {
      read_board();
    } else {
      read_xmp(name);
    }
    if (!at_end()) refuse(fmt::format("'{}' in the directive {} is not taken", word(), title_));
    return directive_;
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ >= pragma_.words.size(); }
  [[nodiscard]] std::string word() const { return at_end() ? std::string() : pragma_.words[at_].text; }
  [[nodiscard]] Place place() const { return at_end() ? pragma_.place : pragma_.words[at_].place; }
  [[noreturn]] void refuse(const std::string& text) const { throw XaccRefusal{place(), text}; }

  [[nodiscard]] bool accept(std::string_view text) {
    if (word() != text) return false;
    ++at_;
    return true;
  }

  void take(std::string_view text) {
    if (accept(text)) return;
    refuse(fmt::format("'{}' is expected in the directive {}{}", text, title_,
                       at_end() ? std::string(" at its end") : fmt::format(" before '{}'", word())));
  }

  XaccWord take_name() {
    const std::string text = word();
    if (text.empty() || (std::isalpha(static_cast<unsigned char>(text[0])) == 0 && text[0] != '_')) {
      refuse(fmt::format("a name is expected in the directive {}", title_));
    }
    return pragma_.words[at_++];
  }

  /// The words up to one of `ends` outside of parentheses, joined by blanks.
  std::string expression(std::string_view ends) {
    std::string text;
    int depth = 0;
    for (; !at_end(); ++at_) {
      const std::string next = word();
      if (depth == 0 && next.size() == 1 && ends.find(next[0]) != std::string_view::npos) break;
      if (next == "(" || next == "[") ++depth;
      if (next == ")" || next == "]") --depth;
      text += (text.empty() ? "" : " ") + next;
    }
    if (text.empty()) refuse(fmt::format("an expression is expected in the directive {}", title_));
    return text;
  }

  XaccRange range(char end) {
    const std::string ends = std::string(":,") + end;
    XaccRange one;
    one.place = place();
    if (accept("*")) {
      one.all = true;
      return one;
    }
    one.low = one.high = expression(ends);
    if (accept(":")) one.high = expression(ends);
    if (word() == ":") refuse(fmt::format("a stride in the directive {} is not taken", title_));
    return one;
  }

  /// name(a, b) or name[b][a]: the fastest first.
  XaccReference reference() {
    XaccReference found;
    const XaccWord name = take_name();
    found.name = name.text;
    found.place = name.place;
    if (accept("(")) {
      do found.at.push_back(range(')'));
      while (accept(","));
      take(")");
      return found;
    }
    if (word() != "[") take("(");
    found.brackets = true;
    while (accept("[")) {
      found.at.push_back(range(']'));
      take("]");
    }
    std::ranges::reverse(found.at);
    return found;
  }

  /// array[a][b]: in the order of the array.
  XaccReference element() {
    XaccReference found = reference();
    if (!found.brackets) {
      throw XaccRefusal{found.place,
                        fmt::format("the directive {} wants '{}' with its subscripts in brackets", title_, found.name)};
    }
    std::ranges::reverse(found.at);
    return found;
  }

  void read_xmp(const std::string& name) {
    static const std::map<std::string_view, std::pair<XaccKind, void (DirectiveReader::*)()>> known{
        {"nodes", {XaccKind::nodes, &DirectiveReader::read_subject}},
        {"template", {XaccKind::template_of, &DirectiveReader::read_subject}},
        {"distribute", {XaccKind::distribute, &DirectiveReader::read_distribute}},
        {"align", {XaccKind::align, &DirectiveReader::read_align}},
        {"shadow", {XaccKind::shadow, &DirectiveReader::read_shadow}},
        {"loop", {XaccKind::loop, &DirectiveReader::read_loop}},
        {"reflect", {XaccKind::reflect, &DirectiveReader::read_reflect}},
        {"reflect_init", {XaccKind::reflect_init, &DirectiveReader::read_reflect}},
        {"reflect_do", {XaccKind::reflect_do, &DirectiveReader::read_reflect}},
        {"barrier", {XaccKind::barrier, &DirectiveReader::read_among}},
        {"bcast", {XaccKind::bcast, &DirectiveReader::read_bcast}},
        {"task", {XaccKind::task, &DirectiveReader::read_task}},
        {"reduction", {XaccKind::reduction, &DirectiveReader::read_reduction}},
        {"gmove", {XaccKind::gmove, &DirectiveReader::read_gmove}},
    };
    const auto found = known.find(name);
    if (found == known.end()) {
      refuse(
          fmt::format("the directive xmp {} is not taken; taken are nodes, template, distribute, align, shadow, "
                      "loop, reflect, reflect_init, reflect_do, barrier, bcast, task, reduction and gmove",
                      name));
    }
    ++at_;
    directive_.kind = found->second.first;
    (this->*found->second.second)();
  }

  /// Every node set has all ranks, so that it may be named, but no part of it.
  void read_among() {
    if (accept("on")) directive_.among = take_name();
  }
  void read_subject() { directive_.subject = reference(); }

  void read_distribute() {
    directive_.subject = reference();
    for (const XaccRange& one : directive_.subject.at) {
      if (one.all || one.low == "block") continue;
      throw XaccRefusal{one.place,
                        fmt::format("the directive xmp distribute: {} is not taken; taken are block and *", one.low)};
    }
    take("onto");
    directive_.on.place = place();
    directive_.on.name = take_name().text;
  }

  void read_align() {
    directive_.subject = element();
    take("with");
    directive_.on = reference();
    for (const XaccReference* side : {&directive_.subject, &directive_.on}) {
      for (const XaccRange& one : side->at) require_plain(one);
    }
  }

  /// A subscript that is a name or *.
  void require_plain(const XaccRange& one) const {
    if (one.all || (one.low == one.high && one.low.find(' ') == std::string::npos)) return;
    throw XaccRefusal{
        one.place, fmt::format("the directive {}: '{}' is not taken; a subscript is one name, or *", title_, one.low)};
  }

  /// The counters only: the compiler of the board's loops reads the directive, and says what is wrong with it.
  void read_board() {
    if (word() != "func") directive_.kind = XaccKind::board;
    while (!at_end() && !accept("loopcounter")) ++at_;
    if (!at_end() && accept("(")) names(')');
    at_ = pragma_.words.size();
  }

  static long number(const XaccRange& one, const std::string& text, const std::string& what) {
    const long value = constant_value(text, one.place, what);
    if (value < 0) throw XaccRefusal{one.place, fmt::format("{} of {} is refused: it is at least 0", what, value)};
    return value;
  }

  void read_shadow() {
    directive_.subject = element();
    for (const XaccRange& one : directive_.subject.at) {
      XaccWidth width;
      width.full = one.all;
      if (!one.all) width.low = number(one, one.low, "a shadow");
      if (!one.all) width.high = number(one, one.high, "a shadow");
      directive_.widths.push_back(width);
    }
  }

  void names(char until) {
    do directive_.names.push_back(take_name());
    while (accept(","));
    take(std::string_view(&until, 1));
  }

  void read_loop() {
    if (accept("(")) {
      names(')');
    } else {
      while (accept("[")) {
        directive_.names.push_back(take_name());
        take("]");
      }
      std::ranges::reverse(directive_.names);
    }
    take("on");
    directive_.on = reference();
    for (const XaccRange& one : directive_.on.at) require_plain(one);
    if (directive_.names.empty()) {
      for (const XaccRange& one : directive_.on.at) {
        if (!one.all) directive_.names.push_back({one.low, one.place});
      }
    }
    while (word() == "reduction") {
      ++at_;
      take("(");
      reductions();
    }
  }

  void read_reflect() {
    take("(");
    names(')');
    for (; !at_end(); ++at_) {
      const std::string clause = word();
      if (clause == "width") {
        if (directive_.kind == XaccKind::reflect_do)
          refuse("the directive xmp reflect_do has its width from reflect_init");
        ++at_;
        take("(");
        do read_width();
        while (accept(","));
        if (word() != ")") take(")");
      } else if (clause == "orthogonal") {
        directive_.orthogonal = true;
      } else if (clause != "acc" && clause != "device" && clause != "host") {
        return;  // refused by its name
      }
    }
  }

  void read_width() {
    XaccWidth width;
    if (accept("/")) {
      take("periodic");
      take("/");
      width.periodic = true;
    }
    const XaccRange one = range(')');
    if (one.all) throw XaccRefusal{one.place, fmt::format("the directive {}: a width of * is not taken", title_)};
    width.low = number(one, one.low, "a width");
    width.high = number(one, one.high, "a width");
    directive_.widths.push_back(width);
  }

  void read_bcast() {
    take("(");
    names(')');
    if (accept("from")) directive_.on = reference();
    read_among();
  }

  /// name[low:length][place][:], in the order of the array; a name only for a variable.
  XaccReference section() {
    XaccReference found;
    const XaccWord name = take_name();
    found.name = name.text;
    found.place = name.place;
    while (accept("[")) {
      XaccRange one;
      one.place = place();
      one.all = word() == ":";
      if (!one.all) one.low = expression(":]");
      if (accept(":")) {
        one.section = true;
        if (word() != ":" && word() != "]") one.high = expression(":]");
        if (one.all && !one.high.empty()) one.low = "0";
        one.all = one.all && one.high.empty();
        if (word() == ":") refuse("a stride in the directive xmp gmove is not taken");
      }
      take("]");
      found.at.push_back(one);
    }
    return found;
  }

  /// The assignment stands in the directive (assignments_in_directives()).
  void read_gmove() {
    if (at_ + 1 < pragma_.words.size() && pragma_.words[at_ + 1].text != "=" && pragma_.words[at_ + 1].text != "[") {
      if (!accept("in")) static_cast<void>(accept("out"));
    }
    if (word() == "async") refuse("async in the directive xmp gmove is not taken");
    if (at_end()) {
      throw XaccRefusal{pragma_.words.front().place,
                        "the directive xmp gmove stands before no assignment of an array or a section to another"};
    }
    directive_.subject = section();
    take("=");
    directive_.on = section();
  }

  void read_task() {
    take("on");
    directive_.on = reference();
  }

  void read_reduction() {
    take("(");
    reductions();
    read_among();
  }

  /// op: x, y) of which the parenthesis before is read.
  void reductions() {
    static const std::map<std::string_view, XaccOperation> known{
        {"+", XaccOperation::sum},     {"*", XaccOperation::product},  {"max", XaccOperation::most},
        {"min", XaccOperation::least}, {"&", XaccOperation::and_bits}, {"|", XaccOperation::or_bits},
        {"^", XaccOperation::xor_bits}};
    const auto found = known.find(word());
    if (found == known.end()) {
      refuse(fmt::format("the reduction '{}' in the directive {} is not taken; taken are + * max min & | ^", word(),
                         title_));
    }
    ++at_;
    take(":");
    do {
      const XaccWord name = take_name();
      directive_.sums.push_back({found->second, name.text, name.place});
      if (word() == "[") refuse(fmt::format("a reduction of an array in the directive {} is not taken", title_));
    } while (accept(","));
    take(")");
  }

  void read_acc(const std::string& name) {
    using Names = std::vector<std::string_view>;
    static const Names kData{"copy",
                             "copyin",
                             "copyout",
                             "create",
                             "present",
                             "present_or_copy",
                             "present_or_copyin",
                             "present_or_copyout",
                             "present_or_create",
                             "pcopy",
                             "pcopyin",
                             "pcopyout",
                             "pcreate",
                             "deviceptr",
                             "if"};
    static const Names kLoop{"collapse", "gang",        "worker",  "vector",   "seq",
                             "auto",     "independent", "private", "reduction"};
    static const Names kRegion{"async",   "wait",         "num_gangs", "num_workers", "vector_length",
                               "private", "firstprivate", "default",   "reduction"};
    Names clauses;
    const auto add = [&](const Names& more) { clauses.insert(clauses.end(), more.begin(), more.end()); };
    ++at_;
    if (name == "data") {
      add(kData);
    } else if (name == "parallel" || name == "kernels") {
      directive_.kind = XaccKind::acc_compute;
      add(kData);
      add(kRegion);
      if (accept("loop")) add(kLoop);
    } else if (name == "loop") {
      directive_.kind = XaccKind::acc_loop;
      add(kLoop);
    } else if (name == "update") {
      add({"host", "self", "device", "async", "wait", "if", "if_present"});
    } else if (name == "wait") {
      add({"async"});
      if (word() == "(") skip_parentheses();
    } else if (name == "host_data") {
      add({"use_device", "if_present"});
    } else {
      --at_;
      refuse(fmt::format(
          "the directive acc {} is not taken; taken are data, parallel, kernels, loop, update, wait and host_data",
          name));
    }
    while (!at_end()) acc_clause(clauses);
  }

  void acc_clause(const std::vector<std::string_view>& clauses) {
    if (accept(",")) return;
    if (std::ranges::find(clauses, word()) == clauses.end()) {
      refuse(fmt::format("the clause '{}' of the directive {} is not taken", word(), title_));
    }
    const bool sum = word() == "reduction";
    ++at_;
    if (sum) {
      take("(");
      reductions();
    } else if (word() == "(") {
      skip_parentheses();
    }
  }

  void skip_parentheses() {
    int depth = 0;
    for (; !at_end(); ++at_) {
      if (word() == "(") ++depth;
      if (word() == ")" && --depth == 0) {
        ++at_;
        return;
      }
    }
    take(")");
  }

  const XaccPragma& pragma_;
  XaccDirective directive_;
  std::string title_;
  std::size_t at_ = 0;
};

/// Numbers with + - * / % and parentheses.
class Constant {
 public:
  Constant(const std::string& text, const Place& place, const std::string& what)
      : text_(text), place_(place), what_(what) {}

  long value() {
    const long found = sum();
    if (next() != '\0') refuse();
    return found;
  }

 private:
  [[noreturn]] void refuse() const {
    throw XaccRefusal{place_, fmt::format("{} '{}' is refused: it must be a constant of numbers, + - * / % and "
                                          "parentheses, after macros",
                                          what_, text_)};
  }

  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }

  long sum() {
    long value = product();
    for (;;) {
      if (accept('+')) {
        if (__builtin_add_overflow(value, product(), &value)) refuse();
      } else if (accept('-')) {
        if (__builtin_sub_overflow(value, product(), &value)) refuse();
      } else {
        return value;
      }
    }
  }

  long product() {
    long value = factor();
    for (;;) {
      const char sign = next();
      if (sign != '*' && sign != '/' && sign != '%') return value;
      ++at_;
      const long other = factor();
      if (sign == '*') {
        if (__builtin_mul_overflow(value, other, &value)) refuse();
      } else {
        if (other == 0 || other == -1) refuse();
        value = sign == '/' ? value / other : value % other;
      }
    }
  }

  /// A sign or a parenthesis, and what it is for: each is a call within a call.
  long inner_factor() {
    constexpr unsigned kDeepest = 256;
    if (depth_ == kDeepest) {
      throw XaccRefusal{place_, fmt::format("{} is refused: its signs and parentheses are nested more than {} deep",
                                            what_, kDeepest)};
    }
    ++depth_;
    long value = 0;
    if (accept('-')) {
      if (__builtin_sub_overflow(0L, factor(), &value)) refuse();
    } else if (accept('+')) {
      value = factor();
    } else {
      accept('(');
      value = sum();
      if (!accept(')')) refuse();
    }
    --depth_;
    return value;
  }

  long factor() {
    if (next() == '-' || next() == '+' || next() == '(') return inner_factor();
    if (next() < '0' || next() > '9') refuse();
    std::size_t read = 0;
    long value = 0;
    try {
      value = std::stol(text_.substr(at_), &read, 0);
    } catch (const std::exception&) {
      refuse();
    }
    at_ += read;
    while (at_ < text_.size() && std::string_view("uUlL").find(text_[at_]) != std::string_view::npos) ++at_;
    return value;
  }

  const std::string& text_;
  const Place& place_;
  const std::string& what_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

}  // namespace

XaccDirective read_directive(const XaccPragma& pragma) { return DirectiveReader(pragma).read(); }

long constant_value(const std::string& expression, const Place& place, const std::string& what) {
  return Constant(expression, place, what).value();
}

}  // namespace gdr::compiler
