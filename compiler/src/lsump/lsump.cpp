// Translates LSUMP's language to a pair function or to the functions of an experiment: names, widths, operations.
#include "lsump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>

namespace gdr::compiler {
namespace {

using Expression = LsumpExpression;

constexpr unsigned kMostElements = 512;

struct Choice;

/// A node, or a literal, which takes the width of the value it is combined with: a number, or a choice of literals.
struct Value {
  int node = -1;  // also of a choice whose numbers are all exact in short words: what it is in a short word
  double number = 0;
  std::shared_ptr<const Choice> choice = nullptr;
  [[nodiscard]] bool is_number() const { return node < 0 && !choice; }
  [[nodiscard]] bool is_literal() const { return node < 0 || choice; }
};

struct Choice {
  int condition;
  Value set;
  Value clear;
};

bool is_exact_in_short(const Value& literal) {
  return literal.choice ? literal.node >= 0 : static_cast<double>(static_cast<float>(literal.number)) == literal.number;
}

struct Function {
  std::string_view name;
  Act act;
  unsigned operands;
};

constexpr std::array<Function, 20> kFunctions{
    {{"sqrt", Act::sqrt, 1},     {"rsqrt", Act::rsqrt, 1},      {"reciprocal", Act::reciprocal, 1},
     {"powm32", Act::rsqrt, 1},  {"power_m12", Act::rsqrt, 1},  {"power_m32", Act::rsqrt, 1},
     {"exp", Act::exp, 1},       {"exp2", Act::exp2, 1},        {"log", Act::log, 1},
     {"log2", Act::log2, 1},     {"sin", Act::sin, 1},          {"cos", Act::cos, 1},
     {"abs", Act::absolute, 1},  {"rint", Act::nearest, 1},     {"min", Act::minimum, 2},
     {"max", Act::maximum, 2},   {"fmin", Act::minimum, 2},     {"fmax", Act::maximum, 2},
     {"fabs", Act::absolute, 1}, {"copysign", Act::copysign, 2}}};

class LsumpReader {
 public:
  LsumpReader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  Imported read() {
    const LsumpParsed parsed = parse_lsump(text_);
    result_.body.place = {file_, 1, 1};
    if (parsed.error) {
      refuse(parsed.error->at, parsed.error->message);
      return std::move(result_);
    }
    result_.experiment = std::ranges::any_of(parsed.statements, belongs_to_experiment);
    if (result_.experiment) section_ = Section::none;
    for (const LsumpStatement& statement : parsed.statements) {
      if (statement.keyword.empty())
        assign(statement);
      else if (statement.keyword.starts_with("VAR"))
        declare(statement);
      else if (statement.keyword == "DONE")
        done(statement);
      else
        begin_section(statement);
    }
    end_section();
    if (result_.experiment && section_ != Section::end && result_.errors.empty())
      refuse(0, "experiments have sections /BEGIN, /STEP and /END in this order");
    for (PairFunction* function : {&result_.body, &result_.begin, &result_.finish}) {
      if (!result_.experiment && function != &result_.body) continue;
      function->name = kernel_name();
      function->records = records_;
    }
    return std::move(result_);
  }

 private:
  struct Named {
    Record record = Record::i;
    unsigned field = 0;
    unsigned count = 1;
    bool array = false;
    std::optional<double> number;  // set for a constant
    bool variable = false;         // a variable of the assignments
    Type type = Type::float_short;
    std::optional<Value> value;
  };
  enum class Section : std::uint8_t { pair, none, begin, step, end };  // none: before an experiment's first one
  using Slot = std::pair<unsigned, unsigned>;
  using Key = std::tuple<Act, Type, std::vector<int>, double, Record, unsigned, unsigned>;

  [[nodiscard]] Place place_of(std::uint32_t at) const {
    const std::string_view before = text_.substr(0, at);
    const auto line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1;
    const std::size_t begin = before.rfind('\n');
    return {file_, line, static_cast<unsigned>(at - (begin == std::string_view::npos ? 0 : begin + 1)) + 1};
  }

