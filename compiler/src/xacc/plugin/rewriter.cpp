#include "rewriter.h"

#include <clang/AST/TypeLoc.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "xacc/program_text.h"

namespace gdr::compiler {
namespace {

bool stands_alone(XaccKind kind) {
  return kind == XaccKind::reflect || kind == XaccKind::reflect_init || kind == XaccKind::reflect_do ||
         kind == XaccKind::barrier || kind == XaccKind::bcast || kind == XaccKind::reduction || kind == XaccKind::gmove;
}

bool wants_loop(XaccKind kind) {
  return kind == XaccKind::loop || kind == XaccKind::acc_loop || kind == XaccKind::board;
}

/// Ranks of all nodes take part.
bool is_collective(const XaccDirective& directive) {
  return stands_alone(directive.kind) || (directive.kind == XaccKind::loop && !directive.sums.empty());
}

std::string title(const XaccDirective& directive) {
  return directive.pragma->space + " " + directive.pragma->words.front().text;
}

}  // namespace

template <class Part>
void XaccRewriter::each_directive(Part part) {
  for (std::size_t d = 0; d < directives_.size(); ++d) {
    try {
      part(d);
    } catch (const XaccRefusal& refusal) {
      errors_.push_back({refusal.place, refusal.text});
    }
  }
}

std::string XaccRewriter::run() {
  const std::vector<XaccKnown> known = known_arrays(places_);
  each_directive([&](std::size_t d) { layout_.add(directives_[d], known); });
  if (!errors_.empty()) return {};
  survey_ = survey(places_, directives_);
  declare_arrays();
  each_directive([&](std::size_t d) {
    if (directives_[d].kind == XaccKind::loop) split_loops(d);
  });
  check_places();
  each_directive([&](std::size_t d) {
    if (directives_[d].kind == XaccKind::board) board_loop(d);
  });
  if (!errors_.empty()) return {};
  rewrite_elements(*this, places_.context());
  // What a function reads of its parameter, it reads of the callers' arrays.
  for (std::size_t turn = 0; turn < passed_.size(); ++turn) {
    for (const auto& [from, to] : passed_) {
      if (layout_.arrays[static_cast<std::size_t>(to)].diagonal)
        layout_.arrays[static_cast<std::size_t>(from)].diagonal = true;
    }
  }
  finish_loops();
  each_directive([&](std::size_t d) {
    single(d);
    if (directives_[d].kind == XaccKind::task) task(d);
  });
  start_in_main();
  if (!errors_.empty()) return {};
  XaccText text{layout_, {}};
  for (const XaccArray& one : layout_.arrays) text.lines.push_back(one.place.line);
  return xacc_head(text, request_.file) + edits_.apply(request_.text) + xacc_tail(text, request_.file);
}

int XaccRewriter::array_of(const clang::Decl* declared) const {
  const auto found = arrays_.find(declared->getCanonicalDecl());
  return found == arrays_.end() ? -1 : found->second;
}

void XaccRewriter::declare_arrays() {
  for (const clang::Decl* declared : places_.context().getTranslationUnitDecl()->decls()) {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declared)) declare_parameters(function);
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declared);
    if (variable == nullptr) continue;
    const int n = layout_.find_array(variable->getName().str(), {});
    if (n < 0) continue;
    arrays_[variable->getCanonicalDecl()] = n;
    declare(variable, static_cast<std::size_t>(n));
  }
}

/// In the function's definition and in all its prototypes.
void XaccRewriter::declare_parameters(const clang::FunctionDecl* function) {
  const std::optional<XaccScope> scope = scope_of(function, places_);
  if (!scope) return;
  for (unsigned p = 0; p < function->getNumParams(); ++p) {
    const clang::ParmVarDecl* parameter = function->getParamDecl(p);
    const int n = layout_.find_array(parameter->getName().str(), *scope);
    if (n < 0) continue;
    arrays_[parameter->getCanonicalDecl()] = n;
    for (const clang::FunctionDecl* one : function->redecls()) {
      const clang::ParmVarDecl* there = one->getParamDecl(p);
      if (there->getName().empty()) {
        refuse(there->getBeginLoc(), fmt::format("the distributed array '{}' must have its name in this prototype, too",
                                                 parameter->getNameAsString()));
        continue;
      }
      declare(there, static_cast<std::size_t>(n));
    }
  }
}

