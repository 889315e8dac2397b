// A kernel at work on its data, looked at from one element of one PE: forwards, backwards, to any pair of particles. No
// input or output: the command line, scripts and the server for editors drive it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

/// What is run: as Device::run() takes it.
struct Job {
  isa::Program program;
  std::vector<std::string> sources;  // text of the program's files; empty ones are not known
  DeviceOptions device;              // the engine is not looked at
  std::vector<std::pair<std::string, double>> parameters;
  std::vector<std::uint64_t> i_fields;
  std::vector<std::uint64_t> j_fields;
  std::size_t records = 0;  // the `nj` of Device::run(): j-records, or turns of a kernel of Type II
};

/// How far a step leads. A record is the next iteration that has a j-record for the block of the focus; `over` is a
/// line, or all lines of the macros' uses that begin with it; `out` leads behind the innermost use of a macro, and is
/// an iteration where there is none. Backwards they lead to where such lines begin.
enum class StepUnit : std::uint8_t { line, iteration, record, run, over, out };
[[nodiscard]] std::optional<StepUnit> step_unit_named(std::string_view name);

enum class StopReason : std::uint8_t { step, breakpoint, watch, begin, end, fault, interrupted };

struct Stop {
  StopReason reason = StopReason::step;
  unsigned number = 0;  // of the breakpoint or watch
  std::string text;     // of a watch the change, of a fault the reason
};

struct Breakpoint {
  unsigned number = 0;
  std::string place;        // FILE:LINE, or the name of a watch
  std::string condition;    // empty: none
  bool watch = false;       // stops behind a line that changes the word of the focus
  bool everywhere = false;  // the condition is asked of every element at work, on all chips; the focus goes there
};

/// A line of the program with all places of the source whose operations it holds.
struct CodeLine {
  isa::Section section = isa::Section::initialization;
  std::size_t line = 0;
  std::vector<isa::SourcePosition> places;  // its own first
  std::string text;                         // assembly text, raw registers
};

struct PlacedWord {
  Focus place;
  isa::LongWord word;
};

/// Where a word comes from.
struct Origin {
  std::string name;  // of the word
  std::string value;
  bool finite = true;
  std::optional<Position> written;  // by this line; none: by the host, or never
  std::string text;                 // of what the host wrote, or that nobody did
  std::vector<Origin> operands;     // of the operation that wrote it
  std::vector<std::string> gates;   // flags that let it write
  std::vector<Position> held_back;  // lines behind `written` that would have written the word, but for a flag or mask
};

class Debugger {
 public:
  /// Stands before the first line. Throws gdr::Error as Device does, before anything runs.
  explicit Debugger(Job job);
  ~Debugger();
  Debugger(Debugger&&) noexcept;
  Debugger& operator=(Debugger&&) noexcept;

  [[nodiscard]] const isa::Program& program() const;
  [[nodiscard]] const Symbols& symbols() const;
  [[nodiscard]] unsigned chips() const;

  // ---- where --------------------------------------------------------------------------------------------------------

  [[nodiscard]] const Focus& focus() const;
  /// Before this line; nothing at the end.
  [[nodiscard]] std::optional<Position> position() const;
  /// Of the block of the focus in this iteration; true outside the loop body.
  [[nodiscard]] bool jvalid() const;
  /// The i-particle of the focused element and the j-record of its block; nothing where there is none.
  [[nodiscard]] std::optional<std::uint64_t> i_particle() const;
  [[nodiscard]] std::optional<std::uint64_t> j_record() const;
  /// Throws gdr::Error naming argument, value and range.
  void set_focus(const Focus& focus);
  /// To the begin of the iteration in which this i-particle meets this j-record, at their element. Without `i` the PE
  /// and element stay, without `j` the chip, block and iteration. Throws gdr::Error for particles that there are not,
  /// and where a kernel of Type II never brings the two together.
  void go_to_pair(std::optional<std::uint64_t> i, std::optional<std::uint64_t> j);

