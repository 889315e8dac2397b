#include "expression.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "gdr/base/error.h"

namespace gdr::debugger {

struct Expression::Node {
  enum class Kind { number, name, call, prefix, infix, choice };
  Kind kind = Kind::number;
  std::string text;  // name or operator
  Value number;
  std::vector<Node> children;
};

namespace {

using Node = Expression::Node;

constexpr std::size_t kMostCharacters = 1000;
constexpr unsigned kMostNesting = 100;

struct Infix {
  std::string_view text;
  int binding;
};
// Longer operators come before their own prefixes.
constexpr std::array<Infix, 18> kInfixes{{{"||", 1},
                                          {"&&", 2},
                                          {"<<", 8},
                                          {">>", 8},
                                          {"<=", 7},
                                          {">=", 7},
                                          {"==", 6},
                                          {"!=", 6},
                                          {"|", 3},
                                          {"^", 4},
                                          {"&", 5},
                                          {"<", 7},
                                          {">", 7},
                                          {"+", 9},
                                          {"-", 9},
                                          {"*", 10},
                                          {"/", 10},
                                          {"%", 10}}};

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    if (text.size() > kMostCharacters)
      throw Error(fmt::format("an expression has at most {} characters", kMostCharacters));
  }

  Node whole() {
    Node node = choice();
    skip();
    if (at_ < text_.size()) fail("an operator belongs here");
    return node;
  }

