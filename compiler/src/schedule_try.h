// One schedule in the making: operations onto lines, places by what their readers need.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <vector>

#include "line_table.h"
#include "schedule_problem.h"

namespace gdr::compiler {

using isa::Op;
using isa::Unit;
using isa::Width;

/// One schedule in the making.
class Try {
  /// Lines that may pass without any operation: by then everything written can be read, and nothing changes any more.
  static constexpr int kLongestWait = kRegister + 2;  // a long product ends a line later

 public:
  explicit Try(const Problem& problem) : problem_(problem), most_(8 * problem.section.size() + 64) {}

  /// False if the operations do not fit, or into less than `limit` lines.
  bool run(const Genes& genes, unsigned limit, int register_words) {
    begin(genes, register_words);
    order();
    std::size_t left = problem_.section.size();
    int idle = 0;
    for (int line = 0; left > 0; ++line) {
      if (static_cast<unsigned>(line) >= limit || static_cast<std::size_t>(line) + 2 >= most_) return false;
      const std::size_t put = fill(line);
      idle = put == 0 ? idle + 1 : 0;
      if (idle > kLongestWait) return false;
      left -= put;
      if (!settled(line - 1)) return false;
    }
    lines_ = 1;
    for (int n = 0; n < problem_.count(); ++n) lines_ = std::max(lines_, line(n) + 1);
    if (problem_.options.repeats) wrap();
    return static_cast<unsigned>(lines_) < limit;
  }

  [[nodiscard]] unsigned lines() const { return static_cast<unsigned>(lines_); }
  /// Gives registers and flags their numbers; false if they are too few.
  bool allot(Schedule& schedule) const;

 private:
  [[nodiscard]] std::vector<std::array<bool, 2>> places_read() const;
  [[nodiscard]] bool allot_local(Schedule& schedule) const;
  [[nodiscard]] int last_use(int n) const;

  struct Value {
    int t, gpr, local;  // 1 if it stands there
    int last;           // line of its last reader in a register or local memory
    int pending;        // readers that have no line yet
  };

  void begin(const Genes& genes, int register_words) {
    genes_ = &genes;
    register_words_ = register_words;
    LineState empty{};
    empty.unit.fill(kNone);
    empty.gpr_read.fill(kNone);
    empty.local_read = empty.broadcast_read = empty.immediate = empty.gpr_write = empty.local_write = empty.t_held =
        kNone;
    empty.pressure = 0;
    table_.assign(most_, empty);
    const std::size_t size = problem_.section.size();
    line_of_.assign(size, kNone);
    values_.assign(size, Value{0, 0, 0, 0, 0});
    sources_.assign(size, {});
    flags_left_ = problem_.flag_readers;
    flags_used_ = 0;
    merged_by_.assign(size, kNone);
    for (int n = 0; n < problem_.count(); ++n) {
      values_[static_cast<std::size_t>(n)].pending =
          static_cast<int>(problem_.readers[static_cast<std::size_t>(n)].size());
      if (problem_.at(n).into >= 0) merged_by_[static_cast<std::size_t>(problem_.at(n).into)] = n;
    }
    literal_home_.assign(problem_.code.literals.size(), 0);
    variable_home_.assign(problem_.code.variables.size(), 0);
    home_words_ = 0;
    peak_ = 0;
  }

  void order() {
    order_.resize(problem_.section.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
      return genes_->priority[static_cast<std::size_t>(a)] > genes_->priority[static_cast<std::size_t>(b)];
    });
  }

  [[nodiscard]] int line(int n) const { return line_of_[static_cast<std::size_t>(n)]; }
  LineState& at_line(int n) { return table_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] Value& value(int n) { return values_[static_cast<std::size_t>(n)]; }

  /// Puts what fits onto a line; how many operations.
  std::size_t fill(int k) {
    std::size_t put = 0;
    while (k > 0 && crowding(k - 1) > 0 && put_first(k, true)) ++put;
    while (put_first(k, false)) ++put;
    return put;
  }

