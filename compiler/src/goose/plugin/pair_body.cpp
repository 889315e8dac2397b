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

/// Whether a variable that is computed for each pair is in an index, or both i and j are.
bool PairBody::is_of_pair(const Access& access, const std::vector<FixedLoop>& around) const {
  const bool computed =
      std::any_of(access.in_indices.begin(), access.in_indices.end(), [&](const clang::VarDecl* index) {
        const auto counts = [&](const FixedLoop& loop) { return loop.counter == index; };
        return (inside_.contains(index) || written_.contains(index)) &&
               std::none_of(around.begin(), around.end(), counts);
      });
  return computed || (uses(access, around_.j) && belongs_to_i(access, around));
}

namespace {

/// The variable at the beginning of an element or member that is written without pointers and references to it.
const clang::VarDecl* plain_root(const clang::Expr* place) {
  place = place->IgnoreParenImpCasts();
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) return plain_root(element->getBase());
  if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(place))
    return member->isArrow() ? nullptr : plain_root(member->getBase());
  if (const auto* called = llvm::dyn_cast<clang::CXXOperatorCallExpr>(place))
    return called->getNumArgs() == 2 ? plain_root(called->getArg(0)) : nullptr;
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(place);
  return name == nullptr ? nullptr : llvm::dyn_cast<clang::VarDecl>(name->getDecl());
}

/// Whether a variable is in an index otherwise than inside of an element that the index is read from.
bool is_bare_in(const clang::Expr* index, const clang::VarDecl* variable) {
  bool found = false;
  visit_all(index, [&](const clang::Stmt* one) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(one);
    found = found || (name != nullptr && name->getDecl() == variable);
    return !llvm::isa<clang::ArraySubscriptExpr, clang::MemberExpr, clang::CallExpr>(one);
  });
  return found;
}

}  // namespace

bool PairBody::is_constant_table(const Access& access, const std::vector<FixedLoop>& around) const {
  const clang::VarDecl* root = access.root;
  const bool constant = root != nullptr && root->hasGlobalStorage() && !root->isStaticLocal() &&
                        !is_pointer_like(*root) && root->getType().isConstant(context_) &&
                        root->getAnyInitializer() != nullptr && plain_root(access.expression) == root;
  if (!constant || access.expression->getType()->isArrayType()) return false;
  // At an index of i or j the host reads it.
  return is_of_pair(access, around) ||
         !(uses(access, around_.i) || uses(access, around_.j) || belongs_to_i(access, around));
}

/// The sizes of an array of which an element is taken, if all of them are constants; nothing for others. A matrix
/// of i and j themselves has the size of the problem, and is none.
std::vector<std::uint64_t> PairBody::sizes_at(const Access& access) const {
  constexpr std::uint64_t kMostEntries = 128;  // as the importer has it for indices of data
  std::vector<std::uint64_t> sizes;
  if (access.root == nullptr || plain_root(access.expression) != access.root) return sizes;
  const clang::Expr* place = access.expression->IgnoreParenImpCasts();
  std::uint64_t entries = 1;
  while (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
    if (is_bare_in(element->getIdx(), around_.i) || is_bare_in(element->getIdx(), around_.j)) return {};
    place = element->getBase()->IgnoreParenImpCasts();
    const auto* array = context_.getAsConstantArrayType(place->getType());
    if (array == nullptr) return {};
    sizes.insert(sizes.begin(), array->getSize().getZExtValue());
    entries *= sizes.front();
    if (entries == 0 || entries > kMostEntries) return {};
  }
  return llvm::isa<clang::DeclRefExpr>(place) ? sizes : std::vector<std::uint64_t>();
}

/// Of an array at an index of the pair, all of which are parameters; nothing for others.
std::vector<std::uint64_t> PairBody::dimensions_of(const Access& access, const std::vector<FixedLoop>& around) const {
  const bool own =
      inside_.contains(access.root) || written_.contains(access.root) || result_shapes_.contains(access.shape);
  return own || !is_of_pair(access, around) ? std::vector<std::uint64_t>() : sizes_at(access);
}

