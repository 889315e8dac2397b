// Debugs a kernel at work on its data, as seen from one vector element of one PE: forwards, backwards, and to any pair
// of particles. It does no input or output: the command line, scripts and the server for editors use it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gdr/debugger/position.h"
#include "gdr/debugger/symbols.h"
#include "gdr/debugger/value.h"
#include "gdr/emulator/events.h"
#include "gdr/hostlib/device.h"

namespace gdr::debugger {

/// What is run, in the form that Device::run() takes.
struct Job {
  isa::Program program;
  std::vector<std::string> sources;  // text of the program's files; empty for a file that is not known
  DeviceOptions device;              // the engine in it is ignored
  std::vector<std::pair<std::string, double>> parameters;
  std::vector<std::uint64_t> i_fields;
  std::vector<std::uint64_t> j_fields;
  std::size_t records = 0;  // the `nj` of Device::run(): j-records, or turns of a Type II kernel
};

/// How far a step goes. `record` goes to the next iteration that has a j-record for the block of the focus. `over`
/// takes a line, or all lines of the uses of macros and calls of functions that begin with it. `out` goes to the line
/// after the innermost use or call, and by an iteration if there is none. Backwards, `over` and `out` go to where such
/// lines begin.
enum class StepUnit : std::uint8_t { line, iteration, record, run, over, out };
[[nodiscard]] std::optional<StepUnit> step_unit_named(std::string_view name);

enum class StopReason : std::uint8_t { step, breakpoint, watch, begin, end, fault, interrupted };

struct Stop {
  StopReason reason = StopReason::step;
  unsigned number = 0;  // number of the breakpoint or watch
  std::string text;     // for a watch the change, for a fault the reason
};

struct Breakpoint {
  unsigned number = 0;
  std::string place;      // FILE:LINE, or the name that a watch observes
  std::string condition;  // empty: none
  bool watch = false;     // stops after a line that changes the word in the focus
  // The condition is evaluated for every active element on all chips; the focus moves to one that meets it.
  bool everywhere = false;
  std::string hits;  // `N`, `>= N`, `> N` or `% N`: stops at these executions, counted from the begin; empty: at all
  std::string log;   // not empty: does not stop, but writes this text with the values of {EXPR}
};

/// How a breakpoint stops; see Breakpoint.
struct BreakpointOptions {
  std::string condition{};
  bool everywhere = false;
  std::string hits{};
  std::string log{};
};

/// A line of the program with all source positions whose operations it contains.
struct CodeLine {
  isa::Section section = isa::Section::initialization;
  std::size_t line = 0;
  std::vector<isa::SourcePosition> places;  // its own position first
  std::string text;                         // assembly text with raw registers
};

struct PlacedWord {
  Focus place;
  isa::LongWord word;
};

/// Where the value of a word comes from.
struct Origin {
  std::string name;  // name of the word
  std::string value;
  bool finite = true;
  std::optional<Position> written;  // position of the line that wrote it; none: the host wrote it, or nothing did
  std::string text;                 // what the host wrote, or that nothing wrote the word
  std::vector<Origin> operands;     // operands of the operation that wrote it
  std::vector<std::string> gates;   // flags that allowed the write
  // Later lines that would have written the word if a flag or mask had not prevented it.
  std::vector<Position> held_back;
};

class Debugger {
 public:
  /// The position is before the first line. Throws gdr::Error in the same cases as Device, before anything runs.
  explicit Debugger(Job job);
  ~Debugger();
  Debugger(Debugger&&) noexcept;
  Debugger& operator=(Debugger&&) noexcept;

  [[nodiscard]] const isa::Program& program() const;
  [[nodiscard]] const Symbols& symbols() const;
  [[nodiscard]] unsigned chips() const;

  // ---- where --------------------------------------------------------------------------------------------------------

  [[nodiscard]] const Focus& focus() const;
  /// The debugger is before this line; nothing at the end.
  [[nodiscard]] std::optional<Position> position() const;
  /// True if the block of the focus has a j-record in this iteration; always true outside the loop body.
  [[nodiscard]] bool jvalid() const;
  /// The i-particle of the focused element, and the j-record of its block; nothing if there is none.
  [[nodiscard]] std::optional<std::uint64_t> i_particle() const;
  [[nodiscard]] std::optional<std::uint64_t> j_record() const;
  /// Throws gdr::Error for a value out of range; the message names argument, value and range.
  void set_focus(const Focus& focus);
  /// Goes to the begin of the iteration in which this i-particle interacts with this j-record, and sets the focus to
  /// their element. Without `i` the PE and element stay the same; without `j` the chip, block and iteration do. Throws
  /// gdr::Error if a particle does not exist, and if a Type II kernel never combines the two.
  void go_to_pair(std::optional<std::uint64_t> i, std::optional<std::uint64_t> j);

  // ---- moving -------------------------------------------------------------------------------------------------------