  /// The first operation in order that fits; of those that take a value from T that has no other place, if `urgent`.
  bool put_first(int k, bool urgent) {
    for (std::size_t n = 0; n < order_.size(); ++n) {
      const int candidate = order_[n];
      if (!ready(candidate, k) || (urgent && !relieves(candidate, k - 1))) continue;
      if (!place(candidate, k)) {
        journal_.roll_back();
        continue;
      }
      journal_.commit();
      order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(n));
      return true;
    }
    return false;
  }

  bool relieves(int n, int k) {
    for (const Operand& operand : problem_.at(n).operands) {
      const bool value_of_line = operand.kind == Operand::Kind::value && line(operand.index) == k;
      if (value_of_line && operand.component < 0 && waits(operand.index)) return true;
    }
    return false;
  }

  bool ready(int n, int k) {
    for (const Problem::Need& need : problem_.needs[static_cast<std::size_t>(n)]) {
      const int before = line(need.operation);
      if (before == kNone || before + static_cast<int>(need.lines) > k) return false;
    }
    const Operation& operation = problem_.at(n);
    const LineState& state = at_line(k);
    const isa::OperationInfo& info = isa::info_of(operation.op);
    if (state.unit[static_cast<std::size_t>(info.unit)] != kNone) return false;
    if (!problem_.options.ready.empty()) {
      for (const Operand& operand : operation.operands) {
        if (operand.kind == Operand::Kind::variable &&
            problem_.options.ready[static_cast<std::size_t>(operand.index)] > k) {
          return false;
        }
      }
    }
    return true;
  }

  bool place(int n, int k) {
    const Operation& operation = problem_.at(n);
    const isa::OperationInfo& info = isa::info_of(operation.op);
    const int length = static_cast<int>(Problem::length(operation));
    const int result = k + length - 1;
    for (int at = k; at <= result; ++at) {
      int& unit = at_line(at).unit[static_cast<std::size_t>(info.unit)];
      if (unit != kNone) return false;
      journal_.set(unit, n);
    }
    if (info.claims_adder) {
      int& adder = at_line(result).unit[static_cast<std::size_t>(Unit::adder)];
      if (adder != kNone) return false;
      journal_.set(adder, n);
    }
    if (operation.op == Op::BM && !port(at_line(k).broadcast_read, broadcast_key(operation, operation.operands[0])))
      return false;
    if (!flag(n)) return false;
    sources_now_.assign(operation.operands.size(), From::immediate);
    // What has one way alone comes first: what only T has, then words of memories; what may stand in several places
    // goes last.
    for (int choices = 0; choices < 4; ++choices) {
      for (std::size_t o = 0; o < operation.operands.size(); ++o) {
        if (choices_of(operation.operands[o], k) == choices && !read(operation, o, k, result)) return false;
      }
    }
    journal_.set(line_of_[static_cast<std::size_t>(n)], result);
    if (operation.variable >= 0) {
      int& write = at_line(result).local_write;
      if (write != kNone) return false;
      journal_.set(write, 1000000 + operation.variable);
    }
    for (const Operand& operand : operation.operands) {
      if (operand.kind == Operand::Kind::value)
        journal_.set(value(operand.index).pending, value(operand.index).pending - 1);
    }
    if (genes_->careful && !careful_place(n)) return false;
    if (!room(result)) return false;
    if (operation.into >= 0 && !room(line(operation.into))) return false;
    for (const Operand& operand : operation.operands) {
      if (operand.kind == Operand::Kind::value && !room(line(operand.index))) return false;
    }
    sources_[static_cast<std::size_t>(n)] = sources_now_;
    return true;
  }

  int choices_of(const Operand& operand, int k) {
    if (operand.kind == Operand::Kind::literal) return 3;
    if (operand.kind == Operand::Kind::value) return line(operand.index) + 1 == k ? 0 : 2;
    const Variable& variable = problem_.code.variables[static_cast<std::size_t>(operand.index)];
    return variable.record == Record::parameter && !variable.own ? 3 : 1;
  }

  bool port(int& place, int key) {
    if (place == key) return true;
    if (place != kNone) return false;
    journal_.set(place, key);
    return true;
  }

  /// Flags in use are those whose readers have no line yet.
  bool flag(int n) {
    const Operation& operation = problem_.at(n);
    if (operation.predicate >= 0) release(problem_.flag_root[static_cast<std::size_t>(operation.predicate)]);
    if (operation.flag_into >= 0) {
      release(problem_.flag_root[static_cast<std::size_t>(n)]);
    } else if (operation.condition && flags_left_[static_cast<std::size_t>(n)] > 0) {
      if (flags_used_ >= static_cast<int>(isa::kFlags)) return false;
      if (genes_->flags_in_order && earlier_flag(n)) return false;
      journal_.set(flags_used_, flags_used_ + 1);
    }
    return true;
  }

  bool careful_place(int n) {
    if (value(n).pending == 0 && merged_by_[static_cast<std::size_t>(n)] == kNone) return true;
    const int base = problem_.at(n).into;
    if (base >= 0) return stand(n, value(base).gpr != 0);
    int words = words_in(n) + home_words_;
    for (int other = 0; other < problem_.count(); ++other) {
      const Value& live = value(other);
      if (line(other) != kNone && live.gpr != 0 && live.pending > 0) words += words_in(other);
    }
    const bool room_left = words + 8 <= register_words_ || problem_.not_local[static_cast<std::size_t>(n)] != 0;
    return stand(n, room_left);
  }

  int words_in(int n) const { return problem_.at(n).width == Width::long_word ? 8 : 4; }

  bool earlier_flag(int n) {
    for (int other = 0; other < n; ++other) {
      const bool takes = problem_.at(other).condition && problem_.at(other).flag_into < 0;
      if (takes && line(other) == kNone && problem_.flag_readers[static_cast<std::size_t>(other)] > 0) return true;
    }
    return false;
  }

  void release(int root) {
    int& left = flags_left_[static_cast<std::size_t>(root)];
    journal_.set(left, left - 1);
    if (left == 0) journal_.set(flags_used_, flags_used_ - 1);
  }

  static int variable_key(const Operand& operand) { return 1000000 + operand.index; }
  /// A vector that begins at a word and the word itself are two accesses.
  static int broadcast_key(const Operation& operation, const Operand& operand) {
    return variable_key(operand) + (operation.vector ? 4000000 : 0);
  }

  bool read(const Operation& operation, std::size_t o, int k, int until) {
    const Operand& operand = operation.operands[o];
    From& from = sources_now_[o];
    switch (operand.kind) {
      case Operand::Kind::literal:
        return read_uniform(operand, k, until, from, literal_home_[static_cast<std::size_t>(operand.index)], 2000000);
      case Operand::Kind::variable: {
        const Variable& variable = problem_.code.variables[static_cast<std::size_t>(operand.index)];
        if (variable.record == Record::parameter && !variable.own) {
          return read_uniform(operand, k, until, from, variable_home_[static_cast<std::size_t>(operand.index)],
                              1000000);
        }
        from = variable.home == Variable::Home::broadcast ? From::broadcast : From::local;
        for (int at = k; at <= until; ++at) {
          int& place = from == From::local ? at_line(at).local_read : at_line(at).broadcast_read;
          if (!port(place, from == From::broadcast ? broadcast_key(operation, operand) : variable_key(operand)))
            return false;
        }
        return true;
      }
      case Operand::Kind::value:
        break;
    }
    return read_value(operand, k, until, from);
  }

  /// A number or parameter: through its own port, or from where a copy stands.
  bool read_uniform(const Operand& operand, int k, int until, From& from, int& home, int key_base) {
    const bool literal = operand.kind == Operand::Kind::literal;
    const std::size_t mark = journal_.mark();
    const auto all_lines = [&](auto&& taking) {
      for (int at = k; at <= until; ++at) {
        if (!taking(at_line(at))) {
          journal_.roll_back_to(mark);
          return false;
        }
      }
      return true;
    };
    from = literal ? From::immediate : From::broadcast;
    if (all_lines([&](LineState& state) {
          return port(literal ? state.immediate : state.broadcast_read, key_base + operand.index);
        })) {
      return true;
    }
    if (!problem_.options.homes) return false;
    const int words = words_of(operand);
    const int key = key_base + operand.index;
    for (const int choice : {home, home == 0 ? 1 : 0, home == 0 ? 2 : 0}) {
      if (choice == 0) continue;
      from = choice == 1 ? From::gpr : From::local;
      if (choice == 1 && home == 0 && peak_ + home_words_ + words > register_words_) continue;
      if (!all_lines(
              [&](LineState& state) { return choice == 1 ? gpr_port(state, key) : port(state.local_read, key); })) {
        continue;
      }
      if (home == 0) {
        journal_.set(home, choice);
        if (choice == 1) journal_.set(home_words_, home_words_ + words);
      }
      return true;
    }
    return false;
  }

  int words_of(const Operand& operand) const {
    const Width width = operand.kind == Operand::Kind::literal
                            ? problem_.code.literals[static_cast<std::size_t>(operand.index)].width
                            : problem_.code.variables[static_cast<std::size_t>(operand.index)].width;
    return width == Width::long_word ? 2 : 1;
  }

  bool gpr_port(LineState& state, int key) {
    for (int& place : state.gpr_read) {
      if (place == key) return true;
    }
    for (int& place : state.gpr_read) {
      if (place == kNone) return journal_.set(place, key), true;
    }
    return false;
  }

  bool read_value(const Operand& operand, int k, int until, From& from) {
    const int v = operand.index;
    const int written = line(v);
    const bool register_there = written + static_cast<int>(kRegister) <= k;
    const bool forward = operand.component < 0;
    const std::size_t mark = journal_.mark();
    const auto attempt = [&](From choice) {
      if (choice == From::local && problem_.not_local[static_cast<std::size_t>(v)] != 0) return false;
      const bool done = choice == From::t ? forward && from_t(v, until)
                                          : register_there && from_memory(v, operand.component, k, until, choice);
      if (!done) return journal_.roll_back_to(mark), false;
      from = choice;
      return true;
    };
    if (!register_there) return attempt(From::t);
    if (value(v).gpr != 0 && attempt(From::gpr)) return true;
    if (value(v).local != 0 && attempt(From::local)) return true;
    if (value(v).t != 0 && at_line(k).t_held == v && attempt(From::t)) return true;
    static constexpr std::array<std::array<From, 3>, 4> kOrders{{{From::gpr, From::local, From::t},
                                                                 {From::t, From::gpr, From::local},
                                                                 {From::local, From::gpr, From::t},
                                                                 {From::t, From::local, From::gpr}}};
    for (const From choice : kOrders[static_cast<std::size_t>(genes_->preference[static_cast<std::size_t>(v)])]) {
      if (attempt(choice)) return true;
    }
    return false;
  }

  bool from_t(int v, int until) {
    for (int at = line(v) + 1; at <= until; ++at) {
      int& held = at_line(at).t_held;
      if (held == v) continue;
      if (held != kNone) return false;
      journal_.set(held, v);
    }
    if (value(v).t == 0) journal_.set(value(v).t, 1);
    // Where its predicate does not hold the base stays, and must have been in T.
    const int base = problem_.at(v).into;
    return base < 0 || from_t(base, line(v));
  }

  bool from_memory(int v, int component, int k, int until, From place) {
    const bool gpr = place == From::gpr;
    for (int at = k; at <= until; ++at) {
      const int key = 8 * v + component + 1;
      if (gpr ? !gpr_port(at_line(at), key) : !port(at_line(at).local_read, key)) return false;
    }
    if (!stand(v, gpr)) return false;
    return keep(v, until, gpr);
  }

  /// The value, and what it overwrites, stand in a register or in local memory.
  bool stand(int v, bool gpr) {
    int& there = gpr ? value(v).gpr : value(v).local;
    if (there != 0) return true;
    LineState& state = at_line(line(v));
    if (!port(gpr ? state.gpr_write : state.local_write, v)) return false;
    journal_.set(there, 1);
    const int base = problem_.at(v).into;
    return base < 0 || stand(base, gpr);
  }

  /// Extends a register's life to a reader in line `until`.
  bool keep(int v, int until, bool gpr) {
    int& last = value(v).last;
    if (gpr) {
      const int words = words_in(v);
      int first = v;  // whose register it is; it is kept for readers of all that was written there before
      int begin = kept_until(v);
      while (problem_.at(first).into >= 0) {
        first = problem_.at(first).into;
        begin = std::max(begin, kept_until(first));
      }
      begin = std::max(begin, line(first));
      for (int at = begin; at < until; ++at) {
        int& pressure = at_line(at).pressure;
        journal_.set(pressure, pressure + words);
        if (pressure > peak_) journal_.set(peak_, pressure);
        if (pressure + home_words_ > register_words_) return false;
      }
      journal_.set(value(v).gpr, std::max(value(v).gpr, until + 1));  // 1 + the last reader's line, at least 1
    }
    if (last < until) journal_.set(last, until);
    return true;
  }

  int kept_until(int v) { return value(v).gpr > 1 ? value(v).gpr - 1 : 0; }

  /// Whether values of a line that still have readers can get a place: in a register, in local memory, or one of them
  /// in T if somebody can take it from there in the next line.
  bool room(int k) {
    if (k < 0) return true;
    const int over = crowding(k);
    return over <= 0 || (over == 1 && forwarded_from(k));
  }

  /// By how many values those of a line that still have readers are more than the places left for them.
  int crowding(int k) {
    const LineState& state = at_line(k);
    const int gpr = state.gpr_write == kNone ? 1 : 0;
    const int local = state.local_write == kNone ? 1 : 0;
    int all = 0;
    int registers = 0;  // that need one
    each_of(k, [&](int n) {
      if (!waits(n)) return;
      ++all;
      int last = n;  // of merges: its readers count
      while (merged_by_[static_cast<std::size_t>(last)] != kNone) last = merged_by_[static_cast<std::size_t>(last)];
      registers += problem_.not_local[static_cast<std::size_t>(last)];
    });
    return std::max(all - gpr - local, registers - gpr);
  }

  template <class Visit>
  void each_of(int k, Visit visit) {
    const LineState& state = at_line(k);
    for (std::size_t unit = 1; unit < state.unit.size(); ++unit) {
      const int n = state.unit[unit];
      const bool adder_of_product =
          n != kNone && unit == static_cast<std::size_t>(Unit::adder) && problem_.at(n).op == Op::FMULL;
      if (n != kNone && line(n) == k && !adder_of_product) visit(n);
    }
  }

  bool forwarded_from(int k) {
    bool any = false;
    each_of(k, [&](int n) {
      const int held = at_line(k + 1).t_held;
      if (!waits(n) || (held != kNone && held != n) || merged_by_[static_cast<std::size_t>(n)] != kNone) return;
      int last = kNone;
      bool alone = true;
      for (const int reader : problem_.readers[static_cast<std::size_t>(n)]) {
        if (line(reader) != kNone || reader == last) continue;
        alone = alone && last == kNone;
        last = reader;
      }
      any = any || (last != kNone && alone && next_in(last, n, k + 1));
    });
    return any;
  }

  /// Whether `reader` could stand in line `k`, which follows that of its operand `n`.
  bool next_in(int reader, int n, int k) {
    for (const Problem::Need& need : problem_.needs[static_cast<std::size_t>(reader)]) {
      const int before = line(need.operation);
      if (before == kNone || before + static_cast<int>(need.lines) > k) return false;
    }
    for (const Operand& operand : problem_.at(reader).operands) {
      if (operand.kind == Operand::Kind::value && operand.index == n && operand.component >= 0) return false;
    }
    return true;
  }

  bool waits(int n) {
    const Value& own = value(n);
    if (own.gpr != 0 || own.local != 0) return false;
    const int over = merged_by_[static_cast<std::size_t>(n)];
    if (over != kNone) return line(over) == kNone || waits(over);
    return own.pending > 0;
  }

  /// After the next line T is no place any more for what nobody took from there.
  bool settled(int k) { return k < 0 || crowding(k) <= 0; }

  /// The first line follows the last: what is written there must have landed.
  void wrap() {
    for (int n = 0; n < problem_.count(); ++n) {
      const int variable = problem_.at(n).variable;
      if (variable < 0) continue;
      for (int reader = 0; reader < problem_.count(); ++reader) {
        for (const Operand& operand : problem_.at(reader).operands) {
          if (operand.kind != Operand::Kind::variable || operand.index != variable) continue;
          lines_ = std::max(lines_, line(n) + static_cast<int>(kRegister) - line(reader));
        }
      }
    }
  }

  const Problem& problem_;
  std::size_t most_;
  const Genes* genes_ = nullptr;
  Journal journal_;
  std::vector<LineState> table_;
  std::vector<int> line_of_;
  std::vector<Value> values_;
  std::vector<std::vector<From>> sources_;
  std::vector<From> sources_now_;
  std::vector<int> flags_left_;
  std::vector<int> merged_by_;
  std::vector<int> literal_home_;
  std::vector<int> variable_home_;
  std::vector<int> order_;
  int flags_used_ = 0;
  int home_words_ = 0;
  int peak_ = 0;
  int register_words_ = 0;
  int lines_ = 0;
};

