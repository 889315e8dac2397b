#include "pair_body.h"

#include <clang/AST/ExprCXX.h>

#include <algorithm>
#include <cctype>

namespace gdr::compiler {
namespace {

std::string name_from(const std::string& text) {
  std::string name;
  for (std::size_t n = 0; n < text.size(); ++n) {
    const char c = text[n];
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.starts_with("this_")) name.erase(0, 5);
  return name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "v" + name : name;
}

}  // namespace

bool is_pointer_like(const clang::VarDecl& declared) {
  return declared.getType()->isPointerType() || declared.getType()->isReferenceType();
}

bool has_outside_type(const clang::VarDecl& declared) {
  const clang::Type* element = declared.getType()->getBaseElementTypeUnsafe();
  const clang::RecordDecl* record = element->getAsRecordDecl();
  return record == nullptr || (record->getParentFunctionOrMethod() == nullptr &&
                               (record->getIdentifier() != nullptr || record->getTypedefNameForAnonDecl() != nullptr));
}

PairBody::PairBody(const clang::ASTContext& context, Surroundings surroundings, const Refuse& refuse)
    : context_(context), around_(std::move(surroundings)), refuse_(refuse), aliases_(around_.aliases) {}

void PairBody::no(const clang::Stmt* where, std::string text) {
  refused_ = true;
  refuse_(where->getBeginLoc(), std::move(text));
}

bool PairBody::read() {
  find_written();
  // What is read before it is written was carried from the pair before: those are known after one walk.
  for (int round = 0; round < 2 && !refused_; ++round) {
    fields_.clear();
    by_key_.clear();
    for (auto& names : names_) names.clear();
    left_ = false;
    State state;
    walk(around_.inner->getBody(), state);
  }
  for (const clang::VarDecl* declared : written_) {
    if (carried_.contains(declared)) continue;
    scratch_.insert(declared);
    if (has_outside_type(*declared) || refused_) continue;
    refused_ = true;
    refuse_(declared->getLocation(), "the structure of " + quoted(declared->getNameAsString()) +
                                         " is known in this function alone: declare it before the function, with a "
                                         "name");
  }
  // One word of a result in two members is right for sums alone.
  for (const BodyField& one : fields_) {
    for (const BodyField& other : fields_) {
      const bool both = one.record == Record::result && other.record == Record::result && &one < &other;
      if (!both || one.shape != other.shape || (one.only_sums && other.only_sums)) continue;
      for (const std::string& text : one.texts) {
        if (std::find(other.texts.begin(), other.texts.end(), text) == other.texts.end()) continue;
        refused_ = true;
        refuse_(other.where, quoted(text) + " is reached in two ways: use one kind of index for it");
        return false;
      }
    }
  }
  return !refused_;
}

void PairBody::find_written() {
  visit_all(around_.inner->getBody(), [&](const clang::Stmt* one) {
    if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(one)) {
      for (const clang::Decl* next : declaration->decls()) {
        if (const auto* declared = llvm::dyn_cast<clang::VarDecl>(next)) {
          inside_.insert(declared);
          if (is_pointer_like(*declared) && declared->getInit() != nullptr) aliases_[declared] = declared->getInit();
        }
      }
    }
    return true;
  });
  visit_all(around_.inner->getBody(), [&](const clang::Stmt* one) {
    const auto* expression = llvm::dyn_cast<clang::Expr>(one);
    bool reads = false;
    const clang::Expr* target = expression == nullptr ? nullptr : assigned_by(expression, reads);
    if (target == nullptr) return true;
    const std::optional<Access> access = access_of(target, aliases_);
    if (!access || (access->root != nullptr && inside_.contains(access->root))) return true;
    if (uses(*access, around_.i)) {
      result_shapes_.insert(access->shape);
    } else if (access->root != nullptr && !uses(*access, around_.j)) {
      written_.insert(access->root);
    }
    return true;
  });
}

bool PairBody::uses(const Access& access, const clang::VarDecl* declared) const {
  return access.variables.contains(declared);
}

bool PairBody::is_counter(const clang::VarDecl* declared) const {
  return std::any_of(loops_.begin(), loops_.end(), [&](const FixedLoop& loop) { return loop.counter == declared; });
}

// ---- members --------------------------------------------------------------------------------------------------------

std::string PairBody::key_of(Record record, const Access& access, const std::vector<FixedLoop>& around) const {
  std::map<const clang::VarDecl*, std::string> ranges;
  for (const FixedLoop& loop : loops_of(access.variables, around)) {
    ranges[loop.counter] = "{" + std::to_string(loop.low) + ":" + std::to_string(loop.high) + "}";
  }
  return std::to_string(static_cast<int>(record)) + " " + text_of(access.expression, context_, aliases_, ranges);
}

