#include "pair_printer.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace gdr::compiler {
namespace {

constexpr std::array<const char*, kRecords> kRecordNames{"gdr_i", "gdr_j", "gdr_f", "gdr_p"};
constexpr const char* kNoField = "gdr_none";

/// The function of <math.h> that a call is of, without the f of its float form; empty for others.
std::string math_function(const clang::CallExpr& call) {
  const clang::FunctionDecl* callee = call.getDirectCallee();
  if (callee == nullptr || callee->getIdentifier() == nullptr || !call.getType()->isFloatingType()) return {};
  const bool of_system =
      callee->getASTContext().getSourceManager().isInSystemHeader(callee->getLocation()) || callee->getBuiltinID() != 0;
  std::string name = callee->getName().str();
  if (!of_system) return {};
  if (name == "min" || name == "max") return call.getNumArgs() == 2 ? "f" + name : std::string();
  if (name == "abs") return "fabs";
  static const std::set<std::string> known{"sqrt", "fabs", "fmin", "fmax", "copysign", "exp",      "exp2",
                                           "log",  "log2", "sin",  "cos",  "rint",     "nearbyint"};
  if (known.contains(name)) return name;
  if (name.ends_with('f')) name.pop_back();
  return known.contains(name) ? name : std::string();
}

class PairPrinter : public clang::PrinterHelper {
 public:
  PairPrinter(const PairBody& body, const clang::ASTContext& context, const PairStyle& style)
      : body_(body), context_(context), style_(style), policy_(context.getPrintingPolicy()) {}

  std::string print() {
    text_ = "\n";
    for (const Record record : {Record::i, Record::j, Record::result, Record::parameter}) structure(record);
    signature();
    line("{");
    for (const clang::VarDecl* scratch : body_.scratch())
      line(declared(scratch->getType(), scratch->getName().str()) + ";");
    parameter_tables();
    statement(body_.surroundings().inner->getBody());
    line("}");
    return text_;
  }

  bool handledStmt(clang::Stmt* statement, llvm::raw_ostream& out) override {
    const auto* expression = llvm::dyn_cast<clang::Expr>(statement);
    if (expression == nullptr) return false;
    if (const auto* number = llvm::dyn_cast<clang::FloatingLiteral>(expression)) {
      out << literal(*number);
      return true;
    }
    if (llvm::isa<clang::ParenExpr, clang::ImplicitCastExpr>(expression)) return false;
    if (const std::optional<Access> access = access_of(expression, body_.aliases())) {
      if (const BodyField* field = body_.field_of(*access, loops_)) {
        out << member(*field, *access);
        return true;
      }
      if (expression != as_written_ && body_.is_constant_table(*access, loops_) && is_rounded(*access->expression)) {
        as_written_ = expression;
        out << "((" << real(expression->getType()) << ")" << printed(expression) << ")";
        return true;
      }
      return false;
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) return math_call(*call, out);
    if (const auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(expression)) {
      if (!cast->getType()->isFloatingType()) return false;
      out << "((" << real(cast->getType()) << ")(" << printed(cast->getSubExpr()) << "))";
      return true;
    }
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
    const bool product = binary != nullptr && binary->isMultiplicativeOp() && binary->getType()->isFloatingType();
    if (product && style_.precision == Precision::mixed) {
      out << factor(*binary->getLHS()) << " " << binary->getOpcodeStr() << " " << factor(*binary->getRHS());
      return true;
    }
    return false;
  }

 private:
  // ---- types ----

  /// The type that a floating-point variable of the body has.
  [[nodiscard]] std::string real(clang::QualType /*type*/) const {
    return style_.precision == Precision::in_double ? "double" : "float";
  }

  [[nodiscard]] std::string declared(clang::QualType type, const std::string& name) const {
    const clang::QualType plain = type.getCanonicalType();
    std::string dimensions;
    clang::QualType element = plain;
    while (const auto* array = context_.getAsConstantArrayType(element)) {
      dimensions += "[" + std::to_string(array->getSize().getZExtValue()) + "]";
      element = array->getElementType();
    }
    if (element->isRealFloatingType()) return real(element) + " " + name + dimensions;
    std::string text = name;
    type.getNonReferenceType().getAsStringInternal(text, policy_);
    return text;
  }