  Value refuse(std::uint32_t at, std::string text) {
    if (result_.errors.size() < 20) result_.errors.push_back({place_of(at), std::move(text)});
    return {};
  }

  [[nodiscard]] std::string kernel_name() const {
    std::string name;
    for (const char c : std::filesystem::path(file_).stem().string()) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      name += letter ? c : '_';
    }
    return name.empty() || (name[0] >= '0' && name[0] <= '9') ? "k" + name : name;
  }

  // ---- sections of experiments ----

  static bool belongs_to_experiment(const LsumpStatement& statement) {
    return statement.keyword == "VARS" || (!statement.keyword.empty() && !statement.keyword.starts_with("VAR"));
  }

  void begin_section(const LsumpStatement& statement) {
    const Section next = statement.keyword == "BEGIN"  ? Section::begin
                         : statement.keyword == "STEP" ? Section::step
                                                       : Section::end;
    end_section();
    if (static_cast<int>(next) != static_cast<int>(section_) + 1) {
      refuse(statement.at,
             fmt::format("/{} stands here: sections are /BEGIN, /STEP and /END in this order", statement.keyword));
    }
    section_ = next;
    function_ = next == Section::begin ? &result_.begin : next == Section::step ? &result_.body : &result_.finish;
    function_->place = place_of(statement.at);
  }

  /// Keeps the words that the section changed, and forgets its variables.
  void end_section() {
    for (const auto& [slot, node] : results_) {
      if (!changed_.contains(slot) || is_unchanged(slot, node)) continue;
      function_->stores.push_back({slot.first, slot.second, node, changed_.at(slot), changed_record()});
    }
    results_.clear();
    changed_.clear();
    known_.clear();
    std::erase_if(names_, [](const auto& one) { return one.second.variable; });
  }

  /// True if a word of the state keeps what it had before the section.
  [[nodiscard]] bool is_unchanged(Slot slot, int number) const {
    const Node& node = function_->nodes[static_cast<std::size_t>(number)];
    return changed_record() == Record::state && node.act == Act::input && node.record == Record::state &&
           Slot{node.field, node.element} == slot;
  }

  [[nodiscard]] Record changed_record() const {
    return section_ == Section::begin || section_ == Section::step ? Record::state : Record::result;
  }

  void done(const LsumpStatement& statement) {
    if (section_ != Section::step || function_->done >= 0) {
      refuse(statement.at, "the condition by which an experiment is done stands once, in section /STEP");
      return;
    }
    const Value value = evaluate(statement.value);
    if (result_.errors.empty() && truth_or_number(value, statement.value, true)) function_->done = value.node;
  }

  /// True if this section may read members of this record.
  bool may_read(const Named& named, const Expression& at) {
    if (section_ == Section::pair || named.record == Record::parameter || named.record == Record::state) return true;
    if (named.record == Record::i && section_ == Section::begin) return true;
    const Slot slot{named.field, at.index.value_or(0)};
    if (named.record == Record::result && section_ == Section::end && results_.contains(slot)) return true;
    refuse(at.at, named.record == Record::i ? fmt::format("'{}' is a start: only /BEGIN reads it", at.text)
                                            : fmt::format("'{}' is a result and has no value here", at.text));
    return false;
  }

  // ---- declarations ----