void XaccRewriter::pass(const clang::DeclRefExpr* array, const clang::ParmVarDecl* to) {
  const int from = array_of(array->getDecl());
  const int parameter = array_of(to);
  const auto named = [&] {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(to->getDeclContext());
    return fmt::format("the distributed array '{}' is refused for the parameter '{}' of '{}'",
                       array->getDecl()->getNameAsString(), to->getNameAsString(),
                       function == nullptr ? std::string() : function->getNameAsString());
  };
  if (parameter < 0)
    return refuse(array->getLocation(),
                  named() + ", which is not distributed: give it #pragma xmp align in the function");
  const XaccArray& given = layout_.arrays[static_cast<std::size_t>(from)];
  const XaccArray& taken = layout_.arrays[static_cast<std::size_t>(parameter)];
  clang::ASTContext& context = places_.context();
  const auto element = [&](const clang::ValueDecl* of) {
    const auto* own = llvm::dyn_cast<clang::ParmVarDecl>(of);
    return context.getBaseElementType(own == nullptr ? of->getType() : own->getOriginalType());
  };
  if (!context.hasSameUnqualifiedType(element(array->getDecl()), element(to)))
    return refuse(array->getLocation(), named() + ": their elements have different types");
  if (!given.lies_as(taken))
    return refuse(array->getLocation(), named() + ": the two have different sizes, or another align or shadow");
  passed_.emplace_back(from, parameter);
}

/// float p[4][5] becomes float *p, outside of this file under another name: no other file could use it as it was.
void XaccRewriter::declare(const clang::VarDecl* variable, std::size_t n) {
  const XaccArray& array = layout_.arrays[n];
  const auto name = places_.range(variable->getLocation());
  const auto whole = places_.range(variable->getSourceRange());
  if (!name || !whole || whole->second < name->second) {
    return refuse(variable->getLocation(),
                  fmt::format("the distributed array '{}' must be declared in this file and in "
                              "no macro",
                              array.name));
  }
  if (variable->getStorageClass() == clang::SC_Extern) {
    return refuse(variable->getLocation(),
                  fmt::format("the distributed array '{}' may not be extern: other files cannot use it", array.name));
  }
  const std::size_t bracket = places_.next_token(name->second);
  if (bracket >= request_.text.size() || request_.text[bracket] != '[') {
    return refuse(variable->getLocation(),
                  fmt::format("the distributed array '{}' must have its sizes in its declaration, not in a type's name",
                              array.name));
  }
  edits_.before(name->first, "*");
  const bool hidden = variable->getStorageClass() == clang::SC_Static || array.parameter;
  edits_.replace(name->second, whole->second, hidden ? "" : fmt::format(" __asm__(\"gdr_xmp.{}\")", array.name));
}

void XaccRewriter::check_places() {
  for (std::size_t d = 0; d < directives_.size(); ++d) {
    const XaccDirective& directive = directives_[d];
    const Place& place = directive.pragma->place;
    const clang::CompoundStmt* inside = survey_.inside[d];
    const bool declares = directive.kind <= XaccKind::shadow;
    if (inside == nullptr) {
      if (!declares)
        errors_.push_back({place, fmt::format("the directive {} stands outside of functions", title(directive))});
      continue;
    }
    if (stands_alone(directive.kind)) {
      for (const clang::Stmt* part : inside->body()) {
        const auto begin = places_.begin(part->getBeginLoc());
        const auto end = places_.begin(part->getEndLoc());
        if (begin && end && *begin < directive.pragma->begin && directive.pragma->begin < *end) {
          errors_.push_back(
              {place, fmt::format("the directive {} stands inside of a statement: give it braces", title(directive))});
        }
      }
    }
    const bool has_body = wants_loop(directive.kind) || directive.kind == XaccKind::task;
    const clang::Stmt* next = survey_.next[d];
    const bool follows =
        next != nullptr && places_.begin(next->getBeginLoc()) == places_.next_token(directive.pragma->end);
    if (has_body && (!follows || (wants_loop(directive.kind) && !stands_for_loop(next)))) {
      errors_.push_back({place, fmt::format("the directive {} stands before no {}", title(directive),
                                            wants_loop(directive.kind) ? "for loop" : "statement")});
    }
    if (directive.kind != XaccKind::task || !follows) continue;
    const auto body = places_.range(next->getSourceRange());
    for (const XaccDirective& other : directives_) {
      if (!body || other.pragma->begin < body->first || other.pragma->begin > body->second || !is_collective(other))
        continue;
      errors_.push_back(
          {other.pragma->place, fmt::format("the directive {} in a task is not taken: all nodes take part "
                                            "in it",
                                            title(other))});
    }
  }
}

