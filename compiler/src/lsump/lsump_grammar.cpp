// The grammar of LSUMP's language. Spirit X3 stays in this translation unit; docs/kernels/compiler.md has the same
// grammar.
#include <boost/spirit/home/x3.hpp>
#include <functional>
#include <utility>

#include "lsump.h"

// Spirit's `a >> b > c` means: a, then b, then c or an error.
#ifdef __clang__
#pragma clang diagnostic ignored "-Woverloaded-shift-op-parentheses"
#endif

// An expected parser with a semantic action has the parser's name in messages.
template <class Subject, class Action>
struct boost::spirit::x3::get_info<boost::spirit::x3::action<Subject, Action>> {
  using result_type = std::string;
  std::string operator()(const action<Subject, Action>& parser) const { return what(parser.subject); }
};

namespace gdr::compiler {
namespace {

namespace x3 = boost::spirit::x3;

struct BeginTag;

template <class Context>
std::uint32_t offset_of(Context& context) {
  return static_cast<std::uint32_t>(x3::_where(context).begin() - x3::get<BeginTag>(context).get());
}

/// Gives a parser the name that "expected ..." uses, and its attribute.
template <class Attribute, class Parser>
auto as(const Parser& parser, const char* name) {
  return x3::rule<struct NamedTag, Attribute>{name} = parser;
}

const auto comment = ('#' | x3::lit("//")) >> *(x3::char_ - x3::eol) | "/*" >> *(x3::char_ - "*/") >> "*/";
const auto skipped = x3::space | comment;

const auto letter = x3::char_("a-zA-Z_");
const auto follows = x3::char_("a-zA-Z_0-9");
const auto word = as<std::string>(x3::lexeme[letter >> *follows], "a name");
// Words by which statements are told apart, and which therefore are no names of variables.
x3::symbols<x3::unused_type> reserved{{"long", "short", "VARI", "VARJ", "VARF", "VARC", "VARS"}, "a reserved word"};
const auto own_name = as<std::string>(x3::lexeme[!(reserved >> !follows) >> letter >> *follows], "a name");
const auto count = as<unsigned>(x3::uint_, "a whole number");
const auto number = as<double>(x3::lexeme[x3::double_ >> !letter], "a number");

template <class Text>
auto keyword(const Text& text) {
  return x3::lexeme[x3::string(text) >> !follows];
}

template <class Text>
auto mark(const Text& text, const char* name) {
  return as<x3::unused_type>(x3::lit(text), name);
}

using Kind = LsumpExpression::Kind;

const auto set = [](auto& context) { x3::_val(context) = std::move(x3::_attr(context)); };
const auto here = [](auto& context) { x3::_val(context).at = offset_of(context); };
const auto is_number = [](auto& context) { x3::_val(context).number = x3::_attr(context); };
const auto is_name = [](auto& context) {
  x3::_val(context).kind = Kind::name;
  x3::_val(context).text = x3::_attr(context);
};
const auto is_call = [](auto& context) { x3::_val(context).kind = Kind::call; };
const auto has_index = [](auto& context) { x3::_val(context).index = x3::_attr(context); };
const auto has_operand = [](auto& context) { x3::_val(context).operands.push_back(std::move(x3::_attr(context))); };

/// Makes the expression read so far the first operand of an operator.
const auto operate = [](auto& context) {
  LsumpExpression first = std::move(x3::_val(context));
  LsumpExpression& made = x3::_val(context);
  made = LsumpExpression{};
  made.kind = Kind::operation;
  made.text = std::string(x3::_attr(context));
  made.at = first.at;
  made.operands.push_back(std::move(first));
};
const auto negate = [](auto& context) {
  x3::_val(context).kind = Kind::operation;
  x3::_val(context).text = "neg";
  x3::_val(context).operands = {std::move(x3::_attr(context))};
};
const auto oppose = [](auto& context) {
  negate(context);
  x3::_val(context).text = "!";
};

const x3::rule<struct ChoiceTag, LsumpExpression> expression = "an expression";
const x3::rule<struct EitherTag, LsumpExpression> either = "an expression";
const x3::rule<struct BothTag, LsumpExpression> both = "an expression";
const x3::rule<struct CompareTag, LsumpExpression> comparison = "an expression";
const x3::rule<struct SumTag, LsumpExpression> sum = "an expression";
const x3::rule<struct ProductTag, LsumpExpression> product = "an expression";
const x3::rule<struct UnaryTag, LsumpExpression> unary = "an expression";
const x3::rule<struct PrimaryTag, LsumpExpression> primary = "an expression";

const auto closing = mark(")", "')'");
const auto closing_index = mark("]", "']'");
const auto index = '[' > count[has_index] > closing_index;
const auto arguments = ('(' > -(expression[has_operand] % ',') > closing);
const auto primary_def =
    ('(' > expression[set] > closing) |
    (x3::eps[here] >>
     (number[is_number] | word[is_name] >> -(index | ((&x3::lit('(') >> x3::eps[is_call]) > arguments))));
const auto unary_def =
    (x3::eps[here] >> (('-' > unary[negate]) | ((x3::lit('!') >> !x3::lit('=')) > unary[oppose]))) | primary[set];
const auto product_def = unary[set] >> *(as<std::string>(x3::string("*") | x3::string("/"), "an operator")[operate] >
                                         unary[has_operand]);
const auto sum_def = product[set] >> *(as<std::string>((x3::string("+") | x3::string("-")) >> !x3::lit('='),
                                                       "an operator")[operate] > product[has_operand]);
const auto relation = as<std::string>(
    x3::string("<=") | x3::string(">=") | x3::string("==") | x3::string("!=") | x3::string("<") | x3::string(">"),
    "an operator");
const auto comparison_def = sum[set] >> -(relation[operate] > sum[has_operand]);
const auto both_def = comparison[set] >> *(as<std::string>(x3::string("&&"), "&&")[operate] > comparison[has_operand]);
const auto either_def = both[set] >> *(as<std::string>(x3::string("||"), "||")[operate] > both[has_operand]);
const auto expression_def = either[set] >> -(as<std::string>(x3::string("?"), "?")[operate] > expression[has_operand] >
                                             mark(":", "':'") > expression[has_operand]);
BOOST_SPIRIT_DEFINE(expression, either, both, comparison, sum, product, unary, primary)

const x3::rule<struct DeclaredTag, LsumpDeclared> declared = "a name";
const auto declared_def = x3::eps[here] >>
                          own_name[([](auto& context) { x3::_val(context).name = x3::_attr(context); })] >>
                          -('[' > count[([](auto& context) { x3::_val(context).count = x3::_attr(context); })] >
                            closing_index) >>
                          -('=' > number[([](auto& context) { x3::_val(context).number = x3::_attr(context); })]);
BOOST_SPIRIT_DEFINE(declared)

const x3::rule<struct TargetTag, LsumpExpression> target = "a statement";
const auto target_def = x3::eps[here] >> own_name[is_name] >> -index;
BOOST_SPIRIT_DEFINE(target)

const auto has_declared = [](auto& context) { x3::_val(context).declared.push_back(std::move(x3::_attr(context))); };
const auto has_width = [](auto& context) { x3::_val(context).width = x3::_attr(context); };
const auto width = as<std::string>(keyword("long") | keyword("short"), "long or short");
const auto kind =
    as<std::string>(keyword("VARI") | keyword("VARJ") | keyword("VARF") | keyword("VARC") | keyword("VARS"),
                    "VARI, VARJ, VARF, VARC or VARS");
const auto has_keyword = [](auto& context) { x3::_val(context).keyword = x3::_attr(context); };
const x3::rule<struct DeclarationTag, LsumpStatement> declaration = "a declaration";
const auto declaration_def = x3::eps[here] >> -x3::lit('/') >> kind[has_keyword] >>
                             -width[has_width] > declared[has_declared] >
                             *(',' > declared[has_declared]) > x3::omit[-x3::char_(';')];
const auto has_value = [](auto& context) { x3::_val(context).value = std::move(x3::_attr(context)); };
const auto section_name = as<std::string>(keyword("BEGIN") | keyword("STEP") | keyword("END"), "BEGIN, STEP or END");
const x3::rule<struct SectionTag, LsumpStatement> section = "a section";
const auto section_def = x3::eps[here] >> '/' >> section_name[has_keyword] >> x3::omit[-x3::char_(';')];
const x3::rule<struct DoneTag, LsumpStatement> done = "a condition";
const auto done_def = x3::eps[here] >> '/' >>
                      as<std::string>(keyword("DONE"), "DONE")[has_keyword] > expression[has_value] > mark(";", "';'");
const x3::rule<struct AssignmentTag, LsumpStatement> assignment = "a statement";
const auto sign = as<std::string>(x3::string("=") | x3::string("+=") | x3::string("-="), "=, += or -=");
const auto assignment_def = x3::eps[here] >> -width[has_width] >>
                            target[([](auto& context) { x3::_val(context).target = std::move(x3::_attr(context)); })] >
                            sign[([](auto& context) { x3::_val(context).assignment = x3::_attr(context); })] >
                            expression[has_value] > mark(";", "';'");
BOOST_SPIRIT_DEFINE(declaration, section, done, assignment)

}  // namespace

namespace {

/// The position at which expressions are nested too deeply for a recursive parser; nothing if they are not.
std::optional<std::uint32_t> too_deep(std::string_view text) {
  constexpr unsigned kDeepest = 100;
  unsigned open = 0;
  unsigned choices = 0;  // in the statement
  unsigned signs = 0;    // consecutive ones
  for (std::size_t n = 0; n < text.size(); ++n) {
    const char c = text[n];
    if (c == ';') open = choices = 0;
    if (c == '(') ++open;
    if (c == ')' && open > 0) --open;
    if (c == '?') ++choices;
    if (c == '-' || c == '!') ++signs;
    if (c != '-' && c != '!' && c != ' ') signs = 0;
    if (open > kDeepest || choices > kDeepest || signs > kDeepest) return static_cast<std::uint32_t>(n);
  }
  return std::nullopt;
}

/// Why a text at which the parser stopped is no name, if that is the cause: nothing for other mistakes.
std::optional<LsumpSyntaxError> wrong_name(std::string_view text, std::size_t at) {
  const auto follows_in = [&](std::size_t n) {
    return n < text.size() && ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z') ||
                               (text[n] >= '0' && text[n] <= '9') || text[n] == '_');
  };
  if (at < text.size() && static_cast<unsigned char>(text[at]) > 0x7f) {
    return LsumpSyntaxError{static_cast<std::uint32_t>(at),
                            "a name has letters a to z and A to Z, digits and underlines"};
  }
  std::size_t end = at;
  if (follows_in(at)) {
    while (follows_in(end)) ++end;
  } else {  // what follows a word that was taken for the begin of a statement
    while (end > 0 && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
  }
  std::size_t begin = end;
  while (begin > 0 && follows_in(begin - 1)) --begin;
  const std::string word(text.substr(begin, end - begin));
  std::size_t next = end;
  while (next < text.size() && (text[next] == ' ' || text[next] == '\t')) ++next;
  const bool is_used = next < text.size() && std::string_view("=+-[;,").find(text[next]) != std::string_view::npos;
  if (reserved.find(word) == nullptr || !is_used) return std::nullopt;
  return LsumpSyntaxError{static_cast<std::uint32_t>(begin),
                          "'" + word + "' is a reserved word of LSUMP's language: a variable needs another name"};
}

}  // namespace

LsumpParsed parse_lsump(std::string_view source) {
  LsumpParsed parsed;
  if (const std::optional<std::uint32_t> deep = too_deep(source)) {
    parsed.error = {*deep, "more than 100 parentheses, choices or signs are inside of one another"};
    return parsed;
  }
  // Characters outside ASCII may appear only in comments. The parser's character tests do not accept them as arguments.
  std::string text(source);
  for (char& c : text) c = static_cast<unsigned char>(c) > 0x7f ? '\x01' : c;
  const char* at = text.data();
  const char* const begin = at;
  const char* const end = at + text.size();
  const auto add = [&](auto& context) { parsed.statements.push_back(std::move(x3::_attr(context))); };
  const auto program =
      x3::with<BeginTag>(std::cref(begin))[*(section[add] | done[add] | declaration[add] | assignment[add])];
  try {
    const bool read = x3::phrase_parse(at, end, program, skipped);
    if (!read || at != end) parsed.error = {static_cast<std::uint32_t>(at - text.data()), "a statement is expected"};
  } catch (const x3::expectation_failure<const char*>& failure) {
    const char* where = failure.where();
    // The position of the unexpected text, after blanks.
    while (where != end && (*where == ' ' || *where == '\t' || *where == '\n')) ++where;
    parsed.error = {static_cast<std::uint32_t>(where - text.data()), failure.which() + " is expected"};
  }
  if (parsed.error) parsed.error = wrong_name(source, parsed.error->at).value_or(*parsed.error);
  return parsed;
}

}  // namespace gdr::compiler