std::vector<std::string> PairBody::elements(const Access& access) const {
  return elements_of(access.expression, access.variables, loops_, context_, aliases_);
}

BodyField& PairBody::field(Record record, const Access& access) {
  const std::string key = key_of(record, access, loops_);
  const auto [known, is_new] = by_key_.try_emplace(key, fields_.size());
  if (!is_new) return fields_[known->second];
  BodyField made;
  made.record = record;
  made.type = access.expression->getType().getCanonicalType().getUnqualifiedType();
  made.where = access.expression->getBeginLoc();
  made.shape = access.shape;
  made.indexed_by_i = uses(access, around_.i);
  made.loops = loops_of(access.variables, loops_);
  made.texts = elements(access);
  made.counter =
      access.shape.find_first_of("[.") == std::string::npos && (access.root == around_.i || access.root == around_.j);
  // Counters of pairs and of fixed loops are no part of the name.
  std::map<const clang::VarDecl*, std::string> none;
  for (const FixedLoop& loop : made.loops) none[loop.counter] = "";
  if (!made.counter) none[around_.i] = none[around_.j] = "";
  std::string name = name_from(text_of(access.expression, context_, aliases_, none));
  auto& taken = names_[static_cast<std::size_t>(record)];
  std::string unique = name;
  for (unsigned n = 2; taken.contains(unique); ++n) unique = name + "_" + std::to_string(n);
  taken.insert(unique);
  made.name = unique;
  const bool word = made.type->isFloatingType() || made.type->isIntegralOrEnumerationType();
  if (!word || made.type->isSpecificBuiltinType(clang::BuiltinType::LongDouble)) {
    no(access.expression,
       quoted(made.texts[0]) + " is no float, double or integer: " +
           (made.type->isRecordType() ? "name the members that are used" : "pairs see numbers alone, not addresses"));
  }
  fields_.push_back(std::move(made));
  return fields_.back();
}

const BodyField* PairBody::field_of(const Access& access, const std::vector<FixedLoop>& around) const {
  const std::optional<Record> record = record_of(access, around);
  if (!record) return nullptr;
  const auto found = by_key_.find(key_of(*record, access, around));
  return found == by_key_.end() ? nullptr : &fields_[found->second];
}

std::optional<Record> PairBody::record_of(const Access& access, const std::vector<FixedLoop>& around) const {
  if (access.root != nullptr && inside_.contains(access.root)) return std::nullopt;
  if (access.root != nullptr && written_.contains(access.root)) {
    return carried_.contains(access.root) ? std::optional(Record::result) : std::nullopt;
  }
  if (uses(access, around_.i) && result_shapes_.contains(access.shape)) return Record::result;
  if (uses(access, around_.j)) return Record::j;
  return belongs_to_i(access, around) ? Record::i : Record::parameter;
}

bool PairBody::belongs_to_i(const Access& access, const std::vector<FixedLoop>& around) const {
  return std::any_of(access.variables.begin(), access.variables.end(), [&](const clang::VarDecl* one) {
    const auto counts = [&](const FixedLoop& loop) { return loop.counter == one; };
    const bool before = around_.before.contains(one) && std::none_of(around.begin(), around.end(), counts);
    return one == around_.i || before;
  });
}

// ---- reading and writing --------------------------------------------------------------------------------------------

void PairBody::own_variable(const Access& access, bool reads, bool writes, State& state) {
  for (const clang::VarDecl* index : access.in_indices) {
    if (!is_counter(index)) {
      return no(access.expression, "the index of " + quoted(access.root->getNameAsString()) +
                                       " is known only when the pair is computed: use constants, or a loop with a "
                                       "constant number of turns");
    }
  }
  const std::vector<std::string> all = elements(access);
  const bool known = std::all_of(all.begin(), all.end(), [&](const auto& one) { return state.assigned.contains(one); });
  if (reads && !known && state.reached) carried_.insert(access.root);
  if (carried_.contains(access.root)) return result(access, reads && writes);
  if (writes) state.assigned.insert(all.begin(), all.end());
}

void PairBody::result(const Access& access, bool sums) {
  for (const clang::VarDecl* index : access.in_indices) {
    if (inside_.contains(index) && !is_counter(index)) {
      return no(access.expression,
                "the index of this result is known only when the pair is computed: results belong "
                "to i alone");
    }
  }
  BodyField& made = field(Record::result, access);
  made.only_sums = made.only_sums && sums;
}