void XaccRewriter::task(std::size_t d) {
  const clang::Stmt* body = survey_.next[d];
  const auto begin = places_.begin(body->getBeginLoc());
  const auto end = places_.end_of_statement(body);
  if (!begin || !end || llvm::isa<clang::DeclStmt>(body)) {
    return refuse(body->getBeginLoc(), "the directive xmp task: this statement is not taken");
  }
  edits_.before(*begin, fmt::format("{{ if ({}) ", place_test(directives_[d].on)));
  edits_.behind(*end, " }");
}

/// A C expression that is true on the nodes of p(...) or t(...); subscripts in parentheses of nodes count from 1.
std::string XaccRewriter::place_test(const XaccReference& on) {
  const int of = layout_.find_template(on.name);
  const int nodes = of >= 0 ? 0 : layout_.node_set(on.name, on.place);
  const std::size_t dimensions = of >= 0 ? layout_.templates[static_cast<std::size_t>(of)].bounds.size()
                                         : layout_.nodes[static_cast<std::size_t>(nodes)].extents.size();
  if (of >= 0 && layout_.templates[static_cast<std::size_t>(of)].nodes < 0) {
    throw XaccRefusal{on.place, fmt::format("the template '{}' is not distributed", on.name)};
  }
  if (!on.at.empty() && on.at.size() != dimensions) {
    throw XaccRefusal{on.place, fmt::format("'{}' has {} dimensions, not {}", on.name, dimensions, on.at.size())};
  }
  std::vector<std::string> bounds;
  for (std::size_t k = 0; k < dimensions; ++k) {
    if (on.at.empty() || on.at[k].all) {
      bounds.insert(bounds.end(), {"(-__LONG_MAX__ - 1)", "__LONG_MAX__"});
      continue;
    }
    bounds.insert(bounds.end(), {on.at[k].low, on.at[k].high});
  }
  const std::string ranges = fmt::format("(long[]){{{}}}", fmt::join(bounds, ", "));
  return of >= 0
             ? fmt::format("gdr_xmp_is_on_template({}, {}, {})", of, ranges, on.place.line)
             : fmt::format("gdr_xmp_is_on_nodes({}, {}, {}, {})", nodes, ranges, on.brackets ? 0 : 1, on.place.line);
}

std::string XaccRewriter::reflect_call(const XaccDirective& directive) {
  std::string code;
  const unsigned line = directive.pragma->place.line;
  for (const XaccWord& name : directive.names) {
    const int of = layout_.array(name.text, directive.pragma->begin, name.place);
    const XaccArray& array = layout_.arrays[static_cast<std::size_t>(of)];
    const std::string n = array.parameter ? fmt::format("gdr_xmp_passed({}, \"{}\", {})", name.text, name.text, line)
                                          : std::to_string(of);
    constexpr std::size_t kMostReflected = 3;
    if (array.extents.size() > kMostReflected && !array.is_full()) {
      throw XaccRefusal{name.place, fmt::format("'{}' has {} dimensions: halos of at most {} are exchanged", name.text,
                                                array.extents.size(), kMostReflected)};
    }
    if (directive.kind == XaccKind::reflect_do) {
      code += fmt::format("gdr_xmp_reflect_do({}, {}); ", n, line);
      continue;
    }
    if (array.is_full() && !directive.widths.empty()) {
      throw XaccRefusal{
          name.place,
          fmt::format("a width of '{0}' is refused: its shadow is full, and all of it is reflected", name.text)};
    }
    std::vector<XaccWidth> widths = directive.widths.empty() ? array.shadow : directive.widths;
    if (widths.size() != array.extents.size()) {
      throw XaccRefusal{
          name.place, fmt::format("'{}' has {} dimensions, width {}", name.text, array.extents.size(), widths.size())};
    }
    std::vector<long> bounds;
    std::vector<int> periodic;
    for (std::size_t d = 0; d < widths.size(); ++d) {
      if (widths[d].low > array.shadow[d].low || widths[d].high > array.shadow[d].high) {
        throw XaccRefusal{
            name.place,
            fmt::format("a width of {}:{} in dimension {} of '{}' is refused: the shadow is {}:{}", widths[d].low,
                        widths[d].high, d, name.text, array.shadow[d].low, array.shadow[d].high)};
      }
      bounds.insert(bounds.end(), {widths[d].low, widths[d].high});
      periodic.push_back(widths[d].periodic ? 1 : 0);
    }
    code += fmt::format("gdr_xmp_reflect_init({}, (long[]){{{}}}, (int[]){{{}}}, {}, {}); ", n, fmt::join(bounds, ", "),
                        fmt::join(periodic, ", "), directive.orthogonal ? 1 : 0, line);
    if (directive.kind == XaccKind::reflect) code += fmt::format("gdr_xmp_reflect_do({}, {}); ", n, line);
  }
  return code;
}