 private:
  [[noreturn]] void fail(std::string_view why) const {
    throw Error(fmt::format("'{}': at character {}: {}", text_, at_ + 1, why));
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Node choice() {
    if (++depth_ > kMostNesting) fail("the expression is nested too deeply");
    Node node = infix(1);
    if (take("?")) {
      Node all{Node::Kind::choice, "?:", {}, {}};
      all.children.push_back(std::move(node));
      all.children.push_back(choice());
      if (!take(":")) fail("':' of '?' is missing");
      all.children.push_back(choice());
      node = std::move(all);
    }
    --depth_;
    return node;
  }

  Node infix(int least) {
    Node left = prefix();
    for (;;) {
      skip();
      const Infix* found = nullptr;
      for (const Infix& each : kInfixes) {
        if (found == nullptr && text_.substr(at_).starts_with(each.text)) found = &each;
      }
      if (found == nullptr || found->binding < least) return left;
      at_ += found->text.size();
      Node both{Node::Kind::infix, std::string(found->text), {}, {}};
      both.children.push_back(std::move(left));
      both.children.push_back(infix(found->binding + 1));
      left = std::move(both);
    }
  }

  Node prefix() {
    if (++depth_ > kMostNesting) fail("the expression is nested too deeply");
    skip();
    Node node;
    if (at_ < text_.size() && (text_[at_] == '-' || text_[at_] == '!' || text_[at_] == '~' || text_[at_] == '+')) {
      node = {Node::Kind::prefix, std::string(1, text_[at_]), {}, {}};
      ++at_;
      node.children.push_back(prefix());
    } else {
      node = operand();
    }
    --depth_;
    return node;
  }

  Node operand() {
    if (take("(")) {
      Node node = choice();
      if (!take(")")) fail("')' is missing");
      return node;
    }
    if (at_ >= text_.size()) fail("a number or a name belongs here");
    if (is_digit(text_[at_]) || text_[at_] == '.') return number();
    if (text_[at_] == '$' || is_word(text_[at_])) return name();
    fail("a number or a name belongs here");
  }

  Node number() {
    Node node{Node::Kind::number, "", {}, {}};
    const char* first = text_.data() + at_;
    const char* last = text_.data() + text_.size();
    const bool hex = text_.substr(at_).starts_with("0x");
    std::uint64_t whole = 0;
    const auto integer = std::from_chars(hex ? first + 2 : first, last, whole, hex ? 16 : 10);
    const char* end = integer.ptr;
    if (integer.ec == std::errc() && (end == last || (*end != '.' && *end != 'e' && *end != 'E'))) {
      node.number.integer = true;
      node.number.whole = static_cast<isa::int128>(whole);
    } else {
      const auto real = std::from_chars(first, last, node.number.real);
      if (real.ec != std::errc()) fail("no number that a double holds");
      end = real.ptr;
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && is_word(text_[at_])) fail("a number ends with a letter");
    return node;
  }

  Node name() {
    Node node{Node::Kind::name, "", {}, {}};
    const std::size_t begin = at_++;
    const auto goes_on = [&] {
      if (is_word(text_[at_])) return true;
      return text_[at_] == '.' && at_ + 1 < text_.size() && is_word(text_[at_ + 1]) && !is_digit(text_[at_ + 1]);
    };
    while (at_ < text_.size() && goes_on()) ++at_;
    node.text = std::string(text_.substr(begin, at_ - begin));
    if (take("(")) {
      node.kind = Node::Kind::call;
      if (node.text != "isnan" && node.text != "isinf" && node.text != "abs") {
        fail("functions are isnan(x), isinf(x) and abs(x)");
      }
      node.children.push_back(choice());
      if (!take(")")) fail("')' is missing");
      return node;
    }
    while (take("[")) {
      node.children.push_back(choice());
      if (!take("]")) fail("']' is missing");
    }
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
};

Value truth(bool value) { return {true, 0, value ? 1 : 0}; }
Value real(double value) { return {false, value, 0}; }

Value integers(const std::string& op, isa::int128 a, isa::int128 b) {
  // Words have 72 bits; results beyond 128 bits wrap as unsigned numbers in C do.
  const auto wrapped = [](isa::uint128 value) { return Value{true, 0, static_cast<isa::int128>(value)}; };
  const auto x = static_cast<isa::uint128>(a);
  const auto y = static_cast<isa::uint128>(b);
  if (op == "+") return wrapped(x + y);
  if (op == "-") return wrapped(x - y);
  if (op == "*") return wrapped(x * y);
  if (op == "/" || op == "%") {
    if (b == 0) throw Error("division of an integer by zero");
    if (b == -1) return op == "/" ? wrapped(0 - x) : Value{true, 0, 0};
    return {true, 0, op == "/" ? a / b : a % b};
  }
  if (op == "&") return wrapped(x & y);
  if (op == "|") return wrapped(x | y);
  if (op == "^") return wrapped(x ^ y);
  if (b < 0 || b > 127) throw Error("a shift is by 0 to 127 bits");
  return op == "<<" ? wrapped(x << static_cast<unsigned>(b)) : Value{true, 0, a >> static_cast<unsigned>(b)};
}

Value combined(const std::string& op, const Value& a, const Value& b) {
  const bool whole = a.integer && b.integer;
  const auto compare = [&](auto relation) {
    return truth(whole ? relation(a.whole, b.whole) : relation(a.number(), b.number()));
  };
  if (op == "<") return compare([](auto x, auto y) { return x < y; });
  if (op == "<=") return compare([](auto x, auto y) { return x <= y; });
  if (op == ">") return compare([](auto x, auto y) { return x > y; });
  if (op == ">=") return compare([](auto x, auto y) { return x >= y; });
  if (op == "==") return compare([](auto x, auto y) { return x == y; });
  if (op == "!=") return compare([](auto x, auto y) { return x != y; });
  if (whole) return integers(op, a.whole, b.whole);
  if (op == "+") return real(a.number() + b.number());
  if (op == "-") return real(a.number() - b.number());
  if (op == "*") return real(a.number() * b.number());
  if (op == "/") return real(a.number() / b.number());
  throw Error(fmt::format("'{}' takes integers; a word is one where the kernel uses it so", op));
}

Value evaluated(const Node& node, const NameReader& read) {
  switch (node.kind) {
    case Node::Kind::number:
      return node.number;
    case Node::Kind::name: {
      std::vector<std::uint64_t> subscripts;
      for (const Node& child : node.children) {
        const Value value = evaluated(child, read);
        if (!value.integer || value.whole < 0 || value.whole > 0xffff) {
          throw Error(fmt::format("{}: a subscript is a whole number from 0 on", node.text));
        }
        subscripts.push_back(static_cast<std::uint64_t>(value.whole));
      }
      return read(node.text, subscripts);
    }
    case Node::Kind::call: {
      const Value value = evaluated(node.children[0], read);
      if (node.text == "isnan") return truth(!value.integer && std::isnan(value.real));
      if (node.text == "isinf") return truth(!value.integer && std::isinf(value.real));
      return value.integer ? Value{true, 0, value.whole < 0 ? integers("-", 0, value.whole).whole : value.whole}
                           : real(std::abs(value.real));
    }
    case Node::Kind::prefix: {
      const Value value = evaluated(node.children[0], read);
      if (node.text == "!") return truth(!value.truth());
      if (node.text == "+") return value;
      if (node.text == "~") {
        if (!value.integer) throw Error("'~' takes an integer");
        return {true, 0, ~value.whole};
      }
      return value.integer ? integers("-", 0, value.whole) : real(-value.real);
    }
    case Node::Kind::infix: {
      const Value left = evaluated(node.children[0], read);
      if (node.text == "&&") return truth(left.truth() && evaluated(node.children[1], read).truth());
      if (node.text == "||") return truth(left.truth() || evaluated(node.children[1], read).truth());
      return combined(node.text, left, evaluated(node.children[1], read));
    }
    case Node::Kind::choice:
      break;
  }
  return evaluated(node.children[evaluated(node.children[0], read).truth() ? 1 : 2], read);
}

void visit_names(const Node& node,
                 const std::function<void(std::string_view, const std::vector<std::uint64_t>&)>& check) {
  std::vector<std::uint64_t> subscripts;
  for (const Node& child : node.children) {
    visit_names(child, check);
    const bool plain = child.kind == Node::Kind::number && child.number.integer;
    subscripts.push_back(plain ? static_cast<std::uint64_t>(child.number.whole) : 0);
  }
  if (node.kind == Node::Kind::name) check(node.text, subscripts);
}

}  // namespace

Expression::Expression(std::string_view text) : root_(std::make_unique<Node>(Parser(text).whole())) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

void Expression::for_each_name(
    const std::function<void(std::string_view name, const std::vector<std::uint64_t>& subscripts)>& check) const {
  visit_names(*root_, check);
}

Value Expression::evaluate(const NameReader& read) const { return evaluated(*root_, read); }

}  // namespace gdr::debugger