  [[nodiscard]] std::string member_type(const BodyField& field) const {
    if (!field.type->isRealFloatingType()) {
      const bool wide = context_.getTypeSize(field.type) == 64;
      const bool without_sign = field.type->isUnsignedIntegerType() && context_.getTypeSize(field.type) >= 32;
      return std::string(without_sign ? "unsigned " : "") + (wide ? "long" : "int");
    }
    return is_long(field) ? "double" : "float";
  }

  [[nodiscard]] bool is_long(const BodyField& field) const {
    if (!field.type->isRealFloatingType()) return false;
    if (style_.precision != Precision::mixed) return style_.precision == Precision::in_double;
    if (field.record == Record::result) return true;
    // Factors are rounded to short words in any case.
    return !field.only_factor && context_.getTypeSize(field.type) == 64;
  }

  /// Whether an expression is a long word as it is printed: data, sums and differences of data.
  [[nodiscard]] bool is_long(const clang::Expr* expression) const {
    expression = expression->IgnoreParenImpCasts();
    if (const std::optional<Access> access = access_of(expression, body_.aliases())) {
      const BodyField* field = body_.field_of(*access, loops_);
      if (field != nullptr) return is_long(*field);
      // Members of structures keep their types, and so do constants of the file.
      const bool kept = access->shape.find('.') != std::string::npos || body_.is_constant_table(*access, loops_);
      return kept && context_.getTypeSize(access->expression->getType()) == 64;
    }
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) return is_long(unary->getSubExpr());
    if (const auto* chosen = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
      return is_long(chosen->getTrueExpr()) || is_long(chosen->getFalseExpr());
    }
    if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
      const std::string name = math_function(*call);
      return name.empty() ? context_.getTypeSize(call->getType()) == 64 : chooses_long(*call, name);
    }
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
    return binary != nullptr && binary->isAdditiveOp() && (is_long(binary->getLHS()) || is_long(binary->getRHS()));
  }

  /// In mixed precision what only chooses one of its arguments leaves long words long.
  [[nodiscard]] bool chooses_long(const clang::CallExpr& call, const std::string& name) const {
    static const std::set<std::string> choosing{"fmin", "fmax", "fabs", "copysign"};
    if (!choosing.contains(name)) return false;
    return std::any_of(call.arg_begin(), call.arg_end(), [&](const clang::Expr* one) { return is_long(one); });
  }

  /// Whether a constant of the file has another type than it would have among the data.
  [[nodiscard]] bool is_rounded(const clang::Expr& constant) const {
    const bool wide = context_.getTypeSize(constant.getType()) == 64;
    return constant.getType()->isRealFloatingType() && style_.precision != Precision::mixed &&
           wide != (style_.precision == Precision::in_double);
  }

  // ---- records ----

  void structure(Record record) {
    const auto fields = fields_of(body_, record);
    if (record == Record::parameter && fields.empty()) return;
    text_ += "struct " + record_type(record) + " {\n";
    for (const BodyField* field : fields) {
      if (is_table(*field)) {
        for (std::size_t n = 0; n < field->texts.size(); ++n)
          text_ += "  " + member_type(*field) + " " + field->name + "_" + std::to_string(n) + ";\n";
        continue;
      }
      const std::string count = field->loops.empty() ? "" : "[" + std::to_string(field->texts.size()) + "]";
      text_ += "  " + member_type(*field) + " " + field->name + count + ";\n";
    }
    if (fields.empty()) text_ += std::string("  int ") + kNoField + ";\n";
    text_ += "};\n";
  }

  [[nodiscard]] std::string record_type(Record record) const {
    return std::string(kRecordNames[static_cast<std::size_t>(record)]) + "_of_" + style_.name;
  }

  void signature() {
    std::string arguments;
    for (const Record record : {Record::i, Record::j, Record::result, Record::parameter}) {
      if (record == Record::parameter && fields_of(body_, record).empty()) continue;
      const std::string constant = record == Record::result ? "" : "const ";
      arguments += arguments.empty() ? "" : ", ";
      const std::string name = kRecordNames[static_cast<std::size_t>(record)];
      arguments +=
          constant + "struct " + record_type(record) + (style_.cplusplus ? "& " + name : " " + name + "[static 1]");
    }
    text_ += "void " + style_.name + "(" + arguments + ");\n";
    place(body_.surroundings().inner->getBeginLoc());
    text_ += "void " + style_.name + "(" + arguments + ")\n";
  }

  /// Parameters are words; those that a fixed loop counts through become an array.
  void parameter_tables() {
    for (const BodyField* field : fields_of(body_, Record::parameter)) {
      if (!is_table(*field)) continue;
      std::vector<std::string> values;
      for (std::size_t n = 0; n < field->texts.size(); ++n)
        values.push_back(of_record(Record::parameter) + field->name + "_" + std::to_string(n));
      std::string sizes;
      for (std::size_t d = field->dimensions.size(); d-- > 1;) {
        sizes.insert(0, "[" + std::to_string(field->dimensions[d]) + "]");
        values = rows(values, field->dimensions[d]);
      }
      line("const " + member_type(*field) + " gdr_table_" + field->name + "[]" + sizes + " = " +
           rows(values, values.size()).front() + ";");
    }
  }

  /// As many values in braces as a row has.
  [[nodiscard]] static std::vector<std::string> rows(const std::vector<std::string>& values, std::size_t size) {
    std::vector<std::string> all;
    for (std::size_t n = 0; n < values.size(); ++n) {
      if (n % size == 0) all.emplace_back("{");
      all.back() += values[n] + (n % size == size - 1 ? "}" : ", ");
    }
    return all;
  }

  [[nodiscard]] static bool is_table(const BodyField& field) {
    return field.record == Record::parameter && !(field.loops.empty() && field.dimensions.empty());
  }

  [[nodiscard]] std::string of_record(Record record) const {
    return std::string(kRecordNames[static_cast<std::size_t>(record)]) + (style_.cplusplus ? "." : "->");
  }

  /// As the program reads or writes it at this place, where counters may have other names than at the first one.
  [[nodiscard]] std::string member(const BodyField& field, const Access& access) {
    std::string text = is_table(field) ? "gdr_table_" + field.name : of_record(field.record) + field.name;
    if (!field.dimensions.empty()) return text + brackets(*access.expression);
    if (field.loops.empty()) return text;
    std::string index;
    for (const FixedLoop& loop : loops_of(access.variables, loops_)) {
      const std::string turn = "(" + loop.counter->getNameAsString() + " - " + std::to_string(loop.low) + ")";
      index = index.empty() ? turn : "(" + index + " * " + std::to_string(loop.high - loop.low) + " + " + turn + ")";
    }
    return text + "[" + index + "]";
  }

  /// The indices of an element of an array.
  std::string brackets(const clang::Expr& place) {
    const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place.IgnoreParenImpCasts());
    return element == nullptr ? "" : brackets(*element->getBase()) + "[" + printed(element->getIdx()) + "]";
  }

  // ---- expressions ----

  std::string printed(const clang::Expr* expression) {
    std::string text;
    llvm::raw_string_ostream out(text);
    expression->printPretty(out, this, policy_);
    return text;
  }

  [[nodiscard]] std::string literal(const clang::FloatingLiteral& number) const {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.17g", number.getValueAsApproximateDouble());
    std::string all = text.data();
    if (all.find_first_of(".en") == std::string::npos) all += ".0";
    return style_.precision == Precision::in_double ? all : all + "f";
  }

  std::string factor(const clang::Expr& expression) {
    const std::string text = printed(&expression);
    return is_long(&expression) ? "(float)(" + text + ")" : text;
  }

  bool math_call(const clang::CallExpr& call, llvm::raw_ostream& out) {
    const std::string name = math_function(call);
    if (name.empty()) return false;
    const bool wide =
        style_.precision == Precision::in_double || (style_.precision == Precision::mixed && chooses_long(call, name));
    out << "__builtin_" << name << (wide ? "" : "f") << "(";
    for (unsigned n = 0; n < call.getNumArgs(); ++n) out << (n == 0 ? "" : ", ") << printed(call.getArg(n));
    out << ")";
    return true;
  }

  /// In mixed precision a product goes into a sum unrounded: of two short words it is exact in a long one.
  std::string assignment(const clang::Expr* expression) {
    const auto* sum = llvm::dyn_cast<clang::CompoundAssignOperator>(expression);
    const bool adds =
        sum != nullptr && (sum->getOpcode() == clang::BO_AddAssign || sum->getOpcode() == clang::BO_SubAssign);
    if (style_.precision != Precision::mixed || !adds || !is_long(sum->getLHS())) return printed(expression);
    const auto* product = llvm::dyn_cast<clang::BinaryOperator>(sum->getRHS()->IgnoreParenImpCasts());
    if (product == nullptr || product->getOpcode() != clang::BO_Mul || !product->getType()->isRealFloatingType()) {
      return printed(expression);
    }
    return printed(sum->getLHS()) + " " + sum->getOpcodeStr().str() + " (double)(" + factor(*product->getLHS()) +
           ") * (" + factor(*product->getRHS()) + ")";
  }

  // ---- statements ----

  void line(const std::string& text) { text_ += text + "\n"; }

  void place(clang::SourceLocation where) {
    const clang::PresumedLoc at =
        context_.getSourceManager().getPresumedLoc(context_.getSourceManager().getExpansionLoc(where));
    text_ += "#line " + std::to_string(at.getLine()) + " \"" + style_.file + "\"\n";
  }

  void statement(const clang::Stmt* statement) {
    if (statement == nullptr) return;
    if (const auto* block = llvm::dyn_cast<clang::CompoundStmt>(statement)) {
      line("{");
      for (const clang::Stmt* next : block->body()) this->statement(next);
      return line("}");
    }
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement)) return declare(*declaration);
    place(statement->getBeginLoc());
    if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(statement)) {
      line("if (" + printed(branch->getCond()) + ") {");
      this->statement(branch->getThen());
      line("}");
      if (branch->getElse() == nullptr) return;
      line("else {");
      this->statement(branch->getElse());
      return line("}");
    }
    if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(statement)) return fixed(*loop);
    if (const auto* choice = llvm::dyn_cast<clang::SwitchStmt>(statement)) {
      line("switch (" + printed(choice->getCond()) + ")");
      return this->statement(choice->getBody());
    }
    if (const auto* chosen = llvm::dyn_cast<clang::CaseStmt>(statement)) {
      line("case " + printed(chosen->getLHS()) + ":");
      return this->statement(chosen->getSubStmt());
    }
    if (const auto* other = llvm::dyn_cast<clang::DefaultStmt>(statement)) {
      line("default:");
      return this->statement(other->getSubStmt());
    }
    if (llvm::isa<clang::ContinueStmt>(statement)) return line(loops_.empty() ? "return;" : "continue;");
    if (llvm::isa<clang::BreakStmt>(statement)) return line("break;");
    if (const auto* value = llvm::dyn_cast<clang::Expr>(statement)) return line(assignment(value) + ";");
    line(";");
  }

  void fixed(const clang::ForStmt& loop) {
    const std::optional<FixedLoop> fixed = fixed_loop(loop, context_);
    const std::string name = fixed->counter->getNameAsString();
    const std::string first = std::to_string(fixed->down ? fixed->high - 1 : fixed->low);
    const std::string end = fixed->down ? " >= " + std::to_string(fixed->low) : " < " + std::to_string(fixed->high);
    // A counter of the program may be read after the loop.
    const bool own = !body_.scratch().contains(fixed->counter);
    line("for (" + std::string(own ? "int " : "") + name + " = " + first + "; " + name + end + "; " +
         (fixed->down ? "--" : "++") + name + ") {");
    loops_.push_back(*fixed);
    statement(loop.getBody());
    loops_.pop_back();
    line("}");
  }

  void declare(const clang::DeclStmt& declaration) {
    for (const clang::Decl* next : declaration.decls()) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(next);
      if (variable == nullptr || body_.is_alias(variable)) continue;
      place(variable->getLocation());
      std::string text = declared(variable->getType(), variable->getNameAsString());
      if (variable->getInit() != nullptr && variable->getInitStyle() == clang::VarDecl::CInit)
        text += " = " + printed(variable->getInit());
      else if (variable->getInit() != nullptr && variable->getInitStyle() == clang::VarDecl::ListInit)
        text += printed(variable->getInit());
      else if (variable->getInit() != nullptr && !llvm::isa<clang::CXXConstructExpr>(variable->getInit()))
        text += "(" + printed(variable->getInit()) + ")";
      line(text + ";");
    }
  }

  const PairBody& body_;
  const clang::ASTContext& context_;
  const PairStyle& style_;
  clang::PrintingPolicy policy_;
  std::vector<FixedLoop> loops_;
  const clang::Stmt* as_written_ = nullptr;  // a constant that is being printed in a conversion
  std::string text_;
};

}  // namespace

std::vector<const BodyField*> fields_of(const PairBody& body, Record record) {
  std::vector<const BodyField*> fields;
  for (const BodyField& field : body.fields()) {
    if (field.record == record) fields.push_back(&field);
  }
  return fields;
}

std::string pair_function_text(const PairBody& body, const clang::ASTContext& context, const PairStyle& style) {
  return PairPrinter(body, context, style).print();
}

}  // namespace gdr::compiler