/// The call for one side of an assignment.
std::string XaccRewriter::side_of_move(int side, const XaccReference& reference, std::size_t at,
                                       clang::QualType& element, std::size_t& sections) {
  const clang::VarDecl* variable = survey_.variable(reference.name, at);
  if (variable == nullptr) throw XaccRefusal{reference.place, fmt::format("'{}' is no variable here", reference.name)};
  clang::ASTContext& context = places_.context();
  const int n = array_of(variable);
  std::vector<long> extents;
  if (n >= 0) {
    const auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable);
    element = context.getBaseElementType(parameter == nullptr ? variable->getType() : parameter->getOriginalType());
    extents = layout_.arrays[static_cast<std::size_t>(n)].extents;
  } else {
    element = variable->getType();
    while (const clang::ConstantArrayType* array = context.getAsConstantArrayType(element)) {
      extents.push_back(static_cast<long>(array->getSize().getZExtValue()));
      element = array->getElementType();
    }
    if (element->isPointerType() || element->isArrayType() || !element->isConstantSizeType()) {
      throw XaccRefusal{reference.place, fmt::format("the directive xmp gmove: '{}' is refused: it takes distributed "
                                                     "arrays, arrays of constant sizes, and variables",
                                                     reference.name)};
    }
  }
  if (reference.at.size() != extents.size()) {
    throw XaccRefusal{reference.place, fmt::format("'{}' has {} dimensions, the directive xmp gmove {}", reference.name,
                                                   extents.size(), reference.at.size())};
  }
  std::vector<std::string> bounds;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const XaccRange& one = reference.at[d];
    const std::string low = one.all ? "0" : one.low;
    const std::string length = !one.section       ? "1"
                               : one.high.empty() ? fmt::format("{} - ({})", extents[d], low)
                                                  : one.high;
    bounds.insert(bounds.end(), {low, length, one.section ? "1" : "0"});
    if (one.section) ++sections;
  }
  if (extents.empty()) extents.push_back(0);
  if (bounds.empty()) bounds.emplace_back("0");
  const std::string array = n < 0 ? "-1"
                            : layout_.arrays[static_cast<std::size_t>(n)].parameter
                                ? fmt::format("gdr_xmp_passed({0}, \"{0}\", {1})", reference.name, reference.place.line)
                                : std::to_string(n);
  return fmt::format("gdr_xmp_move_side({}, {}, {}, {}, (long[]){{{}}}, (long[]){{{}}}); ", side, array,
                     n < 0 ? "(void*)&" + reference.name : std::string("0"), reference.at.size(),
                     fmt::join(extents, ", "), fmt::join(bounds, ", "));
}

std::string XaccRewriter::move_call(const XaccDirective& directive) {
  clang::QualType left;
  clang::QualType right;
  std::size_t left_sections = 0;
  std::size_t right_sections = 0;
  const std::size_t at = directive.pragma->begin;
  std::string code = side_of_move(0, directive.subject, at, left, left_sections);
  code += side_of_move(1, directive.on, at, right, right_sections);
  if (!places_.context().hasSameUnqualifiedType(left, right)) {
    throw XaccRefusal{directive.on.place,
                      fmt::format("the directive xmp gmove: '{}' and '{}' have elements of different types",
                                  directive.subject.name, directive.on.name)};
  }
  if (left_sections != right_sections) {
    throw XaccRefusal{directive.on.place,
                      fmt::format("the directive xmp gmove: '{}' has sections in {} dimensions, '{}' in {}",
                                  directive.subject.name, left_sections, directive.on.name, right_sections)};
  }
  const auto bytes = places_.context().getTypeSizeInChars(left).getQuantity();
  return code + fmt::format("gdr_xmp_move({}, {});", bytes, directive.pragma->place.line);
}