  void declare(const LsumpStatement& statement) {
    static const std::map<std::string, Record> records{{"VARI", Record::i},
                                                       {"VARJ", Record::j},
                                                       {"VARF", Record::result},
                                                       {"VARC", Record::parameter},
                                                       {"VARS", Record::state}};
    const Record record = records.at(statement.keyword);
    if (record == Record::j && result_.experiment) {
      refuse(statement.at, "experiments have no j-data: VARI declares starts, VARS the state, VARF results");
      return;
    }
    for (const LsumpDeclared& one : statement.declared) {
      if (names_.contains(one.name)) {
        refuse(one.at, fmt::format("'{}' is declared twice", one.name));
        continue;
      }
      if (one.number && record != Record::parameter) {
        refuse(one.at, fmt::format("'{}' has a value: constants are declared by VARC", one.name));
        continue;
      }
      if (one.count && (*one.count == 0 || *one.count > kMostElements || record == Record::parameter)) {
        refuse(one.at,
               record == Record::parameter
                   ? fmt::format("'{}' is an array: constants and parameters are single numbers", one.name)
                   : fmt::format("'{}' has {} elements: 1 to {} are allowed", one.name, *one.count, kMostElements));
        continue;
      }
      Named named;
      named.record = record;
      named.type = statement.width == "short" ? Type::float_short : Type::float_long;
      named.count = one.count.value_or(1);
      named.array = one.count.has_value();
      named.number = one.number;
      if (!one.number) {
        auto& fields = records_[static_cast<std::size_t>(record)];
        named.field = static_cast<unsigned>(fields.size());
        fields.push_back({one.name, named.type, 0, named.count, named.array});
        fields.back().place = place_of(one.at);
      }
      names_[one.name] = named;
    }
  }

  // ---- nodes ----

  [[nodiscard]] Type type_of(int node) const { return function_->nodes[static_cast<std::size_t>(node)].type; }

  int add(Node node) {
    const Key key{node.act, node.type, node.operands, node.number, node.record, node.field, node.element};
    const auto [known, is_new] = known_.try_emplace(key, static_cast<int>(function_->nodes.size()));
    if (is_new) {
      node.place = place_;
      function_->nodes.push_back(std::move(node));
    }
    return known->second;
  }

  int operation(Act act, Type type, std::vector<int> operands) {
    Node node;
    node.act = act;
    node.type = type;
    node.operands = std::move(operands);
    return add(std::move(node));
  }

  Value truth(bool value) {
    Node node;
    node.act = Act::constant;
    node.type = Type::truth;
    node.integer = value ? 1 : 0;
    node.number = static_cast<double>(node.integer);  // by which equal nodes are found
    return {add(std::move(node))};
  }

  /// The value of a condition that is true for all, or false for all.
  [[nodiscard]] std::optional<bool> known_truth(const Value& value) const {
    const Node& node = function_->nodes[static_cast<std::size_t>(value.node)];
    return node.act == Act::constant ? std::optional(node.integer != 0) : std::nullopt;
  }

  int constant(double number, Type type) {
    Node node;
    node.act = Act::constant;
    node.type = type;
    node.number = type == Type::float_short ? static_cast<double>(static_cast<float>(number)) : number;
    return add(std::move(node));
  }

  int input(const Named& named, unsigned element) {
    Node node;
    node.act = Act::input;
    node.type = named.type;
    node.record = named.record;
    node.field = named.field;
    node.element = element;
    return add(std::move(node));
  }

  /// Converts a value to a word of this type.
  int in_type(const Value& value, Type type) {
    if (value.is_number()) return constant(value.number, type);
    if (value.node < 0) {
      return operation(Act::select, type,
                       {value.choice->condition, in_type(value.choice->set, type), in_type(value.choice->clear, type)});
    }
    const Type own = type_of(value.node);
    if (own == type) return value.node;
    return operation(type == Type::float_long ? Act::widen : Act::narrow, type, {value.node});
  }

  // ---- expressions ----

  bool truth_or_number(const Value& value, const Expression& at, bool truth) {
    const bool is = value.node >= 0 && type_of(value.node) == Type::truth;
    if (is == truth) return true;
    refuse(at.at, truth ? "a condition is expected here: a comparison, or several with &&, || and !"
                        : "a condition stands where a number is expected: choose by condition ? a : b");
    return false;
  }

  /// Literals alone have the width that keeps their numbers.
  Type common(const Value& a, const Value& b) const {
    const bool wide = a.is_literal() && b.is_literal()
                          ? (a.choice || b.choice) && !(is_exact_in_short(a) && is_exact_in_short(b))
                          : (!a.is_literal() && type_of(a.node) == Type::float_long) ||
                                (!b.is_literal() && type_of(b.node) == Type::float_long);
    return wide ? Type::float_long : Type::float_short;
  }