namespace {

std::vector<std::string> all_elements(const std::string& array, const std::vector<std::uint64_t>& sizes) {
  std::vector<std::string> texts{array};
  for (const std::uint64_t size : sizes) {
    std::vector<std::string> all;
    for (const std::string& text : texts) {
      for (std::uint64_t n = 0; n < size; ++n) all.push_back(text + "[" + std::to_string(n) + "]");
    }
    texts = std::move(all);
  }
  return texts;
}

}  // namespace

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
  const std::vector<std::uint64_t> dimensions = dimensions_of(access, loops_);
  const std::string key = dimensions.empty() ? key_of(record, access, loops_) : "table " + access.shape;
  const auto [known, is_new] = by_key_.try_emplace(key, fields_.size());
  if (!is_new) return fields_[known->second];
  BodyField made;
  made.record = record;
  made.type = access.expression->getType().getCanonicalType().getUnqualifiedType();
  made.where = access.expression->getBeginLoc();
  made.shape = access.shape;
  made.indexed_by_i = uses(access, around_.i);
  made.dimensions = dimensions;
  if (dimensions.empty()) {
    made.loops = loops_of(access.variables, loops_);
    made.texts = elements(access);
  } else {
    made.texts = all_elements(access.root->getNameAsString(), dimensions);
  }
  made.counter =
      access.shape.find_first_of("[.") == std::string::npos && (access.root == around_.i || access.root == around_.j);
  // Counters of pairs and of fixed loops are no part of the name.
  std::map<const clang::VarDecl*, std::string> none;
  for (const FixedLoop& loop : made.loops) none[loop.counter] = "";
  if (!made.counter) none[around_.i] = none[around_.j] = "";
  std::string name = name_from(dimensions.empty() ? text_of(access.expression, context_, aliases_, none)
                                                  : access.root->getNameAsString());
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
  if (!dimensions_of(access, around).empty()) {
    const auto table = by_key_.find("table " + access.shape);
    if (table != by_key_.end()) return &fields_[table->second];
  }
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
  const bool computed = std::any_of(access.in_indices.begin(), access.in_indices.end(),
                                    [&](const clang::VarDecl* index) { return !is_counter(index); });
  const std::vector<std::uint64_t> sizes = computed ? sizes_at(access) : std::vector<std::uint64_t>();
  if (computed && sizes.empty()) {
    return no(access.expression, "the index of " + quoted(access.root->getNameAsString()) +
                                     " is known only when the pair is computed: use constants, or a loop with a "
                                     "constant number of turns");
  }
  if (computed) indices(access.expression, state);
  const std::vector<std::string> all =
      computed ? all_elements(access.root->getNameAsString(), sizes) : elements(access);
  const bool known = std::all_of(all.begin(), all.end(), [&](const auto& one) { return state.assigned.contains(one); });
  if (reads && !known && state.reached) carried_.insert(access.root);
  if (carried_.contains(access.root)) return result(access, reads && writes);
  if (computed || !writes) return;  // one of them is written
  state.assigned.insert(all.begin(), all.end());
  if (!access.in_indices.empty()) by_counters_.insert(all.begin(), all.end());
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

/// What the indices of an element read.
void PairBody::indices(const clang::Expr* place, State& state) {
  place = place->IgnoreParenImpCasts();
  if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
    indices(element->getBase(), state);
    expression(element->getIdx(), state, false);
  } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(place)) {
    indices(member->getBase(), state);
  } else if (const auto* called = llvm::dyn_cast<clang::CXXOperatorCallExpr>(place)) {
    indices(called->getArg(0), state);
    if (called->getNumArgs() == 2) expression(called->getArg(1), state, false);
  }
}