void PairBody::input(const Access& access, bool factor) {
  if (access.root != nullptr) {
    const bool plain = access.shape.find_first_of("[.") == std::string::npos;
    if (plain && is_counter(access.root)) return;
    const bool global = access.root->hasGlobalStorage() && access.root->getType().isConstQualified();
    if (global && plain && access.root->getAnyInitializer() != nullptr) return;  // a constant that clang knows
  }
  for (const clang::VarDecl* index : access.in_indices) {
    if ((inside_.contains(index) || written_.contains(index)) && !is_counter(index)) {
      return no(access.expression, "the index " + quoted(index->getNameAsString()) +
                                       " is computed for each pair: PEs have no memory of the host; an index may hold "
                                       "i, j, constants and counters of loops with a constant number of turns");
    }
  }
  if (uses(access, around_.j) && belongs_to_i(access, loops_)) {
    return no(access.expression, quoted(text_of(access.expression, context_, aliases_)) +
                                     " is data of a pair: data belong to i or to j; compute it from such data");
  }
  const bool conditional = conditions_ > 0 || left_;
  if (conditional && access.shifted) {
    return no(
        access.expression,
        quoted(text_of(access.expression, context_, aliases_)) +
            " is beside i or j, and is read only under a condition: data are sent for all i and j, of which it may "
            "not be there for the first or last; read it outside of the condition");
  }
  if (conditional && access.indirect) {
    return no(access.expression,
              quoted(text_of(access.expression, context_, aliases_)) +
                  " is found through other data, and only under a condition: data are sent for all i "
                  "and j; read it outside of the condition");
  }
  BodyField& made = field(*record_of(access, loops_), access);
  made.only_factor = made.only_factor && factor;
}

void PairBody::assign(const clang::Expr* target, bool reads, const clang::Expr* value, State& state) {
  const std::optional<Access> access = access_of(target, aliases_);
  if (!access) return no(target, "what is assigned to is no variable, element or member");
  const auto name = [&] { return quoted(text_of(access->expression, context_, aliases_)); };
  if (access->root != nullptr && inside_.contains(access->root) && !is_pointer_like(*access->root)) return;
  if (access->root == around_.i || access->root == around_.j)
    return no(target, "the counter " + name() + " is changed");
  if (uses(*access, around_.j)) {
    return no(target, name() +
                          " belongs to j, or to a pair: results are those of i, each a sum over all j; let the loop "
                          "over all pairs add for i alone");
  }
  if (uses(*access, around_.i)) return result(*access, reads && value != nullptr);
  if (access->root == nullptr) return no(target, name() + " is a member of the object: add to a local variable");
  own_variable(*access, reads, true, state);
}

void PairBody::expression(const clang::Expr* expression, State& state, bool factor) {
  if (expression == nullptr) return;
  expression = expression->IgnoreParenImpCasts();
  if (const auto* cleanups = llvm::dyn_cast<clang::ExprWithCleanups>(expression)) {
    return this->expression(cleanups->getSubExpr(), state, factor);
  }
  bool reads = false;
  if (const clang::Expr* target = assigned_by(expression, reads)) {
    const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression);
    const bool product =
        binary != nullptr && (binary->getOpcode() == clang::BO_MulAssign || binary->getOpcode() == clang::BO_DivAssign);
    if (binary != nullptr) this->expression(binary->getRHS(), state, product);
    return assign(target, reads, binary != nullptr && !product ? binary->getRHS() : nullptr, state);
  }
  if (const std::optional<Access> access = access_of(expression, aliases_)) {
    if (access->root != nullptr && inside_.contains(access->root)) return;
    if (access->root != nullptr && written_.contains(access->root)) {
      const bool plain = access->shape.find_first_of("[.") == std::string::npos;
      return plain && is_counter(access->root) ? void() : own_variable(*access, true, false, state);
    }
    if (uses(*access, around_.i) && result_shapes_.contains(access->shape)) return result(*access, false);
    return input(*access, factor);
  }
  if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
    const bool product = binary->isMultiplicativeOp();
    this->expression(binary->getLHS(), state, product);
    conditions_ += binary->isLogicalOp() ? 1 : 0;
    this->expression(binary->getRHS(), state, product);
    conditions_ -= binary->isLogicalOp() ? 1 : 0;
    return;
  }
  if (const auto* chosen = llvm::dyn_cast<clang::ConditionalOperator>(expression)) {
    this->expression(chosen->getCond(), state, false);
    ++conditions_;
    this->expression(chosen->getTrueExpr(), state, false);
    this->expression(chosen->getFalseExpr(), state, false);
    --conditions_;
    return;
  }
  if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
    return this->expression(unary->getSubExpr(), state, factor);
  }
  if (const auto* called = llvm::dyn_cast<clang::CallExpr>(expression)) {
    for (const clang::Expr* argument : called->arguments()) this->expression(argument, state, true);
    return;
  }
  for (const clang::Stmt* child : expression->children()) {
    if (const auto* inner = llvm::dyn_cast_or_null<clang::Expr>(child)) this->expression(inner, state, false);
  }
}

