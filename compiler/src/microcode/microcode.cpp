#include "microcode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

#include "lower.h"
#include "names.h"
#include "pair/bounds.h"

namespace gdr::compiler {
namespace {

using isa::Op;
using isa::Width;

constexpr const char* kSuffixes[kRecords] = {"i", "j", "_sum", "_param", "_state"};
constexpr const char* kSuffixesOfExperiments[kRecords] = {"_start", "", "_end", "_param", "_state"};

/// True for words of the language that begin statements or appear in declarations.
bool taken_by_language(const std::string& name) {
  for (const isa::WordRole role : {isa::WordRole::statement, isa::WordRole::item, isa::WordRole::attribute}) {
    const auto words = isa::language_words(role);
    if (std::find(words.begin(), words.end(), name) != words.end()) return true;
  }
  return isa::op_named(name).has_value();
}

/// A field keeps its name unless another record has a field of the same name. The state of experiments gives way to the
/// other records, whose names the tables of data have.
std::string name_of(const PairFunction& function, std::size_t record, const std::string& name, bool experiment) {
  constexpr auto kState = static_cast<std::size_t>(Record::state);
  std::size_t owners = 0;
  for (std::size_t n = 0; n < kRecords; ++n) {
    if (n == kState && record != kState) continue;
    for (const Field& other : function.records[n]) owners += spelled(other.name) == name ? 1 : 0;
  }
  const bool keeps = owners == 1 && !taken_by_language(name);
  return keeps ? name : name + (experiment ? kSuffixesOfExperiments : kSuffixes)[record];
}

/// `wanted`, with a number appended if that name is taken.
std::string unique(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (unsigned n = 2; taken_by_language(name) || !taken.insert(name).second; ++n)
    name = fmt::format("{}_{}", wanted, n);
  return name;
}

/// True if the four words from element `element` of j-field `field` on are floating-point numbers of the record. A
/// vector steps by long words, and lines that multiply need one short factor, so vectors have only long words.
bool four_words(const std::vector<Field>& fields, std::size_t field, unsigned element) {
  unsigned words = fields[field].count - element;
  for (std::size_t n = field + 1; n < fields.size() && words < isa::kVectorElements; ++n) {
    if (!is_float(fields[n].type)) return false;
    words += fields[n].count;
  }
  return words >= isa::kVectorElements;
}

void declare(const PairFunction& function, Microcode& code) {
  std::set<std::string> taken;
  for (std::size_t record = 0; record < kRecords; ++record) {
    const std::vector<Field>& fields = function.records[record];
    for (unsigned n = 0; n < fields.size(); ++n) {
      const std::string name = unique(name_of(function, record, spelled(fields[n].name), code.experiment), taken);
      for (unsigned element = 0; element < fields[n].count; ++element) {
        Variable variable;
        variable.record = static_cast<Record>(record);
        if (!fields[n].array) {
          variable.name = name;
        } else if (variable.record == Record::parameter) {  // which are words by themselves
          variable.name = unique(fmt::format("{}_{}", name, element), taken);
        } else {
          variable.name = fmt::format("{}[{}]", name, element);
        }
        variable.field = n;
        variable.element = element;
        variable.width = is_long(fields[n].type) ? Width::long_word : Width::short_word;
        if (code.experiment && variable.record == Record::result) variable.width = Width::long_word;
        if (variable.record == Record::j || variable.record == Record::parameter) {
          variable.home = Variable::Home::broadcast;
          variable.scalar = true;
        }
        const bool viewed = variable.record == Record::j && fields[n].array && element == 0 &&
                            fields[n].type == Type::float_long && four_words(fields, n, element);
        if (viewed) variable.view = unique(name + "_xyz", taken);
        if (variable.record == Record::result)
          code.reductions.push_back({is_float(fields[n].type) ? Op::FADD : Op::UADD, false});
        code.variables.push_back(std::move(variable));
      }
    }
  }
}

/// Removes operations that nothing needs and renumbers the others.
void drop_unused(Operations& section) {
  std::vector<char> needed(section.size(), 0);
  std::vector<int> open;
  const auto need = [&](int index) {
    if (index < 0 || needed[static_cast<std::size_t>(index)] != 0) return;
    needed[static_cast<std::size_t>(index)] = 1;
    open.push_back(index);
  };
  for (std::size_t n = 0; n < section.size(); ++n) {
    if (section[n].variable >= 0 || section[n].goes_on) need(static_cast<int>(n));
  }
  while (!open.empty()) {
    const Operation& next = section[static_cast<std::size_t>(open.back())];
    open.pop_back();
    for (const Operand& operand : next.operands) {
      if (operand.kind == Operand::Kind::value) need(operand.index);
    }
    need(next.into), need(next.predicate), need(next.flag_into), need(next.after);
  }
  std::vector<int> number(section.size(), -1);
  Operations kept;
  for (std::size_t n = 0; n < section.size(); ++n) {
    if (needed[n] == 0) continue;
    number[n] = static_cast<int>(kept.size());
    kept.push_back(std::move(section[n]));
  }
  const auto renumber = [&](int& index) {
    if (index >= 0) index = number[static_cast<std::size_t>(index)];
  };
  for (Operation& operation : kept) {
    for (Operand& operand : operation.operands) {
      if (operand.kind == Operand::Kind::value) renumber(operand.index);
    }
    renumber(operation.into), renumber(operation.predicate), renumber(operation.flag_into), renumber(operation.after);
  }
  section = std::move(kept);
}

/// Removes flags that nothing reads.
void drop_flags(Operations& section) {
  std::set<int> read;
  for (const Operation& operation : section) read.insert(operation.predicate), read.insert(operation.flag_into);
  for (std::size_t n = 0; n < section.size(); ++n) {
    if (!read.contains(static_cast<int>(n)) && !section[n].only_flag && !section[n].goes_on)
      section[n].condition.reset();
  }
}

/// Notes the operations of which nothing is read but the flag.
void mark_tests(Operations& section) {
  std::set<int> read;
  for (const Operation& operation : section) {
    read.insert(operation.into);
    for (const Operand& operand : operation.operands) {
      if (operand.kind == Operand::Kind::value) read.insert(operand.index);
    }
  }
  for (std::size_t n = 0; n < section.size(); ++n) {
    Operation& operation = section[n];
    operation.only_flag =
        operation.condition && operation.variable < 0 && operation.into < 0 && !read.contains(static_cast<int>(n));
  }
}

}  // namespace

void drop_needless(Operations& section) { drop_unused(section), drop_flags(section); }

Microcode lower(const PairFunction& body, const PairFunction& finish, ConditionStyle style, bool fast,
                std::vector<Message>& errors) {
  Microcode code;
  code.fast = fast;
  declare(body, code);
  PairFunction function = body;
  const Changes changes = changes_of(function, errors);
  if (!errors.empty()) return code;
  const std::vector<int> roots = changes.roots();
  saturate_compared(function, roots);
  std::vector<int> kept;
  for (const Store& store : finish.stores) kept.push_back(store.value);
  if (sets_too_many_flags(function, roots) || sets_too_many_flags(finish, kept)) style = ConditionStyle::words;
  code.style = style;
  Lowering(function, roots, code, code.body, errors, style).accumulate_all(changes);
  if (!kept.empty()) Lowering(finish, kept, code, code.termination, errors, style).assign_all();
  for (Operations* section : {&code.body, &code.termination}) {
    drop_needless(*section);
    if (style == ConditionStyle::words) mark_tests(*section);
  }
  return code;
}

Microcode lower_experiment(const Imported& experiment, ConditionStyle style, bool in_place, bool fast,
                           std::vector<Message>& errors) {
  Microcode code;
  code.fast = fast;
  code.experiment = true;
  declare(experiment.body, code);
  const auto roots_of = [](const PairFunction& function) {
    std::vector<int> roots;
    for (const Store& store : function.stores) roots.push_back(store.value);
    if (function.done >= 0) roots.push_back(function.done);
    return roots;
  };
  for (const PairFunction* function : {&experiment.begin, &experiment.body, &experiment.finish}) {
    if (sets_too_many_flags(*function, roots_of(*function))) style = ConditionStyle::words;
  }
  code.style = style;
  const auto lowered = [&](const PairFunction& function, Operations& section) {
    Lowering lowering(function, roots_of(function), code, section, errors, style);
    lowering.assign_all(in_place);
    if (function.done >= 0) lowering.go_on_unless(function.done);
    drop_needless(section);
    if (style == ConditionStyle::words) mark_tests(section);
  };
  lowered(experiment.begin, code.initialization);
  lowered(experiment.body, code.body);
  lowered(experiment.finish, code.termination);
  return code;
}

// ---- x, y, z side by side ------------------------------------------------------------------------------------------

namespace {

class Components {
 public:
  explicit Components(Microcode& code) : code_(code), body_(code.body) { of_j_.assign(body_.size(), -1); }