  /// Executes `count` steps. Breakpoints are ignored.
  Stop step(StepUnit unit = StepUnit::line, std::uint64_t count = 1);
  Stop back(StepUnit unit = StepUnit::line, std::uint64_t count = 1);
  /// go_on() runs to the next stop or the end, go_back() to the last stop before or the begin.
  Stop go_on();
  Stop go_back();
  Stop go_to_begin();
  Stop go_to_end();
  /// Goes to the position where one of `lines` comes next for the `count`-th time from the begin. Throws gdr::Error if
  /// there are fewer times; the message says how many there are. Throws Fault if a fault happens before.
  void go_to_execution(const std::vector<CodeLine>& lines, std::uint64_t count);
  /// How often the chip of the focus executes these lines.
  [[nodiscard]] std::uint64_t executions(const std::vector<CodeLine>& lines) const;
  /// Sets a function that is called during long operations. If it returns true, the operation ends at the current
  /// position.
  void set_interrupt(std::function<bool()> interrupted);

  // ---- stops --------------------------------------------------------------------------------------------------------

  /// Lines of the program with operations from source position FILE:LINE, or from LINE of the kernel's own file. If
  /// that line uses a macro, the result is the first line made from the use. Throws gdr::Error if there is none; the
  /// message names the next lines with code.
  [[nodiscard]] std::vector<CodeLine> lines_at(std::string_view place) const;
  /// Both return the number of the new stop. They throw gdr::Error for a place without code and for a condition that
  /// cannot be evaluated.
  unsigned add_breakpoint(std::string_view place, std::string_view condition = {}, bool everywhere = false);
  /// The same with a number of hits or a text to log. Throws gdr::Error also if one of them is malformed or goes with
  /// `everywhere`.
  unsigned add_breakpoint(std::string_view place, const BreakpointOptions& options);
  /// Receives the texts of breakpoints that log while go_on() passes them.
  void set_log(std::function<void(std::string_view text)> log);
  /// Places of a file that have code, one for each source line, in order; empty if the program has no such file.
  [[nodiscard]] std::vector<isa::SourcePosition> places_in(std::string_view file) const;
  unsigned add_watch(std::string_view name, std::string_view condition = {});
  /// Gives a stop a number that no other has; later stops get larger ones.
  void renumber(unsigned number, unsigned wanted);
  /// False if there is no stop with this number.
  bool remove(unsigned number);
  [[nodiscard]] std::vector<Breakpoint> breakpoints() const;

  // ---- looking ------------------------------------------------------------------------------------------------------

  /// A word of the PE of the focus, or of its block. Throws gdr::Error for a word of a j-record outside the loop body.
  [[nodiscard]] isa::LongWord word(const WordPlace& place) const;
  /// Gives a word of the focus another value, from here on: whenever the debugger comes past this line again, forwards
  /// or after going back, the word gets this value. Throws gdr::Error for what is no word of registers or memories, and
  /// for a value that does not fit.
  void set_word(const Reference& reference, const Value& value);
  /// Value of an expression for the focused element. It may use the kernel's names, those of
  /// is_place_name(), and `inf` and `nan`.
  [[nodiscard]] Value evaluate(std::string_view expression) const;
  /// Looks up a name with subscripts, as the commands print and watch take it. Throws gdr::Error if it is unknown, and
  /// for a variable of a program in another language that has no word here.
  [[nodiscard]] Reference resolve(std::string_view name) const;
  /// The variables of a program in another language that have a word here, in the order in which they are computed.
  [[nodiscard]] std::vector<Symbol> locals() const;
  /// The word of one entry, at this moment, for all active elements of the focused block or of all blocks and chips.
  [[nodiscard]] std::vector<PlacedWord> everywhere(const Reference& reference, unsigned entry, bool all_blocks) const;
  /// The last write of a word in the focus and where its operands come from, up to `depth` lines back. Words that are
  /// not finite are followed, whatever the depth, to the line that made the first of them.
  [[nodiscard]] Origin why(const Reference& reference, unsigned depth = 1) const;

  /// All lines of a section.
  [[nodiscard]] const std::vector<CodeLine>& code(isa::Section section) const;
  /// The line that is executed next; nothing at the end.
  [[nodiscard]] std::optional<CodeLine> line() const;
  [[nodiscard]] CodeLine line_at(const Position& position) const;
  /// A line of a source file without its line break; nothing if the file or line is not known.
  [[nodiscard]] std::optional<std::string> source_line(const isa::SourcePosition& place) const;
  [[nodiscard]] const std::vector<std::string>& sources() const;

  /// Floating-point events of the whole run, as Device::events() tells them. The first call runs the job on the vector
  /// engine to find them.
  struct Events {
    emulator::FpEvents counts;
    std::vector<emulator::PlacedEvent> first;
    std::string fault;  // the fault that ended the run; empty if there was none
  };
  [[nodiscard]] const Events& events() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// True for the names of place and time of the element: $peid, $bbid, $chip, $element, $run, $iteration, $jvalid, $i
/// and $j. $i and $j are -1 if the element has no i-particle or j-record.
[[nodiscard]] bool is_place_name(std::string_view name);
/// All of them.
[[nodiscard]] std::span<const std::string_view> place_names();

/// `run 1, loop body, iteration 3, line 7`.
[[nodiscard]] std::string text_of(const Position& position);
/// `chip 0, block 3, PE 4, element 1`.
[[nodiscard]] std::string text_of(const Focus& focus);

}  // namespace gdr::debugger
