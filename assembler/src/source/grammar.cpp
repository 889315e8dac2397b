// The grammar of one statement. Spirit X3 stays in this translation unit; mnemonics, conversions, transfers, reductions
// and conditions are the tables' of the isa component.
#include <fmt/format.h>

#include <boost/spirit/home/x3.hpp>
#include <boost/spirit/home/x3/binary.hpp>
#include <charconv>
#include <limits>
#include <memory>
#include <utility>

#include "gdr/isa/experiment.h"
#include "gdr/isa/port_names.h"
#include "syntax.h"

// `a >> b > c` is how Spirit writes "a, then b, then surely c".
// NOLINTBEGIN(bugprone-chained-comparison)
#ifdef __clang__
#pragma clang diagnostic ignored "-Woverloaded-shift-op-parentheses"
#endif

// An expected parser with a semantic action is called by the parser's name.
template <class Subject, class Action>
struct boost::spirit::x3::get_info<boost::spirit::x3::action<Subject, Action>> {
  using result_type = std::string;
  std::string operator()(const action<Subject, Action>& parser) const { return what(parser.subject); }
};

namespace gdr::assembler {
namespace {

template <class Attribute, class Subject>
struct Apart;

}  // namespace
}  // namespace gdr::assembler

template <class Attribute, class Subject>
struct boost::spirit::x3::get_info<gdr::assembler::Apart<Attribute, Subject>> {
  using result_type = std::string;
  std::string operator()(const gdr::assembler::Apart<Attribute, Subject>& parser) const { return what(parser.subject); }
};

namespace gdr::assembler {
namespace {

namespace x3 = boost::spirit::x3;

/// Data that the semantic actions use besides the text.
struct Scope {
  const char* begin;
  const Constants* constants;
  std::optional<SyntaxError> failure;  // error in an expression; more precise than the place where the grammar stopped
};
struct ScopeTag;

template <class Context>
Scope& scope_of(Context& context) {
  return x3::get<ScopeTag>(context).get();
}

template <class Context>
std::uint32_t offset_of(Context& context) {
  return static_cast<std::uint32_t>(x3::_where(context).begin() - scope_of(context).begin);
}

/// A parser with attribute `Attribute` that is compiled once. Spirit tells a parser the types of all rules around it,
/// so one that stands in nine rules would be compiled nine times.
template <class Attribute, class Subject>
struct Apart : x3::parser<Apart<Attribute, Subject>> {
  using attribute_type = Attribute;
  static constexpr bool has_attribute = Subject::has_attribute;
  static constexpr bool handles_container = Subject::handles_container;

  Subject subject;

  explicit Apart(const Subject& parser) : subject(parser) {}

  template <class Context, class Around, class Target>
  bool parse(const char*& first, const char* last, const Context& context, Around&, Target& target) const {
    if constexpr (std::is_same_v<Target, Attribute>) {
      return parse_alone(first, last, scope_of(context), target);
    } else {
      static_assert(std::is_same_v<std::remove_const_t<Target>, x3::unused_type>);
      Attribute unused{};
      return parse_alone(first, last, scope_of(context), unused);
    }
  }