  void run() {
    for (int leader = 0; leader < size(); ++leader) group_from(leader);
    if (group_.empty()) return;
    rewrite();
    drop_unused(body_);
  }

 private:
  struct Place {
    int leader;
    int component;
  };

  [[nodiscard]] int size() const { return static_cast<int>(body_.size()); }
  const Operation& at(int n) const { return body_[static_cast<std::size_t>(n)]; }

  bool of_j(int n) {
    std::int8_t& known = of_j_[static_cast<std::size_t>(n)];
    if (known >= 0) return known != 0;
    const Operation& operation = at(n);
    bool all = operation.into < 0 && operation.predicate < 0 && !operation.condition && operation.variable < 0 &&
               operation.op != Op::BM;
    for (const Operand& operand : operation.operands) {
      if (!all) break;
      if (operand.kind == Operand::Kind::value) all = of_j(operand.index);
      if (operand.kind == Operand::Kind::variable) all = variable(operand).home == Variable::Home::broadcast;
    }
    known = all ? 1 : 0;
    return all;
  }

  const Variable& variable(const Operand& operand) const {
    return code_.variables[static_cast<std::size_t>(operand.index)];
  }

  bool shifted_operand(const Operand& a, const Operand& b, int distance) {
    if (a.kind != b.kind || a.negated != b.negated || a.component != b.component) return false;
    if (a.index == b.index) {
      if (a.kind == Operand::Kind::value) return !group_.contains(a.index);
      // A line that steps through the j-record steps with every word that it reads from it.
      return a.kind == Operand::Kind::literal || variable(a).record != Record::j;
    }
    if (a.kind == Operand::Kind::literal) return false;
    if (a.kind == Operand::Kind::value) {
      const auto first = group_.find(a.index);
      const auto second = group_.find(b.index);
      return first != group_.end() && second != group_.end() && first->second.leader == second->second.leader &&
             first->second.component == 0 && second->second.component == distance;
    }
    const Variable& from = variable(a);
    const Variable& to = variable(b);
    return from.record == Record::j && to.record == Record::j && from.field == to.field && !from.view.empty() &&
           to.element == from.element + static_cast<unsigned>(distance);
  }