/// First fit; an interval ends where its last reader stands, which reads before a new word lands.
class Registers {
 public:
  explicit Registers(unsigned words) : free_from_(words, 0) {}

  std::optional<unsigned> take(unsigned words, unsigned step, int begin, int end) {
    for (unsigned at = 0; at + words <= free_from_.size(); at += step) {
      bool fits = true;
      for (unsigned n = at; n < at + words; ++n) fits = fits && free_from_[n] <= begin;
      if (!fits) continue;
      for (unsigned n = at; n < at + words; ++n) free_from_[n] = end;
      return at;
    }
    return std::nullopt;
  }

 private:
  std::vector<int> free_from_;
};

/// Of each value, whether its register and its word of local memory are read, as its own or as what overwrites it.
inline std::vector<std::array<bool, 2>> Try::places_read() const {
  std::vector<std::array<bool, 2>> read(problem_.section.size(), {false, false});
  for (int n = 0; n < problem_.count(); ++n) {
    const std::vector<Operand>& operands = problem_.at(n).operands;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      const From from = sources_[static_cast<std::size_t>(n)][o];
      if (operands[o].kind != Operand::Kind::value || from == From::t) continue;
      bool& place = read[static_cast<std::size_t>(operands[o].index)][from == From::gpr ? 0 : 1];
      place = true;
    }
  }
  for (int n = 0; n < problem_.count(); ++n) {
    for (int base = problem_.at(n).into; base >= 0; base = problem_.at(base).into) {
      for (std::size_t place = 0; place < 2; ++place) {
        if (read[static_cast<std::size_t>(n)][place]) read[static_cast<std::size_t>(base)][place] = true;
      }
    }
  }
  return read;
}

