// Implementation of the debugger: its position, how it moves (motion.cpp), where it stops (stops.cpp) and what it shows
// (inspection.cpp).
#pragma once

#include <array>
#include <filesystem>
#include <span>

#include "expression.h"
#include "gdr/debugger/debugger.h"
#include "locals.h"
#include "record/origin.h"
#include "record/timeline.h"

namespace gdr::debugger {

/// Number of states that the timeline keeps to go back from.
inline constexpr std::size_t kKeptPlaces = 48;

/// Throws gdr::Error unless `holds`; the message names argument, value and range.
void require(bool holds, std::string_view argument, std::uint64_t value, std::uint64_t most);

[[nodiscard]] std::optional<unsigned> whole_number(std::string_view text);

class Debugger::Impl {
 public:
  explicit Impl(Job job);

  // ---- where

  [[nodiscard]] const Clock& clock() const { return clocks_[focus_.chip]; }
  [[nodiscard]] std::optional<Position> position() const { return clock().position(timeline_->now()); }

  [[nodiscard]] bool jvalid() const { return timeline_->block().done() || timeline_->block().next().jvalid; }

  [[nodiscard]] std::uint64_t i_count() const;
  [[nodiscard]] std::uint64_t j_count() const;

  /// The current run; at the end the last one, before the first one 0.
  [[nodiscard]] std::uint64_t run_here() const;

  /// The number that an element's i-particle has in a run, whether or not it exists.
  [[nodiscard]] std::uint64_t i_of(const Focus& focus, std::uint64_t run) const;
  [[nodiscard]] bool at_work(const Focus& focus, std::uint64_t run) const;
  [[nodiscard]] std::optional<std::uint64_t> i_particle(const Focus& focus) const;

  [[nodiscard]] std::uint64_t j_of(const Focus& focus, std::uint64_t iteration) const;
  [[nodiscard]] std::optional<std::uint64_t> j_record() const;

  void set_focus(const Focus& focus);

  void go_to_pair(std::optional<std::uint64_t> i, std::optional<std::uint64_t> j);

  // ---- moving

  Stop step(StepUnit unit, std::uint64_t count);

  Stop back(StepUnit unit, std::uint64_t count);

  Stop go_on();

  Stop go_back();

  Stop go_to(Moment moment);

  [[nodiscard]] std::uint64_t executions(const std::vector<CodeLine>& code) const;

  void go_to_execution(const std::vector<CodeLine>& code, std::uint64_t count);

  // ---- stops

  [[nodiscard]] std::vector<CodeLine> lines_at(std::string_view place) const;

  unsigned add_breakpoint(std::string_view place, const BreakpointOptions& options);
  [[nodiscard]] std::vector<isa::SourcePosition> places_in(std::string_view file) const;

  unsigned add_watch(std::string_view name, std::string_view condition);
  void renumber(unsigned number, unsigned wanted);

  bool remove(unsigned number);

  [[nodiscard]] std::vector<Breakpoint> breakpoints() const;

  // ---- looking

  [[nodiscard]] isa::LongWord word(const WordPlace& place) const;

  [[nodiscard]] Value evaluate(const Expression& expression, const emulator::BlockStepper& block, const Focus& focus,
                               std::uint64_t run) const;
  [[nodiscard]] Value evaluate(const Expression& expression) const;

  /// A name with subscripts: a variable of a program in another language that has a word there, or else a symbol.
  [[nodiscard]] Reference find(std::string_view name, const std::vector<std::uint64_t>& subscripts,
                               const emulator::BlockStepper& block) const;
  [[nodiscard]] Reference resolve(std::string_view name) const;
  [[nodiscard]] std::vector<Symbol> locals() const;

  [[nodiscard]] std::vector<PlacedWord> everywhere(const Reference& reference, unsigned entry, bool all_blocks) const;

  [[nodiscard]] Origin why(const Reference& reference, unsigned depth) const;

  [[nodiscard]] const CodeLine& line_at(const Position& position) const;
  [[nodiscard]] const std::vector<CodeLine>& code(isa::Section section) const {
    return code_[static_cast<std::size_t>(section)];
  }
  void set_word(const Reference& reference, const Value& value);

  [[nodiscard]] std::optional<std::string> source_line(const isa::SourcePosition& place) const;

  [[nodiscard]] const Events& events() const;

  std::function<bool()> interrupted_;
  std::function<void(std::string_view text)> log_;
  Job job_;
  Symbols symbols_;
  Locals locals_;
  Recording recording_;
  Focus focus_;
  std::unique_ptr<Timeline> timeline_;

 private:
  /// What stands around a position: a use of a macro, or a call of a function that was put in there.
  struct Around {
    bool is_call = false;
    std::uint32_t index = 0;  // into Program::origins, of a call into Program::functions
    friend auto operator<=>(const Around&, const Around&) = default;
  };
  /// The lines of a section that were made from a use or a call, or into which its operations were moved.
  struct Use {
    Around around;
    isa::Section section = isa::Section::initialization;
    std::size_t first = 0;
    std::size_t last = 0;
  };
  /// Executions at which a breakpoint applies.
  struct Hits {
    enum class Kind : std::uint8_t { exactly, from, above, every };
    Kind kind = Kind::exactly;
    std::uint64_t number = 1;
    [[nodiscard]] bool hold(std::uint64_t execution) const;
  };
  struct Stopping {
    Breakpoint shown;
    std::vector<Clock::Line> lines;
    std::optional<Expression> condition;
    std::optional<Reference> watched;
    std::optional<Hits> hits;
  };