  bool shifted(int a, int b, int distance) {
    const Operation& first = at(a);
    const Operation& second = at(b);
    if (first.op != second.op || first.width != second.width || group_.contains(b) || !of_j(b)) return false;
    bool moves = false;
    for (std::size_t n = 0; n < first.operands.size(); ++n) {
      if (!shifted_operand(first.operands[n], second.operands[n], distance)) return false;
      moves = moves || !(first.operands[n] == second.operands[n]);
    }
    return moves;
  }

  void group_from(int leader) {
    if (group_.contains(leader) || !of_j(leader)) return;
    std::vector<int> members{leader};
    for (int distance = 1; distance < static_cast<int>(isa::kVectorElements); ++distance) {
      int found = -1;
      for (int n = 0; n < size() && found < 0; ++n) {
        if (n != leader && shifted(leader, n, distance)) found = n;
      }
      if (found < 0) break;
      members.push_back(found);
    }
    if (members.size() < 2) return;
    for (std::size_t n = 0; n < members.size(); ++n) group_[members[n]] = {leader, static_cast<int>(n)};
  }

  void rewrite() {
    for (int n = 0; n < size(); ++n) {
      Operation& operation = body_[static_cast<std::size_t>(n)];
      const bool inside = group_.contains(n);
      if (inside && group_.at(n).component == 0) operation.vector = true;
      if (operation.vector && !operation.name.empty() && operation.name.back() == '0') operation.name.pop_back();
      for (Operand& operand : operation.operands) {
        if (operand.kind != Operand::Kind::value || !group_.contains(operand.index)) continue;
        const Place place = group_.at(operand.index);
        operand.index = place.leader;
        if (!inside) operand.component = place.component;
      }
    }
  }

  Microcode& code_;
  Operations& body_;
  std::vector<std::int8_t> of_j_;  // -1: not computed yet
  std::map<int, Place> group_;
};

}  // namespace

void join_components(Microcode& code) { Components(code).run(); }

// ---- what does not change from turn to turn ------------------------------------------------------------------------

namespace {

class Hoister {
 public:
  explicit Hoister(Microcode& code) : code_(code), names_(code), fixed_(code.body.size(), -1) {}