void PairBody::input(const Access& access, bool factor, State& state) {
  if (access.root != nullptr) {
    const bool plain = access.shape.find_first_of("[.") == std::string::npos;
    if (plain && is_counter(access.root)) return;
    const bool global = access.root->hasGlobalStorage() && access.root->getType().isConstQualified();
    if (global && plain && access.root->getAnyInitializer() != nullptr) return;  // a constant that clang knows
    if (is_constant_table(access, loops_)) return indices(access.expression, state);
    if (!dimensions_of(access, loops_).empty()) {
      indices(access.expression, state);
      BodyField& made = field(Record::parameter, access);
      made.only_factor = made.only_factor && factor;
      return;
    }
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
  if (access->root != nullptr && inside_.contains(access->root) && !is_pointer_like(*access->root))
    return indices(access->expression, state);
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
    if (access->root != nullptr && inside_.contains(access->root)) return indices(access->expression, state);
    if (access->root != nullptr && written_.contains(access->root)) {
      const bool plain = access->shape.find_first_of("[.") == std::string::npos;
      return plain && is_counter(access->root) ? void() : own_variable(*access, true, false, state);
    }
    if (uses(*access, around_.i) && result_shapes_.contains(access->shape)) return result(*access, false);
    return input(*access, factor, state);
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
  if (declared.isStaticLocal() && !declared.getType().isConstant(context_)) {
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
  bool leaves = false;
  visit_all(loop.getBody(), [&](const clang::Stmt* one) {
    leaves = leaves || llvm::isa<clang::BreakStmt, clang::ContinueStmt>(one);
    return true;
  });
  const State before = state;
  loops_.push_back(*fixed);
  breakables_.emplace_back();
  conditions_ += leaves ? 1 : 0;
  walk(loop.getBody(), state);
  conditions_ -= leaves ? 1 : 0;
  join(state, breakables_.back().passed);
  // What turns assign to different elements is assigned only if all of them are taken.
  if (!breakables_.back().left.empty()) {
    join(state, breakables_.back().left);
    std::erase_if(state.assigned, [&](const std::string& element) {
      return by_counters_.contains(element) && !before.assigned.contains(element);
    });
  }
  breakables_.pop_back();
  loops_.pop_back();
  if (written_.contains(fixed->counter)) state.assigned.insert(fixed->counter->getNameAsString());
}

/// `break` and `continue` of what is inside of the pair; false if it is the loop over j that they are of.
bool PairBody::leave(const clang::Stmt* statement, State& state) {
  const bool ends = llvm::isa<clang::BreakStmt>(statement);
  const auto around = std::find_if(breakables_.rbegin(), breakables_.rend(),
                                   [&](const Breakable& one) { return ends || !one.is_switch; });
  if (around == breakables_.rend()) return false;
  if (around->is_switch) return true;
  (ends ? around->left : around->passed).push_back(state);
  state.reached = false;
  return true;
}

/// The state where control comes to from several places.
void PairBody::join(State& state, const std::vector<State>& others) {
  for (const State& other : others) {
    if (!other.reached) continue;
    if (!state.reached) {
      state = other;
      continue;
    }
    std::erase_if(state.assigned, [&](const std::string& one) { return !other.assigned.contains(one); });
  }
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
  state = std::move(yes);
  join(state, {no_branch});
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
  if (llvm::isa<clang::BreakStmt>(statement)) {
    if (leave(statement, state)) return;
    return no(statement, "the loop over j ends early: every i meets every j; use a condition");
  }
  if (llvm::isa<clang::ContinueStmt>(statement)) {
    if (leave(statement, state)) return;
    state.reached = false;
    left_ = true;
    return;
  }
  if (const auto* choice = llvm::dyn_cast<clang::SwitchStmt>(statement)) {
    expression(choice->getCond(), state, false);
    State inside = state;
    breakables_.push_back({true, {}, {}});
    ++conditions_;
    walk(choice->getBody(), inside);
    --conditions_;
    breakables_.pop_back();
    return;
  }
  if (const auto* value = llvm::dyn_cast<clang::Expr>(statement)) return expression(value, state, false);
  for (const clang::Stmt* child : statement->children()) walk(child, state);
}

}  // namespace gdr::compiler