inline bool Try::allot(Schedule& schedule) const {
  const std::size_t size = problem_.section.size();
  schedule = {};
  schedule.lines = lines();
  schedule.sources = sources_;
  schedule.places.resize(size);
  schedule.flag_of.assign(size, 0);
  for (const int at : line_of_) schedule.line_of.push_back(static_cast<unsigned>(at));
  unsigned end = isa::kGprShortWords;
  const auto homes = [&](const std::vector<int>& taken, auto&& width, std::vector<Home>& kinds,
                         std::vector<unsigned>& at) {
    kinds.assign(taken.size(), Home::none);
    at.assign(taken.size(), 0);
    for (std::size_t n = 0; n < taken.size(); ++n) {
      kinds[n] = static_cast<Home>(taken[n]);
      if (taken[n] != 1) continue;
      const unsigned words = width(n) == Width::long_word ? 2 : 1;
      end -= words;
      end -= end % words;
      at[n] = end;
    }
  };
  const Microcode& code = problem_.code;
  homes(
      variable_home_, [&](std::size_t n) { return code.variables[n].width; }, schedule.variable_homes,
      schedule.variable_addresses);
  homes(
      literal_home_, [&](std::size_t n) { return code.literals[n].width; }, schedule.literal_homes,
      schedule.literal_addresses);

  const std::vector<std::array<bool, 2>> read = places_read();
  std::vector<int> by_line(size);
  std::iota(by_line.begin(), by_line.end(), 0);
  std::stable_sort(by_line.begin(), by_line.end(), [&](int a, int b) { return line(a) < line(b); });
  Registers registers(end);
  Registers flags(isa::kFlags);
  for (const int n : by_line) {
    const auto own = static_cast<std::size_t>(n);
    const Value& value = values_[own];
    Places& places = schedule.places[own];
    places.t = value.t != 0;
    places.gpr = value.gpr != 0 && read[own][0];
    places.local = value.local != 0 && read[own][1];
    const Operation& operation = problem_.at(n);
    if (places.gpr && operation.into >= 0) {
      places.address = schedule.places[static_cast<std::size_t>(operation.into)].address;
    } else if (places.gpr) {
      int last = value.gpr - 1;
      for (int over = merged_by_[own]; over != kNone; over = merged_by_[static_cast<std::size_t>(over)]) {
        last = std::max({last, values_[static_cast<std::size_t>(over)].gpr - 1, line(over)});
      }
      const bool wide = operation.width == Width::long_word;
      const std::optional<unsigned> address = registers.take(wide ? 8 : 4, wide ? 2 : 1, line(n), last);
      if (!address) return false;
      places.address = *address;
    }
    if (!operation.condition) continue;
    if (operation.flag_into >= 0) {
      schedule.flag_of[own] = schedule.flag_of[static_cast<std::size_t>(problem_.flag_root[own])];
      continue;
    }
    int last = line(n);
    for (int reader = 0; reader < problem_.count(); ++reader) {
      const Operation& other = problem_.at(reader);
      const bool reads = other.predicate >= 0 && problem_.flag_root[static_cast<std::size_t>(other.predicate)] == n;
      const bool sets = other.flag_into >= 0 && problem_.flag_root[static_cast<std::size_t>(reader)] == n;
      if (reads || sets) last = std::max(last, line(reader));
    }
    const std::optional<unsigned> flag = flags.take(1, 1, line(n), last);
    if (!flag) return false;
    schedule.flag_of[own] = *flag + 1;
  }
  return allot_local(schedule);
}