std::string XaccRewriter::merge_call(const XaccReduction& sum, std::size_t at) {
  const clang::VarDecl* variable = survey_.variable(sum.variable, at);
  if (variable == nullptr) throw XaccRefusal{sum.place, fmt::format("'{}' is no variable here", sum.variable)};
  const int type = type_of(variable, sum);
  if (sum.operation != XaccOperation::sum || type > 1)
    return fmt::format("gdr_xmp_reduce(&{}, {}, {}, -1, 0); ", sum.variable, type, static_cast<int>(sum.operation));
  const auto known = sums_.find(variable);
  return fmt::format("{0} = gdr_xmp_sum_merge({1}, {0}, {2}); ", sum.variable,
                     known == sums_.end() ? -1 : known->second, type == 0 ? 1 : 0);
}

/// Puts the code of directives in the place of their lines.
void XaccRewriter::single(std::size_t d) {
  const XaccDirective& directive = directives_[d];
  std::string code;
  const XaccWord& among = directive.among;
  if (!among.text.empty() && layout_.find_template(among.text) < 0)
    static_cast<void>(layout_.node_set(among.text, among.place));
  if (directive.kind == XaccKind::reflect || directive.kind == XaccKind::reflect_init ||
      directive.kind == XaccKind::reflect_do) {
    code = reflect_call(directive);
  } else if (directive.kind == XaccKind::gmove) {
    code = move_call(directive);
  } else if (directive.kind == XaccKind::barrier) {
    code = "gdr_xmp_barrier();";
  } else if (directive.kind == XaccKind::reduction) {
    for (const XaccReduction& sum : directive.sums) code += merge_call(sum, directive.pragma->begin);
  } else if (directive.kind == XaccKind::bcast) {
    const std::string sends = directive.on.name.empty() ? "-1" : place_test(directive.on);
    for (const XaccWord& name : directive.names) {
      const clang::VarDecl* variable = survey_.variable(name.text, directive.pragma->begin);
      const bool distributed = variable != nullptr && array_of(variable) >= 0;
      if (variable == nullptr || distributed || variable->getType()->isPointerType() ||
          !variable->getType()->isConstantSizeType()) {
        throw XaccRefusal{name.place,
                          fmt::format("the directive xmp bcast: '{}' is refused: it takes variables and arrays "
                                      "that are not distributed",
                                      name.text)};
      }
      code += fmt::format("gdr_xmp_bcast((void*)&{0}, sizeof {0}, {1}, {2}); ", name.text, sends, name.place.line);
    }
  }
  const std::string& text = request_.text;
  const auto from = text.begin() + static_cast<std::ptrdiff_t>(directive.pragma->begin);
  const auto to = text.begin() + static_cast<std::ptrdiff_t>(directive.pragma->end);
  edits_.replace(directive.pragma->begin, directive.pragma->end,
                 code + std::string(static_cast<std::size_t>(std::count(from, to, '\n')), '\n'));
}

void XaccRewriter::start_in_main() {
  const clang::FunctionDecl* main = survey_.main;
  if (main == nullptr) {
    errors_.push_back({{request_.file, 0, 0}, "the file has no main(): it starts the ranks, and sets up the arrays"});
    return;
  }
  std::string count = "gdr_xmp_argc";
  std::string words = "gdr_xmp_argv";
  if (main->getNumParams() == 2 && !main->getParamDecl(0)->getName().empty() &&
      !main->getParamDecl(1)->getName().empty()) {
    count = main->getParamDecl(0)->getNameAsString();
    words = main->getParamDecl(1)->getNameAsString();
  } else {
    const clang::FunctionTypeLoc type = main->getFunctionTypeLoc();
    const auto parentheses = type ? places_.range(type.getParensRange()) : std::nullopt;
    if (main->getNumParams() != 0 || !parentheses)
      return refuse(main->getLocation(), "main() has other parameters than argc and argv");
    edits_.replace(parentheses->first, parentheses->second, "(int gdr_xmp_argc, char** gdr_xmp_argv)");
  }
  const auto body = places_.range(main->getBody()->getBeginLoc());
  if (!body) return refuse(main->getLocation(), "main() is in a macro");
  edits_.behind(body->second, fmt::format(" gdr_xmp_begin(&{}, (char***)&{}, \"{}\"); gdr_xmp_set_up();", count, words,
                                          request_.file));
}

}  // namespace gdr::compiler