// ---- statements -----------------------------------------------------------------------------------------------------

void PairBody::declare(const clang::VarDecl& declared, State& state) {
  if (declared.isStaticLocal()) {
    refused_ = true;
    return refuse_(declared.getLocation(), quoted(declared.getNameAsString()) +
                                               " is static: pairs share no variables; results are sums over all j");
  }
  if (!has_outside_type(declared)) {
    refused_ = true;
    return refuse_(declared.getLocation(), "the structure of " + quoted(declared.getNameAsString()) +
                                               " is known in this function alone: declare it before the function, with "
                                               "a name");
  }
  if (aliases_.contains(&declared)) {
    if (!is_address_of_place(declared.getInit(), aliases_)) {
      refused_ = true;
      refuse_(declared.getLocation(),
              "the pointer " + quoted(declared.getNameAsString()) + " must be that of an element of i or j");
    }
    return;
  }
  if (is_pointer_like(declared)) {
    refused_ = true;
    return refuse_(declared.getLocation(), "the pointer " + quoted(declared.getNameAsString()) +
                                               " is followed: pairs see numbers alone; use elements x[i], x[j]");
  }
  expression(declared.getInit(), state, false);
}

void PairBody::walk_for(const clang::ForStmt& loop, State& state) {
  const std::optional<FixedLoop> fixed = fixed_loop(loop, context_);
  if (!fixed) {
    return no(&loop,
              "the number of turns of this loop is not a constant: every pair takes the same lines; give it "
              "constant bounds, steps of 1 and at most 512 turns");
  }
  loops_.push_back(*fixed);
  walk(loop.getBody(), state);
  loops_.pop_back();
}

void PairBody::walk_if(const clang::IfStmt& branch, State& state) {
  if (branch.getConditionVariable() != nullptr || branch.getInit() != nullptr) {
    return no(&branch, "declare the variable before the condition");
  }
  expression(branch.getCond(), state, false);
  State yes = state;
  State no_branch = state;
  ++conditions_;
  walk(branch.getThen(), yes);
  walk(branch.getElse(), no_branch);
  --conditions_;
  state.reached = yes.reached || no_branch.reached;
  if (!yes.reached || !no_branch.reached) {
    state.assigned = yes.reached ? yes.assigned : no_branch.assigned;
    return;
  }
  state.assigned.clear();
  std::set_intersection(yes.assigned.begin(), yes.assigned.end(), no_branch.assigned.begin(), no_branch.assigned.end(),
                        std::inserter(state.assigned, state.assigned.end()));
}

void PairBody::walk(const clang::Stmt* statement, State& state) {
  if (statement == nullptr || refused_) return;
  if (const auto* loop = llvm::dyn_cast<clang::ForStmt>(statement)) return walk_for(*loop, state);
  if (const auto* branch = llvm::dyn_cast<clang::IfStmt>(statement)) return walk_if(*branch, state);
  if (const auto* declaration = llvm::dyn_cast<clang::DeclStmt>(statement)) {
    for (const clang::Decl* next : declaration->decls()) {
      if (const auto* declared = llvm::dyn_cast<clang::VarDecl>(next)) declare(*declared, state);
    }
    return;
  }
  if (llvm::isa<clang::WhileStmt, clang::DoStmt, clang::CXXForRangeStmt>(statement)) {
    return no(statement,
              "the number of turns of this loop is not a constant: every pair takes the same lines; write a "
              "for loop with constant bounds");
  }
  if (llvm::isa<clang::ReturnStmt, clang::GotoStmt, clang::LabelStmt, clang::IndirectGotoStmt>(statement)) {
    return no(statement, "control leaves the loop here: every i meets every j; use a condition");
  }
  if (llvm::isa<clang::BreakStmt>(statement) && switches_ == 0) {
    return no(statement,
              "the loop ends early: every i meets every j, and loops inside have a constant number of turns; "
              "use a condition");
  }
  if (llvm::isa<clang::ContinueStmt>(statement)) {
    if (!loops_.empty()) return no(statement, "'continue' inside of a loop of the pair: use a condition");
    state.reached = false;
    left_ = true;
    return;
  }
  if (const auto* choice = llvm::dyn_cast<clang::SwitchStmt>(statement)) {
    expression(choice->getCond(), state, false);
    State inside = state;
    ++switches_;
    ++conditions_;
    walk(choice->getBody(), inside);
    --conditions_;
    --switches_;
    return;
  }
  if (const auto* value = llvm::dyn_cast<clang::Expr>(statement)) return expression(value, state, false);
  for (const clang::Stmt* child : statement->children()) walk(child, state);
}

}  // namespace gdr::compiler