  Value choice(int condition, const Value& set, const Value& clear) {
    if (!set.is_literal() || !clear.is_literal()) {
      const Type type = common(set, clear);
      return {operation(Act::select, type, {condition, in_type(set, type), in_type(clear, type)})};
    }
    Value made;
    if (is_exact_in_short(set) && is_exact_in_short(clear)) {
      made.node = operation(Act::select, Type::float_short,
                            {condition, in_type(set, Type::float_short), in_type(clear, Type::float_short)});
    }
    made.choice = std::make_shared<const Choice>(Choice{condition, set, clear});
    return made;
  }

  Value negated(const Value& value) {
    if (value.is_number()) return {-1, -value.number};
    if (value.node >= 0) return {operation(Act::negate, type_of(value.node), {value.node})};
    return choice(value.choice->condition, negated(value.choice->set), negated(value.choice->clear));
  }

  Value evaluate(const Expression& expression) {
    place_ = place_of(expression.at);
    switch (expression.kind) {
      case Expression::Kind::number:
        return {-1, expression.number};
      case Expression::Kind::name:
        return name(expression);
      case Expression::Kind::call:
        return call(expression);
      case Expression::Kind::operation:
        return operate(expression);
    }
    return {};
  }

  Value name(const Expression& expression) {
    const auto found = names_.find(expression.text);
    if (found == names_.end() && !expression.index && (expression.text == "true" || expression.text == "false")) {
      return truth(expression.text == "true");
    }
    if (found == names_.end()) {
      return refuse(expression.at, fmt::format("'{}' is not declared, and no value was given to it", expression.text));
    }
    const Named& named = found->second;
    if (named.number) return {-1, *named.number};
    if (!indexed(named, expression)) return {};
    if (named.variable) return *named.value;
    if (!may_read(named, expression)) return {};
    const unsigned element = expression.index.value_or(0);
    return {named.record == changed_record() ? result(named, element) : input(named, element)};
  }

  bool indexed(const Named& named, const Expression& expression) {
    if (named.array != expression.index.has_value()) {
      refuse(expression.at, named.array ? fmt::format("'{}' has {} elements: name one, as {}[0]", expression.text,
                                                      named.count, expression.text)
                                        : fmt::format("'{}' is no array", expression.text));
      return false;
    }
    if (expression.index && *expression.index >= named.count) {
      refuse(expression.at,
             fmt::format("index {} of '{}' is outside 0..{}", *expression.index, expression.text, named.count - 1));
      return false;
    }
    return true;
  }

  int result(const Named& named, unsigned element) {
    const auto [known, is_new] = results_.try_emplace(Slot{named.field, element}, -1);
    if (is_new) known->second = input(named, element);
    return known->second;
  }

  Value call(const Expression& expression) {
    const bool width = expression.text == "long" || expression.text == "short";
    const auto* known = std::find_if(kFunctions.begin(), kFunctions.end(),
                                     [&](const Function& one) { return one.name == expression.text; });
    if (!width && known == kFunctions.end()) {
      std::string all;
      for (const Function& one : kFunctions) all += fmt::format("{}{}", all.empty() ? "" : ", ", one.name);
      return refuse(expression.at,
                    fmt::format("function '{}' is not known; known are {}, long and short", expression.text, all));
    }
    const unsigned wanted = width ? 1 : known->operands;
    if (expression.operands.size() != wanted) {
      return refuse(expression.at, fmt::format("'{}' takes {} argument{}, not {}", expression.text, wanted,
                                               wanted == 1 ? "" : "s", expression.operands.size()));
    }
    std::vector<Value> values;
    for (const Expression& operand : expression.operands) {
      values.push_back(evaluate(operand));
      if (!truth_or_number(values.back(), operand, false)) return {};
    }
    place_ = place_of(expression.at);
    if (width) return {in_type(values[0], expression.text == "long" ? Type::float_long : Type::float_short)};
    Type type = common(values[0], values.back());
    const bool keeps_width = known->name.starts_with("power_");
    const bool is_cube = known->name == "powm32" || known->name == "power_m32";
    if (keeps_width && type == Type::float_long) return {inverse_root(in_type(values[0], type), is_cube)};
    if (known->act == Act::rsqrt || known->act == Act::reciprocal) type = Type::float_short;
    std::vector<int> operands;
    for (const Value& value : values) operands.push_back(in_type(value, type));
    const int made = operation(known->act, type, std::move(operands));
    if (!is_cube) return {made};
    return {operation(Act::mul, type, {operation(Act::mul, type, {made, made}), made})};
  }

