// Marked loops: bounds of the rank, sums, and time.
#include <clang/AST/RecursiveASTVisitor.h>
#include <fmt/format.h>

#include <algorithm>

#include "rewriter.h"

namespace gdr::compiler {
namespace {

/// Most loops around a term whose counters give its place in C's order.
constexpr std::size_t kMostCounters = 4;

template <class Node>
class Collect : public clang::RecursiveASTVisitor<Collect<Node>> {
 public:
  bool VisitStmt(clang::Stmt* statement) {
    if (const auto* one = llvm::dyn_cast<Node>(statement)) found.push_back(one);
    return true;
  }
  std::vector<const Node*> found;
};

template <class Node>
std::vector<const Node*> all_in(const clang::Stmt* statement) {
  Collect<Node> collect;
  collect.TraverseStmt(const_cast<clang::Stmt*>(statement));
  return std::move(collect.found);
}

bool is_use_of(const clang::Expr* expression, const clang::VarDecl* variable) {
  const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
  return name != nullptr && name->getDecl()->getCanonicalDecl() == variable->getCanonicalDecl();
}

bool is_parent(const clang::Stmt* outer, const clang::Stmt* inner) {
  const std::vector<const clang::Stmt*> parts = all_in<clang::Stmt>(outer);
  return std::ranges::find(parts, inner) != parts.end();
}

/// x = ..., x += ..., x++ and the like.
std::vector<const clang::Expr*> changes_of(const clang::VarDecl* variable, const clang::Stmt* inside) {
  std::vector<const clang::Expr*> found;
  for (const clang::BinaryOperator* set : all_in<clang::BinaryOperator>(inside)) {
    if (set->isAssignmentOp() && is_use_of(set->getLHS(), variable)) found.push_back(set);
  }
  for (const clang::UnaryOperator* step : all_in<clang::UnaryOperator>(inside)) {
    if (step->isIncrementDecrementOp() && is_use_of(step->getSubExpr(), variable)) found.push_back(step);
  }
  return found;
}

}  // namespace

void XaccRewriter::split_loops(std::size_t d) {
  const XaccDirective& directive = directives_[d];
  const clang::Stmt* next = survey_.next[d];
  if (next == nullptr || !stands_for_loop(next)) return;  // told by check_places()
  const int nodes = layout_.find_template(directive.on.name);
  const int on = nodes >= 0 ? nodes : layout_.template_of(directive.on.name, directive.on.place);
  const XaccTemplate& of = layout_.templates[static_cast<std::size_t>(on)];
  if (of.nodes < 0) throw XaccRefusal{directive.on.place, fmt::format("the template '{}' is not distributed", of.name)};
  if (directive.on.at.size() != of.bounds.size()) {
    throw XaccRefusal{directive.on.place, fmt::format("the template '{}' has {} dimensions, not {}", of.name,
                                                      of.bounds.size(), directive.on.at.size())};
  }
  for (const XaccRange& one : directive.on.at) {
    if (one.all || std::ranges::count(directive.names, one.low, &XaccWord::text) == 1) continue;
    throw XaccRefusal{one.place, fmt::format("the directive xmp loop: '{}' is none of its counters", one.low)};
  }
  for (const XaccWord& name : directive.names) {
    const auto at =
        std::ranges::find_if(directive.on.at, [&](const XaccRange& one) { return !one.all && one.low == name.text; });
    if (at == directive.on.at.end()) {
      throw XaccRefusal{name.place,
                        fmt::format("the directive xmp loop: '{}' is no subscript of '{}'", name.text, of.name)};
    }
    const Split split{on, static_cast<int>(at - directive.on.at.begin()), next};
    bool found = false;
    for (const clang::ForStmt* loop : all_in<clang::ForStmt>(next)) {
      const std::optional<XaccFor> one = read_for(loop, places_.context());
      if (!one || one->counter->getName() != name.text) continue;
      found = true;
      if (!splits_.emplace(loop, split).second) {
        throw XaccRefusal{name.place, fmt::format("the loop over '{}' is split twice", name.text)};
      }
      clip(*one, split);
    }
    if (found) continue;
    throw XaccRefusal{
        name.place, fmt::format("the directive xmp loop: no loop over '{0}' follows of the form for ({0} = A; {0} < B; "
                                "{0}++), with a constant step above 0",
                                name.text)};
  }
}

/// Checks a loop for the board as it was written.
void XaccRewriter::board_loop(std::size_t d) {
  const XaccDirective& directive = directives_[d];
  const auto* loop = llvm::dyn_cast_or_null<clang::ForStmt>(survey_.next[d]);
  const auto begin = loop == nullptr ? std::nullopt : places_.begin(loop->getBeginLoc());
  const auto end = loop == nullptr ? std::nullopt : places_.end_of_statement(loop);
  if (!begin || !end) return;  // told by check_places(), or by the compiler of the board's loops
  board_loops_.insert(loop);
  for (std::size_t other = 0; other < directives_.size(); ++other) {
    const XaccDirective& one = directives_[other];
    const XaccPragma& pragma = *one.pragma;
    const std::string name = pragma.space + " " + pragma.words.front().text;
    if (directive.pragma->end <= pragma.begin && pragma.begin < *end) {
      throw XaccRefusal{pragma.place,
                        pragma.begin < *begin
                            ? fmt::format("the directive {} stands between the directive goose and its loop: write it "
                                          "before that directive",
                                          name)
                            : fmt::format("the directive {} in a loop for the board is not taken", name)};
    }
    if ((one.kind != XaccKind::acc_compute && one.kind != XaccKind::acc_loop) || survey_.next[other] == nullptr)
      continue;
    const auto region = places_.range(survey_.next[other]->getSourceRange());
    if (!region || *begin < region->first || region->second < *begin) continue;
    throw XaccRefusal{pragma.place,
                      fmt::format("the directive {} is not taken for a loop that the directive goose gives "
                                  "to the board: a loop has one device",
                                  name)};
  }
  for (const auto& [split, on] : splits_) {
    const std::optional<XaccFor> counted = read_for(split, places_.context());
    if (split == loop || !counted || !is_parent(loop, split)) continue;
    throw XaccRefusal{
        directive.pragma->place,
        fmt::format("the directive goose: xmp loop splits the loop over '{}' in it, and a board takes all "
                    "its steps; split the outer loop only",
                    counted->counter->getNameAsString())};
  }
}

void XaccRewriter::clip(const XaccFor& loop, const Split& split) {
  const auto first = places_.range(loop.first->getSourceRange());
  const auto left = places_.range(loop.condition_left->getSourceRange());
  const auto bound = places_.range(loop.bound->getSourceRange());
  if (!first || !left || !bound) return refuse(loop.loop->getBeginLoc(), "a loop in a macro cannot be split");
  edits_.before(first->first, "gdr_xmp_from(");
  edits_.behind(first->second, fmt::format(", {}, gdr_xmp_block_{}[{}])", loop.step, split.on, 2 * split.dimension));
  edits_.before(left->first, "(long)");
  edits_.before(bound->first, "gdr_xmp_until(");
  edits_.behind(bound->second, fmt::format(", gdr_xmp_block_{}[{}]{})", split.on, 2 * split.dimension + 1,
                                           loop.inclusive ? " - 1" : ""));
}

/// Sums and times of all loops behind directives, each loop once.
void XaccRewriter::finish_loops() {
  for (std::size_t d = 0; d < directives_.size(); ++d) {
    const XaccKind kind = directives_[d].kind;
    const clang::Stmt* next = survey_.next[d];
    if (next == nullptr || !stands_for_loop(next)) continue;
    if (places_.begin(next->getBeginLoc()) != places_.next_token(directives_[d].pragma->end)) continue;
    if (kind == XaccKind::loop || kind == XaccKind::acc_compute || kind == XaccKind::acc_loop)
      marked_[next].push_back(d);
  }
  for (const auto& [loop, of] : marked_) {
    try {
      finish_loop(loop, of);
    } catch (const XaccRefusal& refusal) {
      errors_.push_back({refusal.place, refusal.text});
    }
  }
}

bool XaccRewriter::is_inside_of_split(const clang::Stmt* loop) const {
  return std::ranges::any_of(splits_, [&](const auto& one) { return one.first != loop && is_parent(one.first, loop); });
}

void XaccRewriter::finish_loop(const clang::Stmt* loop, const std::vector<std::size_t>& of) {
  const auto begin = places_.begin(loop->getBeginLoc());
  const auto end = places_.end_of_statement(loop);
  if (!begin || !end) return refuse(loop->getBeginLoc(), "a marked loop in a macro is not taken");
  bool is_split = false;
  bool on_device = false;
  bool is_timed = false;  // as a part of the loop around it
  for (const std::size_t d : of) {
    is_split = is_split || directives_[d].kind == XaccKind::loop;
    on_device = on_device || directives_[d].kind == XaccKind::acc_compute;
  }
  for (std::size_t d = 0; d < directives_.size(); ++d) {  // in a region of acc parallel or kernels
    if (directives_[d].kind != XaccKind::acc_compute || survey_.next[d] == nullptr || survey_.next[d] == loop) continue;
    const auto region = places_.range(survey_.next[d]->getSourceRange());
    const bool inside = region && region->first < *begin && *end <= region->second;
    is_timed = is_timed || (inside && llvm::isa<clang::ForStmt>(survey_.next[d]));
    on_device = on_device || inside;
  }
  std::string before;
  std::string behind;
  for (const bool over_ranks : {true, false}) {
    if (is_timed && !over_ranks) break;
    std::set<std::string> done;
    for (const std::size_t d : of) {
      if ((directives_[d].kind == XaccKind::loop) != over_ranks) continue;
      for (const XaccReduction& sum : directives_[d].sums) {
        if (!is_split || !done.insert(sum.variable).second ||
            before.find(" " + sum.variable + ",") != std::string::npos)
          continue;
        sum_of_loop(loop, sum, over_ranks, before, behind);
      }
    }
  }
  // A reduction behind the loop adds up what its ranks have: of that, too, no rounding may depend on the split.
  for (const XaccDirective& directive : directives_) {
    if (directive.kind != XaccKind::reduction || !is_split || is_timed || is_inside_of_split(loop)) continue;
    for (const XaccReduction& sum : directive.sums) {
      const clang::VarDecl* variable = survey_.variable(sum.variable, directive.pragma->begin);
      if (sum.operation != XaccOperation::sum || variable == nullptr || !variable->getType()->isRealFloatingType() ||
          variable != survey_.variable(sum.variable, *begin) ||
          before.find(" " + sum.variable + ",") != std::string::npos || is_reduced_inside(loop, variable))
        continue;
      if (!changes_of(variable, loop).empty()) sum_of_loop(loop, sum, false, before, behind);
    }
  }
  if (const auto* timed = llvm::dyn_cast<clang::ForStmt>(loop); on_device && !is_timed && timed != nullptr)
    time_loop(timed, *begin, *end, behind);
  if (before.empty() && behind.empty()) return;
  edits_.before(*begin, "{ " + before);
  edits_.behind(*end, " " + behind + "}");
}

int XaccRewriter::type_of(const clang::VarDecl* variable, const XaccReduction& sum) {
  const clang::QualType type = variable->getType().getCanonicalType().getUnqualifiedType();
  const auto* known = llvm::dyn_cast<clang::BuiltinType>(type.getTypePtr());
  const auto kind = known == nullptr ? clang::BuiltinType::Void : known->getKind();
  const bool real = kind == clang::BuiltinType::Float || kind == clang::BuiltinType::Double;
  const bool of_bits = sum.operation >= XaccOperation::and_bits;
  if (real && (of_bits || sum.operation == XaccOperation::product)) {
    throw XaccRefusal{sum.place,
                      fmt::format("a reduction of '{}' by this operation is refused: '{}' is of type {}, whose "
                                  "reductions are + max min",
                                  sum.variable, sum.variable, variable->getType().getAsString())};
  }
  // The runtime's numbers of types.
  if (kind == clang::BuiltinType::Float) return 0;
  if (kind == clang::BuiltinType::Double) return 1;
  if (kind == clang::BuiltinType::Int) return 2;
  if (kind == clang::BuiltinType::UInt) return 3;
  if (kind == clang::BuiltinType::Long || kind == clang::BuiltinType::LongLong) return 4;
  if (kind == clang::BuiltinType::ULong || kind == clang::BuiltinType::ULongLong) return 5;
  throw XaccRefusal{sum.place,
                    fmt::format("a reduction of '{}' is refused: its type is {}; taken are float, double, int, "
                                "long and their unsigned forms",
                                sum.variable, variable->getType().getAsString())};
}

/// True if a directive before the loop reduces the variable: over nodes, or for one node's device.
bool XaccRewriter::reduces(const clang::Stmt* loop, const clang::VarDecl* variable, bool over_ranks) const {
  const auto of = marked_.find(loop);
  const std::size_t at = places_.begin(loop->getBeginLoc()).value_or(0);
  return of != marked_.end() && std::ranges::any_of(of->second, [&](std::size_t d) {
           return (directives_[d].kind == XaccKind::loop) == over_ranks &&
                  std::ranges::any_of(directives_[d].sums, [&](const XaccReduction& sum) {
                    return survey_.variable(sum.variable, at) == variable;
                  });
         });
}

/// True if a loop around this one reduces the same variable over nodes, and with it what this one adds.
bool XaccRewriter::is_reduced_around(const clang::Stmt* loop, const XaccReduction& sum,
                                     const clang::VarDecl* variable) const {
  bool found = false;
  for (const auto& [outer, of] : marked_) {
    if (outer == loop || !is_parent(outer, loop)) continue;
    found = found || reduces(outer, variable, true);
    if (reduces(outer, variable, true) || !reduces(outer, variable, false)) continue;
    throw XaccRefusal{sum.place,
                      fmt::format("the reduction of '{0}' is refused: a loop around this one reduces '{0}' "
                                  "by a directive of acc only; give that loop the reduction of xmp loop, too",
                                  sum.variable)};
  }
  return found;
}

bool XaccRewriter::is_reduced_inside(const clang::Stmt* loop, const clang::VarDecl* variable) const {
  return std::ranges::any_of(marked_, [&](const auto& one) {
    return one.first != loop && is_parent(loop, one.first) && reduces(one.first, variable, true);
  });
}

XaccGroup XaccRewriter::group_of(const Split& split) const {
  const XaccTemplate& on = layout_.templates[static_cast<std::size_t>(split.on)];
  const int k = on.node_dimension[static_cast<std::size_t>(split.dimension)];
  return {on.nodes, k < 0 ? 0 : 1UL << k};
}

/// The nodes that have parts of a sum: those along the dimensions over which the loops around its terms are split. All
/// others take the same steps, and have the same. Of what an inner loop has reduced, its nodes have the same, too;
/// exact sums are reduced by the outer loop only.
XaccGroup XaccRewriter::group_of_sum(const clang::Stmt* loop, const XaccReduction& sum, const clang::VarDecl* variable,
                                     bool is_exact) const {
  const auto join = [&](std::optional<XaccGroup>& with, const XaccGroup& one, bool may_differ) {
    if (with && (with->nodes != one.nodes || (with->along != one.along && !may_differ))) {
      throw XaccRefusal{sum.place,
                        fmt::format("the reduction of '{0}' is refused: loops that are split over different nodes "
                                    "change '{0}'; use a variable for each of them",
                                    sum.variable)};
    }
    with = XaccGroup{one.nodes, (with ? with->along : 0) | one.along};
  };
  std::optional<XaccGroup> all;
  const bool repeats = sum.operation == XaccOperation::most || sum.operation == XaccOperation::least ||
                       sum.operation == XaccOperation::and_bits || sum.operation == XaccOperation::or_bits;
  for (const clang::Expr* change : changes_of(variable, loop)) {
    std::optional<XaccGroup> of_change;
    for (const auto& [split, how] : splits_) {
      if (!is_parent(loop, split) || !is_parent(split, change)) continue;
      const bool reduced = std::ranges::any_of(marked_, [&](const auto& one) {
        return !is_exact && one.first != loop && is_parent(loop, one.first) && is_parent(one.first, split) &&
               reduces(one.first, variable, true);
      });
      if (!reduced) join(of_change, group_of(how), true);
    }
    if (of_change) join(all, *of_change, repeats);
  }
  if (all) return *all;
  for (const auto& [split, how] : splits_) {  // changed by a function, for instance
    if (how.at == loop) join(all, group_of(how), true);
  }
  return *all;
}

int XaccRewriter::sum_id(const clang::VarDecl* variable) {
  return sums_.emplace(variable, static_cast<int>(sums_.size())).first->second;
}

void XaccRewriter::sum_of_loop(const clang::Stmt* loop, const XaccReduction& sum, bool over_ranks, std::string& before,
                               std::string& behind) {
  const clang::VarDecl* variable = survey_.variable(sum.variable, places_.begin(loop->getBeginLoc()).value_or(0));
  if (variable == nullptr) throw XaccRefusal{sum.place, fmt::format("'{}' is no variable here", sum.variable)};
  const int type = type_of(variable, sum);
  const std::string& name = sum.variable;
  const bool is_exact = sum.operation == XaccOperation::sum && type <= 1;
  XaccGroup among;
  if (over_ranks) {
    if (is_reduced_around(loop, sum, variable) && is_exact) return;
    among = group_of_sum(loop, sum, variable, is_exact);
  }
  if (is_exact) {
    const int id = sum_id(variable);
    if (!rewrite_terms(loop, variable, id)) return;
    before += fmt::format("gdr_xmp_sum_begin({}, {}, {}); ", id, name, type == 0 ? 1 : 0);
    behind += over_ranks ? fmt::format("{} = gdr_xmp_sum_end_among({}, {}, {}); ", name, id, among.nodes, among.along)
                         : fmt::format("{} = gdr_xmp_sum_end({}); ", name, id);
  } else if (over_ranks) {
    const bool starts = sum.operation == XaccOperation::sum || sum.operation == XaccOperation::product ||
                        sum.operation == XaccOperation::xor_bits;
    const bool product = sum.operation == XaccOperation::product;
    const char* sign = product ? "*" : sum.operation == XaccOperation::sum ? "+" : "^";
    if (starts) before += fmt::format("__typeof__({0}) gdr_xmp_start_{0} = {0}; {0} = {1}; ", name, product ? 1 : 0);
    behind += fmt::format("gdr_xmp_reduce(&{}, {}, {}, {}, {}); ", name, type, static_cast<int>(sum.operation),
                          among.nodes, among.along);
    if (starts) behind += fmt::format("{0} {1}= gdr_xmp_start_{0}; ", name, sign);
  }
}

/// x += E becomes a term of the runtime's sum; all other uses of x in the loop are refused.
bool XaccRewriter::rewrite_terms(const clang::Stmt* loop, const clang::VarDecl* variable, int id) {
  const std::string name = variable->getNameAsString();
  std::set<const clang::DeclRefExpr*> taken;
  for (const clang::BinaryOperator* set : all_in<clang::BinaryOperator>(loop)) {
    if (!set->isAssignmentOp() || !is_use_of(set->getLHS(), variable)) continue;
    const clang::Expr* term = set->getRHS();
    bool minus = set->getOpcode() == clang::BO_SubAssign;
    clang::QualType computed = set->getType();
    const clang::DeclRefExpr* again = nullptr;
    if (const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(set)) {
      if (set->getOpcode() != clang::BO_AddAssign && !minus) continue;
      computed = compound->getComputationResultType();
    } else {  // x = x + E
      const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(term->IgnoreParenImpCasts());
      if (sum == nullptr || !sum->isAdditiveOp() || !is_use_of(sum->getLHS(), variable)) continue;
      minus = sum->getOpcode() == clang::BO_Sub;
      term = sum->getRHS();
      computed = sum->getType();
      again = llvm::cast<clang::DeclRefExpr>(sum->getLHS()->IgnoreParenImpCasts());
      const auto outer = places_.range(set->getSourceRange());
      const auto inner = places_.range(term->getSourceRange());
      if (!outer || !inner || outer->second != inner->second) continue;  // in parentheses
    }
    const auto whole = places_.range(set->getSourceRange());
    const auto part = places_.range(term->getSourceRange());
    if (!whole || !part) {
      refuse(set->getBeginLoc(), fmt::format("the sum '{}' in a macro is not taken", name));
      return false;
    }
    std::vector<std::string> counters;
    for (const clang::ForStmt* around : all_in<clang::ForStmt>(loop)) {
      const std::vector<const clang::BinaryOperator*> sets = all_in<clang::BinaryOperator>(around->getBody());
      if (std::ranges::find(sets, set) == sets.end()) continue;
      const std::optional<XaccFor> counted = read_for(around, places_.context());
      if (counted) counters.push_back(counted->counter->getNameAsString());
      // Below the innermost loop that is split, terms keep the order in which they come.
      bool deeper = false;
      for (const auto& [other, split] : splits_)
        deeper = deeper || (other != around && is_parent(around->getBody(), other));
      if (!deeper) break;
      if (!counted) {
        refuse(around->getBeginLoc(), fmt::format("this loop around the sum '{}' must count up by a constant", name));
        return false;
      }
    }
    if (counters.size() > kMostCounters) {
      refuse(set->getBeginLoc(),
             fmt::format("{} loops around the sum '{}' are refused: at most {}", counters.size(), name, kMostCounters));
      return false;
    }
    const std::size_t count = counters.size();
    std::string order;
    for (std::size_t c = 0; c < kMostCounters; ++c) order += ", " + (c < count ? counters[c] : std::string("0"));
    const bool single = computed.getCanonicalType().getUnqualifiedType() == places_.context().FloatTy;
    edits_.replace(whole->first, part->first,
                   fmt::format("gdr_xmp_term({}, {}(double)({})(", id, minus ? "-" : "", single ? "float" : "double"));
    edits_.behind(part->second, fmt::format("), {}, {}{})", single ? 1 : 0, count, order));
    taken.insert(llvm::cast<clang::DeclRefExpr>(set->getLHS()->IgnoreParenImpCasts()));
    if (again != nullptr) taken.insert(again);
  }
  for (const clang::DeclRefExpr* use : all_in<clang::DeclRefExpr>(loop)) {
    if (use->getDecl()->getCanonicalDecl() != variable->getCanonicalDecl() || taken.count(use) != 0) continue;
    refuse(use->getLocation(),
           fmt::format("'{0}' of reduction(+: {0}) is used in the loop other than in {0} += ... or {0} "
                       "= {0} + ...",
                       name));
    return false;
  }
  return true;
}

/// The number of steps that the rank takes, as a C expression; empty if it is not known.
std::string XaccRewriter::points_of(const clang::ForStmt* loop) {
  std::string all;
  std::vector<const clang::VarDecl*> counters;
  for (const clang::ForStmt* at = loop; at != nullptr;) {
    const std::optional<XaccFor> one = read_for(at, places_.context());
    const auto first = one ? places_.range(one->first->getSourceRange()) : std::nullopt;
    const auto bound = one ? places_.range(one->bound->getSourceRange()) : std::nullopt;
    if (!first || !bound) return {};
    for (const clang::Expr* end : {one->first, one->bound}) {
      if (end->HasSideEffects(places_.context())) return {};
      for (const clang::DeclRefExpr* use : all_in<clang::DeclRefExpr>(end)) {
        if (array_of(use->getDecl()) >= 0 || std::ranges::find(counters, use->getDecl()) != counters.end()) return {};
      }
    }
    counters.push_back(one->counter);
    const auto split = splits_.find(at);
    std::string low = "-__LONG_MAX__";
    std::string limit = "__LONG_MAX__";
    if (split != splits_.end()) {
      low = fmt::format("gdr_xmp_block_{}[{}]", split->second.on, 2 * split->second.dimension);
      limit = fmt::format("gdr_xmp_block_{}[{}]", split->second.on, 2 * split->second.dimension + 1);
    }
    const auto text = [&](const auto& range) {
      return request_.text.substr(range->first, range->second - range->first);
    };
    std::string step = fmt::format("gdr_xmp_count({}, ({}){}, {}, {}, {})", text(first), text(bound),
                                   one->inclusive ? " + 1" : "", one->step, low, limit);
    std::replace(step.begin(), step.end(), '\n', ' ');
    all += (all.empty() ? "" : " * ") + step;
    const clang::Stmt* body = at->getBody();
    std::vector<const clang::ForStmt*> inner;
    if (const auto* only = llvm::dyn_cast<clang::ForStmt>(body)) inner.push_back(only);
    if (const auto* braces = llvm::dyn_cast<clang::CompoundStmt>(body)) {
      for (const clang::Stmt* part : braces->body()) {
        if (const auto* one_of = llvm::dyn_cast<clang::ForStmt>(part)) inner.push_back(one_of);
      }
    }
    if (inner.size() > 1) return {};
    at = inner.empty() ? nullptr : inner.front();
  }
  return all;
}

/// Bytes: every stream of memory is read once, and written once if it is, whatever caches do.
void XaccRewriter::time_loop(const clang::ForStmt* loop, std::size_t begin, std::size_t end, std::string& behind) {
  std::map<std::string, std::pair<bool, bool>> streams;
  std::map<std::string, std::size_t> arrays;
  for (const Element& one : elements_) {
    if (one.at < begin || one.at >= end) continue;
    streams[one.stream].first |= one.reads;
    streams[one.stream].second |= one.writes;
    arrays[one.stream] = one.array;
  }
  std::string bytes;
  for (const auto& [stream, used] : streams) {
    const std::string& name = layout_.arrays[arrays[stream]].name;
    bytes += fmt::format("{}{} * sizeof *{}", bytes.empty() ? "" : " + ", (used.first ? 1 : 0) + (used.second ? 1 : 0),
                         name);
  }
  const std::string points = points_of(loop);
  if (points.empty() || bytes.empty()) {
    behind += fmt::format("gdr_xmp_not_timed({}); ", places_.place(loop->getBeginLoc()).line);
  } else {
    behind += fmt::format("gdr_xmp_spend({}, {}); ", points, bytes);
  }
}

}  // namespace gdr::compiler