/// The line of the last reader of a value in local memory, or of what overwrites it there.
inline int Try::last_use(int n) const {
  int last = std::max(values_[static_cast<std::size_t>(n)].last, line(n));
  for (int over = merged_by_[static_cast<std::size_t>(n)]; over != kNone;
       over = merged_by_[static_cast<std::size_t>(over)])
    last = std::max({last, values_[static_cast<std::size_t>(over)].last, line(over)});
  return last;
}

/// Words of local memory: one for each value while there are enough, else shared by those that follow one another.
inline bool Try::allot_local(Schedule& schedule) const {
  std::vector<int> values;  // in local memory, those that overwrite others left out
  for (int n = 0; n < problem_.count(); ++n) {
    if (schedule.places[static_cast<std::size_t>(n)].local && problem_.at(n).into < 0) values.push_back(n);
  }
  unsigned words = 0;
  for (std::size_t n = 0; n < literal_home_.size(); ++n) {
    if (literal_home_[n] == 2) words += isa::short_words(problem_.code.literals[n].width);
  }
  for (std::size_t n = 0; n < variable_home_.size(); ++n) {
    if (variable_home_[n] == 2) words += isa::short_words(problem_.code.variables[n].width);
  }
  unsigned alone = words;
  for (const int n : values) alone += static_cast<unsigned>(words_in(n));
  schedule.shared_slots = alone > problem_.options.local_words;
  schedule.local_words = alone;
  if (!schedule.shared_slots) return true;
  std::stable_sort(values.begin(), values.end(), [&](int a, int b) { return line(a) < line(b); });
  std::array<std::vector<int>, 2> free_from;  // of short and of long slots
  for (const int n : values) {
    std::vector<int>& slots = free_from[problem_.at(n).width == Width::long_word ? 1 : 0];
    auto slot = std::find_if(slots.begin(), slots.end(), [&](int from) { return from <= line(n); });
    if (slot == slots.end()) {
      words += static_cast<unsigned>(words_in(n));
      slot = slots.insert(slots.end(), 0);
    }
    *slot = last_use(n);
    schedule.places[static_cast<std::size_t>(n)].slot = static_cast<unsigned>(slot - slots.begin());
  }
  schedule.local_words = words;
  return words <= problem_.options.local_words;
}

}  // namespace gdr::compiler