  /// 1 / sqrt(x) or its cube in long words, and 0 for 0.
  int inverse_root(int x, bool is_cube) {
    constexpr Type kLong = Type::float_long;
    const int zero = constant(0, kLong);
    const int root = operation(Act::sqrt, kLong, {x});
    const int divisor = is_cube ? operation(Act::mul, kLong, {x, root}) : root;
    const int inverse = operation(Act::div, kLong, {constant(1, kLong), divisor});
    return operation(Act::select, kLong, {operation(Act::equal, Type::truth, {x, zero}), zero, inverse});
  }

  Value operate(const Expression& expression) {
    const std::string& op = expression.text;
    const bool of_truths = op == "&&" || op == "||" || op == "!";
    std::vector<Value> values;
    for (std::size_t n = 0; n < expression.operands.size(); ++n) {
      values.push_back(evaluate(expression.operands[n]));
      if (!result_.errors.empty()) return {};
      if (!truth_or_number(values.back(), expression.operands[n], of_truths || (op == "?" && n == 0))) return {};
    }
    place_ = place_of(expression.at);
    if (op == "neg") return negated(values[0]);
    if (of_truths || op == "?") {
      if (const std::optional<bool> first = known_truth(values[0])) {
        if (op == "!") return truth(!*first);
        if (op == "?") return *first ? values[1] : values[2];
        return *first == (op == "&&") ? values[1] : values[0];
      }
      if (op == "&&" || op == "||") {
        if (const std::optional<bool> second = known_truth(values[1])) {
          return *second == (op == "&&") ? values[0] : values[1];
        }
      }
    }
    if (op == "!") return {operation(Act::opposite, Type::truth, {values[0].node})};
    if (of_truths) {
      return {operation(op == "&&" ? Act::both : Act::either, Type::truth, {values[0].node, values[1].node})};
    }
    if (op == "?") return choice(values[0].node, values[1], values[2]);
    if (values[0].is_number() && values[1].is_number()) return fold(expression, values[0].number, values[1].number);
    const Type type = common(values[0], values[1]);
    const int a = in_type(values[0], type);
    const int b = in_type(values[1], type);
    static const std::map<std::string, Act> acts{{"+", Act::add}, {"-", Act::sub}, {"*", Act::mul}, {"/", Act::div}};
    if (const auto act = acts.find(op); act != acts.end()) return {operation(act->second, type, {a, b})};
    if (op == "==" || op == "!=") {
      const int equal = operation(Act::equal, Type::truth, {a, b});
      return {op == "==" ? equal : operation(Act::opposite, Type::truth, {equal})};
    }
    // a <= b is computed as not b < a, because there is no NaN.
    const bool turned = op == ">" || op == "<=";
    const int less = operation(Act::less, Type::truth, {turned ? b : a, turned ? a : b});
    return {op.size() == 1 ? less : operation(Act::opposite, Type::truth, {less})};
  }

  Value fold(const Expression& expression, double a, double b) {
    const char op = expression.text[0];
    if (expression.text.size() > 1 || std::string_view("+-*/").find(op) == std::string_view::npos) {
      return refuse(expression.at, "two constants are compared");
    }
    const double value = op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : a / b;
    if (!std::isfinite(value)) return refuse(expression.at, "the constant is no finite number");
    return {-1, value};
  }