 private:
  [[gnu::noinline]] bool parse_alone(const char*& first, const char* last, Scope& scope, Attribute& attribute) const {
    auto reference = std::ref(scope);
    return subject.parse(first, last, x3::make_context<ScopeTag>(reference), x3::unused, attribute);
  }
};

/// Gives a parser the name that "expected ..." uses, and its attribute.
template <class Attribute, class Parser>
auto as(const Parser& parser, const char* name) {
  auto rule = x3::rule<struct NamedTag, Attribute>{name} = parser;
  return Apart<Attribute, decltype(rule)>(rule);
}

const auto open_span = x3::eps[([](auto& context) { x3::_val(context).span.begin = offset_of(context); })];
const auto close_span = x3::eps[([](auto& context) {
  Span& span = x3::_val(context).span;
  span.length = offset_of(context) - span.begin;
})];

const auto blanks = x3::omit[*x3::blank];
const auto gap = as<x3::unused_type>(x3::omit[+x3::blank], "a blank");
const auto letter = x3::char_("a-zA-Z_");
const auto word_character = x3::char_("a-zA-Z_0-9");
const auto end_of_word = !word_character;

const auto add_text = [](auto& context) { x3::_val(context).text += x3::_attr(context); };

template <class Pattern>
auto word_of(const Pattern& pattern, const char* name) {
  return as<Word>(open_span >> pattern >> close_span, name);
}

const auto identifier = letter[add_text] >> *word_character[add_text];
const auto word = word_of(identifier, "a name");
const auto decimal = word_of(+x3::char_("0-9a-zA-Z_.+-")[add_text], "a number");

template <class Text>
auto keyword(const Text& text) {
  return x3::lit(text) >> end_of_word;
}

// ---- whole-number expressions, evaluated while they are read -------------------------------------------------------

template <class Context>
void refuse(Context& context, std::string message, Code code = Code::expression) {
  Scope& scope = scope_of(context);
  const std::uint32_t end = offset_of(context);
  if (!scope.failure) scope.failure = SyntaxError{code, {end > 0 ? end - 1 : 0, 1}, std::move(message)};
  x3::_pass(context) = false;
}

/// Combines the value with the operand just read. `Operate` returns false if the result does not exist.
template <class Operate>
auto fold(Operate operate) {
  return [operate](auto& context) {
    if (!operate(x3::_val(context), std::int64_t{x3::_attr(context)})) {
      refuse(context, "the expression divides by zero or leaves the range of 64 bits");
    }
  };
}

const auto set_value = [](auto& context) { x3::_val(context) = std::int64_t{x3::_attr(context)}; };
const auto add = fold([](std::int64_t& a, std::int64_t b) { return !__builtin_add_overflow(a, b, &a); });
const auto subtract = fold([](std::int64_t& a, std::int64_t b) { return !__builtin_sub_overflow(a, b, &a); });
const auto multiply = fold([](std::int64_t& a, std::int64_t b) { return !__builtin_mul_overflow(a, b, &a); });
const auto divisible = [](std::int64_t a, std::int64_t b) {
  return b != 0 && !(a == std::numeric_limits<std::int64_t>::min() && b == -1);
};
const auto divide = fold([](std::int64_t& a, std::int64_t b) { return divisible(a, b) && (a /= b, true); });
const auto modulo = fold([](std::int64_t& a, std::int64_t b) { return divisible(a, b) && (a %= b, true); });
const auto negate = [](auto& context) {
  x3::_val(context) = 0;
  subtract(context);
};
const auto complement = [](auto& context) { x3::_val(context) = x3::_attr(context) == 0 ? 1 : 0; };

template <class Compare>
auto compare(Compare relation) {
  return [relation](auto& context) {
    x3::_val(context) = relation(x3::_val(context), std::int64_t{x3::_attr(context)}) ? 1 : 0;
  };
}

const auto look_up = [](auto& context) {
  const Word& name = x3::_attr(context);
  const Constants& constants = *scope_of(context).constants;
  if (const auto found = constants.find(name.text); found != constants.end()) {
    x3::_val(context) = found->second;
  } else {
    refuse(context, fmt::format("'{}' is no name of a whole number known here", name.text), Code::unknown_name);
    scope_of(context).failure->span = name.span;
  }
};

/// Numbers larger than any that a source can have are rejected before their digits are converted.
const auto in_range = x3::eps[([](auto& context) {
  const auto& where = x3::_where(context);
  std::string_view text(std::to_address(where.begin()), static_cast<std::size_t>(where.end() - where.begin()));
  const bool hex = text.starts_with("0x");
  const std::size_t begin = hex ? 2 : 0;
  const std::size_t found = text.find_first_not_of(hex ? "0123456789abcdefABCDEF" : "0123456789", begin);
  text = text.substr(0, found);
  std::uint32_t value = 0;
  const auto result = std::from_chars(text.data() + begin, text.data() + text.size(), value, hex ? 16 : 10);
  if (result.ec != std::errc::result_out_of_range) return;
  const auto offset = static_cast<std::uint32_t>(text.data() - scope_of(context).begin);
  refuse(context, fmt::format("the number is too large; the largest is {}", std::numeric_limits<std::uint32_t>::max()));
  scope_of(context).failure->span = {offset, static_cast<std::uint32_t>(text.size())};
})];

const x3::rule<struct ConditionTag, std::int64_t> expression = "a whole-number expression";
const x3::rule<struct ConjunctionTag, std::int64_t> conjunction = "a whole-number expression";
const x3::rule<struct ComparisonTag, std::int64_t> comparison = "a whole-number expression";
const x3::rule<struct SumTag, std::int64_t> sum = "a whole-number expression";
const x3::rule<struct ProductTag, std::int64_t> product = "a whole-number expression";
const x3::rule<struct UnaryTag, std::int64_t> unary = "a whole-number expression";
const x3::rule<struct PrimaryTag, std::int64_t> primary = "a whole number";

const auto closing_parenthesis = as<x3::unused_type>(x3::lit(')'), "')'");
const auto primary_def = (in_range >> (("0x" >> x3::hex[set_value]) | x3::uint_[set_value])) | word[look_up] |
                         ('(' >> blanks > expression[set_value] > blanks > closing_parenthesis);
const auto unary_def =
    ('-' >> blanks > unary[negate]) | (('!' >> !x3::lit('=')) >> blanks > unary[complement]) | primary[set_value];
const auto product_def = unary[set_value] >>
                         *((blanks >> '*' >> blanks > unary[multiply]) | (blanks >> '/' >> blanks > unary[divide]) |
                           (blanks >> '%' >> blanks > unary[modulo]));
const auto sum_def = product[set_value] >>
                     *((blanks >> '+' >> blanks > product[add]) | (blanks >> '-' >> blanks > product[subtract]));
const auto comparison_def = sum[set_value] >> -((blanks >> "==" >> blanks > sum[compare(std::equal_to<>())]) |
                                                (blanks >> "!=" >> blanks > sum[compare(std::not_equal_to<>())]) |
                                                (blanks >> "<=" >> blanks > sum[compare(std::less_equal<>())]) |
                                                (blanks >> ">=" >> blanks > sum[compare(std::greater_equal<>())]) |
                                                (blanks >> "<" >> blanks > sum[compare(std::less<>())]) |
                                                (blanks >> ">" >> blanks > sum[compare(std::greater<>())]));
const auto conjunction_def = comparison[set_value] >>
                             *(blanks >> "&&" >> blanks >
                               comparison[compare([](std::int64_t a, std::int64_t b) { return a != 0 && b != 0; })]);
const auto expression_def = conjunction[set_value] >>
                            *(blanks >> "||" >> blanks >
                              conjunction[compare([](std::int64_t a, std::int64_t b) { return a != 0 || b != 0; })]);
BOOST_SPIRIT_DEFINE(expression, conjunction, comparison, sum, product, unary, primary)

const auto take_value = [](auto& context) { x3::_val(context).value = x3::_attr(context); };
template <class Parser>
auto number_of(const Parser& parser, const char* name) {
  return as<Number>(open_span >> parser[take_value] >> close_span, name);
}
const Apart<std::int64_t, decltype(expression)> any_expression(expression);
const Apart<std::int64_t, decltype(primary)> lone_number(primary);
const auto number = number_of(any_expression, "a whole-number expression");
const auto simple_number = number_of(lone_number, "a whole number");
const auto subscript = '[' >> blanks > number > blanks > as<x3::unused_type>(x3::lit(']'), "']'");

// ---- operands ------------------------------------------------------------------------------------------------------

/// A register that has a name instead of an address.
struct NamedRegister {
  OperandKind kind = OperandKind::t;
  isa::Width width = isa::Width::short_word;
  bool asserted = false;
};

struct NamedRegisters : x3::symbols<NamedRegister> {
  NamedRegisters() {
    for (unsigned code = 0; code < isa::kSources; ++code) {
      const auto source = static_cast<isa::Source>(code);
      const std::string text(isa::name_of(source));
      switch (source) {
        case isa::Source::t_short:
        case isa::Source::t_long: {
          const isa::Width width = source == isa::Source::t_long ? isa::Width::long_word : isa::Width::short_word;
          this->add(text.substr(1), {OperandKind::t, width, false});
          this->add(text.substr(1) + "i", {OperandKind::t, width, true});
          break;
        }
        case isa::Source::pe_id:
          this->add(text.substr(1), {OperandKind::pe_id});
          break;
        case isa::Source::bb_id:
          this->add(text.substr(1), {OperandKind::bb_id});
          break;
        case isa::Source::gpr_a:
        case isa::Source::gpr_b:
        case isa::Source::lm:
        case isa::Source::bm:
        case isa::Source::immediate:
        case isa::Source::none:
          break;  // has a port's address, or is no register
      }
    }
  }
} const named_register;

struct Memories : x3::symbols<OperandKind> {
  Memories() {
    this->add(std::string(isa::kGprPrefix), OperandKind::gpr);
    this->add(std::string(isa::kLmPrefix), OperandKind::lm);
    this->add(std::string(isa::kBmPrefix), OperandKind::bm);
    this->add(std::string(isa::kBmRecordPrefix), OperandKind::record);
  }
} const memory_prefix;

struct ReadPorts : x3::symbols<isa::Source> {
  ReadPorts() {
    for (const isa::Source source : {isa::Source::gpr_a, isa::Source::gpr_b}) {
      this->add(std::string(isa::read_port_suffix(source)), source);
    }
  }
} const read_port;

struct Conditions : x3::symbols<isa::Condition> {
  Conditions() {
    for (const isa::ConditionInfo& info : isa::conditions()) {
      if (!info.suffix.empty()) this->add(std::string(info.suffix), info.condition);
    }
  }
} const condition_suffix;

struct ImmediateForm {
  ImmediateKind kind = ImmediateKind::integer;
  isa::Width width = isa::Width::long_word;
};

struct ImmediateForms : x3::symbols<ImmediateForm> {
  ImmediateForms() {
    this->add("il", {ImmediateKind::integer, isa::Width::long_word});
    this->add("is", {ImmediateKind::integer, isa::Width::short_word});
    this->add("hl", {ImmediateKind::hex, isa::Width::long_word});
    this->add("hs", {ImmediateKind::hex, isa::Width::short_word});
    this->add("f", {ImmediateKind::floating, isa::Width::long_word});
    this->add("fs", {ImmediateKind::floating, isa::Width::short_word});
  }
} const immediate_form;

const auto set_named = [](auto& context) {
  const NamedRegister& named = x3::_attr(context);
  Operand& operand = x3::_val(context);
  operand.kind = named.kind;
  operand.width = named.width;
  operand.asserted = named.asserted;
};
const auto set_kind = [](auto& context) { x3::_val(context).kind = x3::_attr(context); };
const auto set_flag = [](auto& context) { x3::_val(context).kind = OperandKind::flag; };
const auto set_pe = [](auto& context) { x3::_val(context).kind = OperandKind::pe; };
const auto set_long = [](auto& context) { x3::_val(context).width = isa::Width::long_word; };
const auto set_vector = [](auto& context) { x3::_val(context).vector = true; };
const auto set_indirect = [](auto& context) {
  x3::_val(context).indirect = true;
  if (x3::_val(context).kind != OperandKind::lm) x3::_pass(context) = false;
};
const auto set_port = [](auto& context) {
  x3::_val(context).port = x3::_attr(context);
  if (x3::_val(context).kind != OperandKind::gpr) x3::_pass(context) = false;
};
const auto set_number = [](auto& context) { x3::_val(context).number = x3::_attr(context); };
const auto set_condition = [](auto& context) { x3::_val(context).condition = x3::_attr(context); };
const auto set_immediate = [](auto& context) {
  const ImmediateForm& form = x3::_attr(context);
  Operand& operand = x3::_val(context);
  operand.kind = OperandKind::immediate;
  operand.immediate = form.kind;
  operand.width = form.width;
};
const auto set_pe_number = [](auto& context) {
  const std::int64_t value = x3::_attr(context);
  // Larger numbers are rejected with the allowed range when the operand is looked up.
  x3::_val(context).number = static_cast<std::uint32_t>(value < 0 || value > std::numeric_limits<std::uint32_t>::max()
                                                            ? std::numeric_limits<std::uint32_t>::max()
                                                            : value);
};
const auto set_name = [](auto& context) { x3::_val(context).text = x3::_attr(context).text; };
const auto set_negated = [](auto& context) { x3::_val(context).negated = true; };
const auto add_subscript = [](auto& context) { x3::_val(context).subscripts.push_back(x3::_attr(context)); };
const auto add_predicate = [](auto& context) { x3::_val(context).predicates.push_back(x3::_attr(context)); };

const auto set_digits = [](auto& context) { x3::_val(context) = x3::_attr(context); };
const auto address = as<std::uint32_t>(in_range >> x3::uint_[set_digits], "an address, as in $r8 or $lm16v");
const auto flag_number = as<std::uint32_t>(in_range >> x3::uint_[set_digits], "the number of a flag, as in $ok1");
const auto named = (named_register >> end_of_word)[set_named];
const auto flag = ((x3::lit("ok") | x3::lit("lok")[set_long]) >> x3::eps[set_flag]) > flag_number[set_number] >
                  -condition_suffix[set_condition];
const auto addressed = -x3::lit('l')[set_long] >> memory_prefix[set_kind] >> -x3::lit('t')[set_indirect] >>
                       (&x3::digit > address[set_number]) >> -x3::lit('v')[set_vector] >> -read_port[set_port];
const auto register_body = as<Operand>(named | flag | addressed, "a register");
const auto take_register = [](auto& context) {
  const std::uint32_t begin = x3::_val(context).span.begin;
  const bool negated = x3::_val(context).negated;
  x3::_val(context) = x3::_attr(context);
  x3::_val(context).span.begin = begin;
  x3::_val(context).negated = negated;
};
const auto register_text = as<Operand>(
    '$' > as<Operand>(register_body[take_register], "a register: $r8 $lr8v $m8 $b8 $j8 $t $lt $mt8 $peid $bbid $ok1"),
    "a register");

const auto immediate = (immediate_form >> '"')[set_immediate] >
                       *(x3::char_ - '"')[add_text] > as<x3::unused_type>(x3::lit('"'),
                                                                          "'\"' at the end of the immediate");
const auto pe_number = x3::lit('@')[set_pe] > lone_number[set_pe_number];
const auto predicate_flag = as<PredicateItem>(
    open_span >> '/' >
        as<PredicateItem>(
            (x3::lit('j') >> end_of_word)[([](auto& context) { x3::_val(context).jvalid = true; })] |
                (x3::lit("always") >> end_of_word)[([](auto& context) { x3::_val(context).always = true; })] |
                (-x3::lit('!')[([](auto& context) { x3::_val(context).inverted = true; })] >> in_range >>
                 x3::uint_[([](auto& context) { x3::_val(context).flag = x3::_attr(context); })]),
            "a flag's number, '!' and a flag's number, 'j', or 'always'")[([](auto& context) {
          const std::uint32_t begin = x3::_val(context).span.begin;
          x3::_val(context) = x3::_attr(context);
          x3::_val(context).span.begin = begin;
        })] > close_span,
    "a predicate");

const auto operand = as<Operand>(open_span >> -x3::lit('-')[set_negated] >>
                                     (register_text[take_register] | immediate | pe_number | word[set_name]) >>
                                     *subscript[add_subscript] >> *predicate_flag[add_predicate] >> close_span,
                                 "an operand");

// ---- lines of code -------------------------------------------------------------------------------------------------

const auto end_of_item = x3::eoi | x3::lit(';');
const auto end_of_operand = as<x3::unused_type>(&(x3::blank | end_of_item), "a blank or ';' after the operand");
const auto may_name_blocks = x3::eps[([](auto& context) {
  const Operation& operation = x3::_val(context);
  x3::_pass(context) =
      operation.mnemonic.text == isa::CollectStep::kName && !operation.operands.empty() && !operation.block;
})];
const auto block_item = as<BlockItem>(
    open_span >> keyword("block") > as<BlockItem>(gap >> (keyword("each") | simple_number[([](auto& context) {
                                                            x3::_val(context).kind = isa::BlockChoice::Kind::one;
                                                            x3::_val(context).number = x3::_attr(context);
                                                          })]),
                                                  "the number of a block or 'each'")[([](auto& context) {
      const std::uint32_t begin = x3::_val(context).span.begin;
      x3::_val(context) = x3::_attr(context);
      x3::_val(context).span.begin = begin;
    })] > close_span,
    "a choice of blocks");
const auto operation = as<Operation>(
    word[([](auto& context) { x3::_val(context).mnemonic = x3::_attr(context); })] >>
        *(gap >> !end_of_item >>
          ((may_name_blocks >> block_item[([](auto& context) { x3::_val(context).block = x3::_attr(context); })]) |
           (x3::eps > operand[([](auto& context) { x3::_val(context).operands.push_back(x3::_attr(context)); })])) >
          end_of_operand),
    "an operation");
const auto vector_length = as<VectorLength>(
    keyword("vlen") > gap > simple_number[([](auto& context) { x3::_val(context).elements = x3::_attr(context); })],
    "vlen");
const auto mask_setting =
    as<MaskSetting>(keyword("mask") > gap > -x3::lit('!')[([](auto& context) { x3::_val(context).inverted = true; })] >
                        simple_number[([](auto& context) { x3::_val(context).flag = x3::_attr(context); })],
                    "mask");
const auto add_item = [](auto& context) { x3::_val(context).items.push_back(x3::_attr(context)); };
const auto item = (vector_length[add_item] | mask_setting[add_item] | operation[add_item]) >> blanks;
const auto first_item = as<CodeStatement>(item, "an operation");
const auto append_items = [](auto& context) {
  auto& items = x3::_val(context).items;
  for (Item& more : x3::_attr(context).items) items.push_back(std::move(more));
};
const auto code = as<CodeStatement>(first_item[append_items] >> *(x3::lit(';') > blanks > first_item[append_items]),
                                    "a line of operations");

// ---- declarations --------------------------------------------------------------------------------------------------

#define GDR_INTO(member) ([](auto& context) { x3::_val(context).member = x3::_attr(context); })
#define GDR_ONTO(member) ([](auto& context) { x3::_val(context).member.push_back(x3::_attr(context)); })

const auto kernel = as<KernelStatement>(
    keyword("kernel") > gap > word[GDR_INTO(name)] >
        -(gap >> keyword("experiment")[([](auto& context) { x3::_val(context).experiment = true; })]),
    "kernel");
const auto flops = as<FlopsStatement>(keyword("flops") > gap > decimal[GDR_INTO(value)], "flops");
const auto width = as<isa::Width>(
    (keyword("long") >> x3::attr(isa::Width::long_word)) | (keyword("short") >> x3::attr(isa::Width::short_word)),
    "'long' or 'short'");
const auto shape = as<bool>(((keyword("vector") >> x3::attr(true)) | (keyword("scalar") >> x3::attr(false))) >> gap,
                            "'vector' or 'scalar'");
const auto attribute =
    as<Word>(word, "a transfer, a conversion, a reduction, 'in gpr', 'packed' or the name of a bvar");
const auto after_select = x3::eps[([](auto& context) {
  const Declaration& declaration = x3::_val(context);
  x3::_pass(context) =
      !declaration.block && !declaration.attributes.empty() && declaration.attributes.back().text == "select";
})];
const auto selected_block = after_select >> &(x3::digit | x3::lit('(')) >>
                            simple_number[([](auto& context) { x3::_val(context).block = x3::_attr(context); })];
const auto declaration =
    as<Declaration>((keyword("var") | keyword("bvar")[([](auto& context) { x3::_val(context).broadcast = true; })]) >
                        gap > -shape[GDR_INTO(vector)] > width[GDR_INTO(width)] > gap > word[GDR_INTO(name)] >
                        *subscript[GDR_ONTO(dimensions)] >
                        *(gap >> !x3::eoi >> (selected_block | (x3::eps > attribute[GDR_ONTO(attributes)]))),
                    "a declaration");
const auto register_name = as<RegisterStatement>(
    keyword("reg") > gap > word[GDR_INTO(name)] > gap >
        as<Operand>(open_span >> register_text[take_register] >> close_span, "a register")[GDR_INTO(operand)],
    "reg");
const auto parameter = as<ParameterStatement>(
    keyword("param") > gap > word[GDR_INTO(name)] > blanks > as<x3::unused_type>(x3::lit(':'), "':' and a width") >
        blanks > width[GDR_INTO(width)] > blanks > -word[GDR_ONTO(conversion)] > blanks > -word[GDR_ONTO(conversion)] >
        blanks > as<x3::unused_type>(x3::lit('='), "'=' and a default") > blanks > decimal[GDR_INTO(value)],
    "param");
const auto constant =
    as<ConstantStatement>(keyword("const") > gap > word[GDR_INTO(name)] > blanks >
                              as<x3::unused_type>(x3::lit('='), "'=' and a value") > blanks > number[GDR_INTO(value)],
                          "const");

// ---- blocks --------------------------------------------------------------------------------------------------------

const auto repeat = as<RepeatStatement>(
    keyword("repeat") > gap > word[GDR_INTO(index)] > blanks > as<x3::unused_type>(x3::lit('='), "'=' and a range") >
        blanks > number[GDR_INTO(first)] > blanks > as<x3::unused_type>(x3::lit(".."), "'..' and the last index") >
        blanks > number[GDR_INTO(last)],
    "repeat");
const auto conditional = as<IfStatement>(keyword("if") > gap > number[GDR_INTO(condition)], "if");
const auto macro = as<MacroStatement>(
    keyword("macro") > gap > word[GDR_INTO(name)] > *(gap >> !x3::eoi > word[GDR_ONTO(parameters)]), "macro");
const auto quoted = as<Word>('"' > open_span > *(x3::char_ - '"')[add_text] > close_span >
                                 as<x3::unused_type>(x3::lit('"'), "'\"' at the end of the path"),
                             "a path in quotes");
const auto include = as<IncludeStatement>(keyword("include") > gap > quoted[GDR_INTO(path)], "include");

#undef GDR_INTO
#undef GDR_ONTO

// ---- one statement -------------------------------------------------------------------------------------------------

std::string found_text(std::string_view rest) {
  if (rest.empty()) return "the line ends";
  std::size_t end = std::min({rest.find_first_of(" \t;", 1), rest.size(), std::size_t{24}});
  while (end < rest.size() && (static_cast<unsigned char>(rest[end]) & 0xc0U) == 0x80U) ++end;  // a whole character
  return fmt::format("found '{}'", rest.substr(0, end));
}

SyntaxError not_understood(const Scope& scope, std::string_view text, const char* at, std::string_view expected) {
  if (scope.failure) return *scope.failure;
  const auto offset = static_cast<std::uint32_t>(at - text.data());
  const std::string_view rest = text.substr(offset);
  const std::size_t length = rest.empty() ? 1 : std::min(rest.find_first_of(" \t;", 1), rest.size());
  return SyntaxError{Code::syntax,
                     {offset, static_cast<std::uint32_t>(length)},
                     fmt::format("expected {}, but {}", expected, found_text(rest))};
}

template <class Result, class Parser>
std::variant<Statement, SyntaxError> parse_as(const Parser& parser, std::string_view text, const Constants& constants) {
  const char* first = text.data();
  const char* const last = first + text.size();
  Scope scope{first, &constants, std::nullopt};
  try {
    Result result;
    const auto end_of_line = as<x3::unused_type>(x3::eoi, "the end of the line");
    const auto whole = blanks > parser > blanks > end_of_line;
    if (x3::parse(first, last, x3::with<ScopeTag>(std::ref(scope))[whole], result)) return Statement(std::move(result));
    return not_understood(scope, text, first, "a statement");
  } catch (const x3::expectation_failure<const char*>& failure) {
    return not_understood(scope, text, failure.where(), failure.which());
  }
}

/// A section's header, `loop body`, or `experiment step` where lines are added around those of the source.
std::variant<Statement, SyntaxError> parse_section(std::string_view text) {
  std::vector<std::string_view> words;
  const auto begin = static_cast<std::uint32_t>(text.find_first_not_of(" \t"));
  const auto length = static_cast<std::uint32_t>(text.find_last_not_of(" \t") + 1 - begin);
  std::string normal;
  for (const char c : text.substr(begin, length)) {
    const bool is_blank = c == ' ' || c == '\t';
    if (!is_blank || !normal.ends_with(' ')) normal += is_blank ? ' ' : c;
  }
  std::string names;
  for (std::size_t index = 0; index < isa::kSections; ++index) {
    const auto section = static_cast<isa::Section>(index);
    if (normal == isa::name_of(section)) return SectionStatement{section, {begin, length}};
    if (normal == isa::experiment_name_of(section)) return SectionStatement{section, {begin, length}, true};
    names += fmt::format("{}'{}'", names.empty() ? "" : ", ",
                         normal.starts_with("experiment") ? isa::experiment_name_of(section) : isa::name_of(section));
  }
  return SyntaxError{Code::syntax, {begin, length}, fmt::format("the sections are {}", names)};
}

template <class Empty>
std::variant<Statement, SyntaxError> parse_bare(std::string_view text, std::string_view name) {
  const std::size_t begin = text.find(name) + name.size();
  const std::size_t rest = text.find_first_not_of(" \t", begin);
  if (rest == std::string_view::npos) return Statement(Empty());
  return SyntaxError{Code::syntax,
                     {static_cast<std::uint32_t>(rest), static_cast<std::uint32_t>(text.size() - rest)},
                     fmt::format("nothing follows '{}' on its line", name)};
}

std::string_view first_word(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::size_t end = 0;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(0, end);
}

}  // namespace

std::variant<Statement, SyntaxError> parse_statement(std::string_view text, const Constants& constants) {
  const std::string_view head = first_word(text);
  if (head == "kernel") return parse_as<KernelStatement>(kernel, text, constants);
  if (head == "flops") return parse_as<FlopsStatement>(flops, text, constants);
  if (head == "var" || head == "bvar") return parse_as<Declaration>(declaration, text, constants);
  if (head == "reg") return parse_as<RegisterStatement>(register_name, text, constants);
  if (head == "param") return parse_as<ParameterStatement>(parameter, text, constants);
  if (head == "const") return parse_as<ConstantStatement>(constant, text, constants);
  if (head == "repeat") return parse_as<RepeatStatement>(repeat, text, constants);
  if (head == "if") return parse_as<IfStatement>(conditional, text, constants);
  if (head == "macro") return parse_as<MacroStatement>(macro, text, constants);
  if (head == "include") return parse_as<IncludeStatement>(include, text, constants);
  if (head == "else") return parse_bare<ElseStatement>(text, head);
  if (head == "end") return parse_bare<EndStatement>(text, head);
  if (head == "initialization" || head == "loop" || head == "experiment") return parse_section(text);
  return parse_as<CodeStatement>(code, text, constants);
}

std::variant<std::int64_t, SyntaxError> evaluate(std::string_view text, const Constants& constants) {
  const auto parsed = parse_as<IfStatement>(
      as<IfStatement>(number[([](auto& context) { x3::_val(context).condition = x3::_attr(context); })],
                      "an expression"),
      text, constants);
  if (const auto* failure = std::get_if<SyntaxError>(&parsed)) return *failure;
  return std::get<IfStatement>(std::get<Statement>(parsed)).condition.value;
}

}  // namespace gdr::assembler
// NOLINTEND(bugprone-chained-comparison)