  void run() {
    bool any = false;
    for (int n = 0; n < static_cast<int>(code_.body.size()); ++n) any = fixed(n) || any;
    if (!any) return;
    while (leave_one()) {
    }
    std::map<int, int> homes;  // of operations that the loop reads
    for (Operation& operation : code_.body) {
      const int own = static_cast<int>(&operation - code_.body.data());
      if (fixed(own)) continue;
      for (Operand& operand : operation.operands) {
        if (operand.kind != Operand::Kind::value || !fixed(operand.index)) continue;
        operand = {Operand::Kind::variable, home(operand.index, homes), -1, operand.negated};
      }
    }
    code_.initialization = code_.body;
    for (std::size_t n = 0; n < code_.initialization.size(); ++n) {
      const auto found = homes.find(static_cast<int>(n));
      code_.initialization[n].variable = found == homes.end() ? -1 : found->second;
    }
    drop_unused(code_.initialization);
    drop_unused(code_.body);
  }

 private:
  /// If the values that the loop reads need more words than there are, one of them is computed in each turn: one that
  /// is made of data, if there is any, since others need values that then are read, too.
  bool leave_one() {
    constexpr unsigned kLeft = 32;  // short words for values on their way
    unsigned words = kLeft;
    std::vector<bool> read(code_.body.size(), false);
    for (int n = 0; n < static_cast<int>(code_.body.size()); ++n) {
      if (fixed(n)) continue;
      for (const Operand& operand : code_.body[static_cast<std::size_t>(n)].operands) {
        if (operand.kind == Operand::Kind::value && fixed(operand.index))
          read[static_cast<std::size_t>(operand.index)] = true;
      }
    }
    int left = -1;
    bool of_data = false;
    for (std::size_t n = 0; n < read.size(); ++n) {
      if (!read[n]) continue;
      const Operation& operation = code_.body[n];
      words += isa::short_words(operation.width) * isa::kVectorElements;
      const bool is_of_data = std::ranges::none_of(
          operation.operands, [](const Operand& operand) { return operand.kind == Operand::Kind::value; });
      if (of_data && !is_of_data) continue;
      left = static_cast<int>(n);
      of_data = is_of_data;
    }
    if (words <= local_words_left(code_) || left < 0) return false;
    fixed_[static_cast<std::size_t>(left)] = 0;
    return true;
  }

  bool fixed(int n) {
    std::int8_t& known = fixed_[static_cast<std::size_t>(n)];
    if (known >= 0) return known != 0;
    const Operation& operation = code_.body[static_cast<std::size_t>(n)];
    bool all = operation.into < 0 && operation.predicate < 0 && !operation.condition && operation.variable < 0 &&
               operation.op != Op::UPASSA && operation.op != Op::BM && !overwritten(n);
    for (const Operand& operand : operation.operands) {
      if (!all) break;
      if (operand.kind == Operand::Kind::value) all = fixed(operand.index);
      if (operand.kind == Operand::Kind::variable) {
        const Record record = code_.variables[static_cast<std::size_t>(operand.index)].record;
        all = record == Record::i || record == Record::parameter;
      }
    }
    known = all ? 1 : 0;
    return all;
  }

  [[nodiscard]] bool overwritten(int n) const {
    return std::any_of(code_.body.begin(), code_.body.end(), [&](const Operation& other) { return other.into == n; });
  }

  int home(int operation, std::map<int, int>& homes) {
    const auto [found, is_new] = homes.try_emplace(operation, -1);
    if (is_new) {
      const Operation& made = code_.body[static_cast<std::size_t>(operation)];
      Variable variable;
      variable.name = names_.take(made.name.empty() ? "fixed" : made.name);
      variable.width = made.width;
      variable.own = true;
      found->second = static_cast<int>(code_.variables.size());
      code_.variables.push_back(std::move(variable));
    }
    return found->second;
  }

  Microcode& code_;
  Names names_;
  std::vector<std::int8_t> fixed_;  // -1: not computed yet
};

}  // namespace

void hoist(Microcode& code) { Hoister(code).run(); }

// ---- one word of local memory and one of broadcast memory to an operation -------------------------------------------

namespace {

class Separator {
 public:
  Separator(const Microcode& code, Operations& section) : code_(code), section_(section) {}