  /// A variable of a program in another language: its name there, and the subscripts that choose elements.
  struct NamedLocal {
    std::string name;
    std::span<const std::uint64_t> elements;
  };
  [[nodiscard]] std::optional<NamedLocal> local_named(std::string_view name,
                                                      std::span<const std::uint64_t> subscripts) const;

  void find_own_file();
  void find_uses();
  /// The calls and uses of macros that a source position comes from, the innermost first.
  [[nodiscard]] std::vector<Around> around(const isa::SourcePosition& place) const;
  [[nodiscard]] const isa::SourcePosition& position_of(const Around& around) const;
  [[nodiscard]] bool is_idle(const CodeLine& line) const;
  [[nodiscard]] static std::vector<Clock::Line> clock_lines(const std::vector<CodeLine>& code);
  [[nodiscard]] bool type2() const { return job_.program.is_type2(); }
  [[nodiscard]] bool interrupted() const { return interrupted_ && interrupted_(); }

  void start(Device& device) const;

  void record();

  /// The moment of another chip that has the same position as the chip of the focus.
  [[nodiscard]] Moment moment_on(unsigned chip) const;

  /// Goes to a moment. Returns nothing if it got there, or the reason for an earlier stop.
  std::optional<Stop> seek(Moment moment);

  /// Lines to which steps of this unit may go.
  [[nodiscard]] std::vector<Clock::Line> starts_of(StepUnit unit) const;
  /// True if a step of this unit may end at this moment.
  [[nodiscard]] bool begins(StepUnit unit, Moment moment) const;
  /// The innermost use of a macro, or call, that contains the line's own position; null: none.
  [[nodiscard]] const Use* innermost_use(const Position& here) const;
  [[nodiscard]] Moment next_of(StepUnit unit, Moment now) const;
  [[nodiscard]] Moment previous_of(StepUnit unit, Moment now) const;

  [[nodiscard]] bool is_file(std::uint32_t number, const std::filesystem::path& file, bool with_file) const;

  void set_condition(Stopping& stopping, std::string_view condition);

  static void require_single(const Reference& reference);

  /// A word of a PE. The record window belongs to the iteration only while that lasts.
  [[nodiscard]] isa::LongWord word_in(const emulator::BlockStepper& block, const WordPlace& place, unsigned pe) const;

  unsigned add(Stopping stopping);

  /// Lines at which the focus may have to stop.
  [[nodiscard]] std::vector<Clock::Line> stopping_lines() const;

  [[nodiscard]] static bool stands_at(const Stopping& stopping, const Position& here);

  /// True if a breakpoint, which is no watch, applies to the focus at the current position.
  [[nodiscard]] bool applies(const Stopping& stopping, const Position& here) const;
  /// The breakpoint at which the focus stops at the current position.
  [[nodiscard]] const Breakpoint* hit_here() const;
  /// Writes the texts of breakpoints that log at the current position.
  void write_logs() const;
  [[nodiscard]] static Hits hits_of(std::string_view text);
  /// The text with the value of EXPR in place of each {EXPR}.
  [[nodiscard]] bool has_words(const Expression& expression, isa::Section section, std::size_t line) const;
  [[nodiscard]] bool may_hold(const Stopping& stopping, const Position& here) const;
  [[nodiscard]] std::string filled_in(std::string_view text) const;

  [[nodiscard]] WordPlace watched_place(const Reference& reference) const;

  /// Executes the next line if it may change a watched word. Returns the change, if there is one.
  std::optional<Stop> watch_step();

  /// Calls `visit` for every active element of a block.
  template <class Visit>
  void for_each_element(unsigned chip, unsigned block, std::uint64_t run, Visit visit) const {
    for (unsigned pe = 0; pe < isa::kPesPerBlock; ++pe) {
      for (unsigned element = 0; element < isa::kVectorElements; ++element) {
        const Focus focus{chip, block, pe, element};
        if (!at_work(focus, run)) continue;
        visit(focus);
      }
    }
  }

  /// The first element of a block for which the condition of a breakpoint with `everywhere` holds at this line.
  [[nodiscard]] std::optional<std::pair<const Stopping*, Focus>> hit_in(const Timeline& timeline,
                                                                        const Position& here) const;

  /// If the condition of a breakpoint with `everywhere` holds between `from` and the current position, goes there.
  Stop anywhere(const Position& from, Stop stop);

  /// When going backwards, only the block of the focus is checked.
  [[nodiscard]] const Breakpoint* hit_everywhere();

  /// The number that expressions call `inf` or `nan`, as they are printed, unless the kernel has such a name.
  [[nodiscard]] std::optional<double> constant(std::string_view name) const;
  [[nodiscard]] Value place_value(std::string_view name, const emulator::BlockStepper& block, const Focus& focus,
                                  std::uint64_t run) const;

  /// Makes the function that finds what the host wrote to a word before a moment, and since which moment it is there.
  [[nodiscard]] HostWriter host_writer() const;

  std::vector<Clock> clocks_;
  std::array<std::vector<CodeLine>, isa::kSections> code_;
  std::vector<Use> uses_;
  std::uint32_t own_file_ = 0;  // the kernel's own file: of a compiled kernel that in the user's language
  std::vector<Stopping> stops_;
  unsigned numbers_ = 0;
  mutable std::optional<Events> events_;
};

}  // namespace gdr::debugger