  // ---- moving -------------------------------------------------------------------------------------------------------

  /// `step` does not look at breakpoints.
  Stop step(StepUnit unit = StepUnit::line, std::uint64_t count = 1);
  Stop back(StepUnit unit = StepUnit::line, std::uint64_t count = 1);
  /// To the next stop, or the end; and to the last one before, or the begin.
  Stop go_on();
  Stop go_back();
  Stop go_to_begin();
  Stop go_to_end();
  /// To the `count`-th time from the begin that one of the lines comes next. Throws gdr::Error saying how often it
  /// does.
  /// Throws Fault where one comes before.
  void go_to_execution(const std::vector<CodeLine>& lines, std::uint64_t count);
  /// How often the chip of the focus executes them.
  [[nodiscard]] std::uint64_t executions(const std::vector<CodeLine>& lines) const;
  /// Asked while something takes long; true ends it where it stands.
  void set_interrupt(std::function<bool()> interrupted);

  // ---- stops --------------------------------------------------------------------------------------------------------

  /// Lines whose operations stand at FILE:LINE, or at LINE of the kernel's own file; of a line that uses a macro the
  /// first one that it became. Throws gdr::Error naming the next lines with code if none does.
  [[nodiscard]] std::vector<CodeLine> lines_at(std::string_view place) const;
  /// Throws gdr::Error for a place without code and a condition that cannot be evaluated.
  unsigned add_breakpoint(std::string_view place, std::string_view condition = {}, bool everywhere = false);
  unsigned add_watch(std::string_view name, std::string_view condition = {});
  /// False if there is none of this number.
  bool remove(unsigned number);
  [[nodiscard]] std::vector<Breakpoint> breakpoints() const;

  // ---- looking ------------------------------------------------------------------------------------------------------

  /// A word of the PE of the focus, or of its block. Throws gdr::Error for one of a j-record outside the loop body.
  [[nodiscard]] isa::LongWord word(const WordPlace& place) const;
  /// Of the focused element. Names are the kernel's and those of is_place_name().
  [[nodiscard]] Value evaluate(std::string_view expression) const;
  /// Names with subscripts as print and watch take them. Throws gdr::Error.
  [[nodiscard]] Reference resolve(std::string_view name) const;
  /// One entry in all elements at work, of the block of the focus or of all blocks and chips, at this moment.
  [[nodiscard]] std::vector<PlacedWord> everywhere(const Reference& reference, unsigned entry, bool all_blocks) const;
  /// The last write of a word of the focus and where its operands come from, `depth` lines back; words that are not
  /// finite are followed to the line that made the first of them, whatever the depth.
  [[nodiscard]] Origin why(const Reference& reference, unsigned depth = 1) const;

  /// The line that comes next; nothing at the end.
  [[nodiscard]] std::optional<CodeLine> line() const;
  [[nodiscard]] CodeLine line_at(const Position& position) const;
  /// A line of a source file, without its end; nothing if it is not known.
  [[nodiscard]] std::optional<std::string> source_line(const isa::SourcePosition& place) const;
  [[nodiscard]] const std::vector<std::string>& sources() const;

  /// Floating-point events of the whole run, found on the vector engine at the first call.
  struct Events {
    emulator::FpEvents counts;
    std::vector<emulator::PlacedEvent> first;
    std::string fault;  // what ended the run, if anything did
  };
  [[nodiscard]] const Events& events() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// True for $peid, $bbid, $chip, $element, $run, $iteration, $jvalid, $i and $j: where the element is, and when. $i and
/// $j are -1 where it has no i-particle or j-record.
[[nodiscard]] bool is_place_name(std::string_view name);

/// `run 1, loop body, iteration 3, line 7`.
[[nodiscard]] std::string text_of(const Position& position);
/// `chip 0, block 3, PE 4, element 1`.
[[nodiscard]] std::string text_of(const Focus& focus);

}  // namespace gdr::debugger