  void run() {
    const std::size_t size = section_.size();
    for (std::size_t n = 0; n < size; ++n) {
      for (const Port port : {Port::local, Port::broadcast, Port::immediate}) separate(n, port);
    }
  }

 private:
  enum class Port : std::uint8_t { local, broadcast, immediate };

  /// True if an operand is read through this port, of which a line has one. In the loop, parameters and literals can
  /// be read in other ways.
  [[nodiscard]] bool through(const Operand& operand, Port port) const {
    const bool copies_move = !code_.experiment && &section_ == &code_.body;
    if (operand.kind == Operand::Kind::literal) return port == Port::immediate && !copies_move;
    if (operand.kind != Operand::Kind::variable || port == Port::immediate) return false;
    const Variable& variable = code_.variables[static_cast<std::size_t>(operand.index)];
    if ((variable.home == Variable::Home::broadcast) != (port == Port::broadcast)) return false;
    return !copies_move || variable.record != Record::parameter || variable.own;
  }

  /// A result must be read where it is written.
  [[nodiscard]] bool is_result(const Operand& operand) const {
    if (operand.kind != Operand::Kind::variable) return false;
    const Variable& variable = code_.variables[static_cast<std::size_t>(operand.index)];
    return variable.record == Record::result && !variable.own;
  }

  void separate(std::size_t n, Port port) {
    if (section_[n].operands.size() < 2) return;
    const Operand first = section_[n].operands[0];
    const Operand second = section_[n].operands[1];
    if (!through(first, port) || !through(second, port) || first.index == second.index) return;
    const std::size_t moved = is_result(second) ? 0 : 1;
    const int copied = copy(section_[n].operands[moved], section_[n]);
    Operand& again = section_[n].operands[moved];  // making the copy may have moved the operations
    again = {Operand::Kind::value, copied, -1, again.negated};
  }

  int copy(const Operand& operand, const Operation& reader) {
    const bool vector = reader.vector;
    const auto [known, is_new] =
        copies_.try_emplace({operand.kind, operand.index, vector}, static_cast<int>(section_.size()));
    if (!is_new) return known->second;
    Operation made;
    made.op = Op::UPASSA;
    made.operands = {{operand.kind, operand.index, -1, false}};
    made.vector = vector;
    made.place = reader.place;
    const auto index = static_cast<std::size_t>(operand.index);
    if (operand.kind == Operand::Kind::literal) {
      made.width = code_.literals[index].width;
    } else {
      const Variable& variable = code_.variables[index];
      if (variable.home == Variable::Home::broadcast) made.op = Op::BM;
      made.width = variable.width;
      made.name = variable.name;
    }
    section_.push_back(std::move(made));
    return known->second;
  }

  const Microcode& code_;
  Operations& section_;
  std::map<std::tuple<Operand::Kind, int, bool>, int> copies_;
};

}  // namespace

void put_in_order(Operations& section, const std::vector<std::size_t>& order, const std::vector<int>& number) {
  const auto renumber = [&](int& index) {
    if (index >= 0) index = number[static_cast<std::size_t>(index)];
  };
  Operations ordered;
  for (const std::size_t n : order) {
    Operation operation = std::move(section[n]);
    for (Operand& operand : operation.operands) {
      if (operand.kind == Operand::Kind::value) renumber(operand.index);
    }
    renumber(operation.into), renumber(operation.predicate), renumber(operation.flag_into), renumber(operation.after);
    ordered.push_back(std::move(operation));
  }
  section = std::move(ordered);
}

void copies_to_readers(Operations& section) {
  std::vector<int> number(section.size(), -1);
  std::vector<std::size_t> order;
  const auto put = [&](std::size_t n) {
    if (number[n] >= 0) return;
    number[n] = static_cast<int>(order.size());
    order.push_back(n);
  };
  for (std::size_t n = 0; n < section.size(); ++n) {
    for (const Operand& operand : section[n].operands) {
      if (operand.kind == Operand::Kind::value && operand.index > static_cast<int>(n))
        put(static_cast<std::size_t>(operand.index));
    }
    put(n);
  }
  put_in_order(section, order, number);
}

void separate_ports(Microcode& code) {
  for (Operations* section : {&code.initialization, &code.body, &code.termination}) Separator(code, *section).run();
}

}  // namespace gdr::compiler