  // ---- assignments ----

  void assign(const LsumpStatement& statement) {
    const Expression& target = statement.target;
    const auto known = names_.find(target.text);
    const bool declared = known != names_.end() && !known->second.variable;
    if (section_ == Section::none) {
      refuse(statement.at, "a statement stands before /BEGIN, the first section of an experiment");
      return;
    }
    if (declared && known->second.record != changed_record()) {
      refuse(target.at,
             section_ == Section::pair
                 ? fmt::format("'{}' is data: results are declared by VARF, and other names are variables", target.text)
                 : fmt::format("'{}' cannot be assigned to here: /BEGIN and /STEP change the state, /END makes results",
                               target.text));
      return;
    }
    const Value value = evaluate(statement.value);
    if (!result_.errors.empty() || !truth_or_number(value, statement.value, false)) {
      if (known == names_.end() && !target.index) declare_unknown(target.text);
      return;
    }
    place_ = place_of(statement.at);
    if (declared) return accumulate(statement, known->second, value);
    if (target.index) {
      refuse(target.at, fmt::format("'{}' is no array", target.text));
      return;
    }
    variable(statement, value);
  }

  /// A variable whose value was refused, so that what follows from that is not.
  void declare_unknown(const std::string& name) {
    Node some;
    some.act = Act::input;
    some.type = Type::float_short;
    Named& named = names_[name];
    named.variable = true;
    named.value = Value{add(std::move(some))};
  }

  void accumulate(const LsumpStatement& statement, const Named& named, const Value& value) {
    if (!statement.width.empty()) {
      refuse(statement.at, fmt::format("the width of '{}' stands where it is declared", statement.target.text));
      return;
    }
    if (!indexed(named, statement.target)) return;
    const unsigned element = statement.target.index.value_or(0);
    if (statement.assignment != "=" && !may_read(named, statement.target)) return;
    const int old = statement.assignment != "=" || section_ == Section::pair ? result(named, element) : -1;
    int made = in_type(value, named.type);
    if (statement.assignment != "=") {
      made = operation(statement.assignment == "+=" ? Act::add : Act::sub, named.type, {old, made});
    }
    results_[{named.field, element}] = made;
    changed_[{named.field, element}] = place_;
  }

  void variable(const LsumpStatement& statement, Value value) {
    const std::string& name = statement.target.text;
    const auto known = names_.find(name);
    const bool is_new = known == names_.end();
    if (!is_new && !statement.width.empty()) {
      refuse(statement.at, fmt::format("'{}' has its width already", name));
      return;
    }
    if (is_new && statement.assignment != "=") {
      refuse(statement.target.at, fmt::format("'{}' has no value yet; results are declared by VARF", name));
      return;
    }
    Named& named = names_[name];
    if (is_new) {
      named.variable = true;
      named.type = statement.width == "long" ? Type::float_long : Type::float_short;
    }
    if (statement.assignment != "=") {
      const Type type = common(*named.value, value);
      value.node = operation(statement.assignment == "+=" ? Act::add : Act::sub, type,
                             {in_type(*named.value, type), in_type(value, type)});
    }
    const int node = in_type(value, named.type);
    named.value = Value{node};
    if (function_->nodes[static_cast<std::size_t>(node)].name.empty())
      function_->nodes[static_cast<std::size_t>(node)].name = name;
  }

  std::string_view text_;
  const std::string& file_;
  Imported result_;
  Section section_ = Section::pair;
  PairFunction* function_ = &result_.body;  // whose statements are read
  std::array<std::vector<Field>, kRecords> records_;
  std::map<std::string, Named> names_;
  std::map<Key, int> known_;
  std::map<Slot, int> results_;  // words of the record that is changed, as they are by now
  std::map<Slot, Place> changed_;
  Place place_;
};

}  // namespace

Imported read_lsump(std::string_view text, const std::string& file) { return LsumpReader(text, file).read(); }

}  // namespace gdr::compiler
