// Expands blocks and substitutes text. In a line, {expression} is replaced by the decimal digits of its value. Inside a
// macro, a parameter's name as a whole word or in braces is replaced by the argument's text.
#include "expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "experiment_form.h"
#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/isa/experiment.h"
#include "habits.h"
#include "included_file.h"
#include "macros.h"
#include "source_limits.h"
#include "source_text.h"

namespace gdr::assembler {
namespace {

// Limits far beyond any kernel: LM holds 512 short words, a loop has some hundred lines.
constexpr std::size_t kMostStatements = 16384;
constexpr std::size_t kMostFiles = 64;

/// Names that the lines of a block can use.
struct Scope {
  Constants constants;
  std::map<std::string, std::string, std::less<>> arguments;  // arguments of the macro in use
  std::map<std::string, Place, std::less<>> defined_here;     // constants of this block, not of those around it
  std::uint32_t origin = 0;
  int depth = 0;
  bool in_macro = false;
  unsigned registers_end =
      isa::kGprShortWords;  // where the registers of the macros in use begin: they fill the GPR from its end
};

class Expander {
 public:
  Expander(std::vector<SourceFile>& files, const AssembleOptions& options, Reporter& reporter)
      : files_(files), options_(options), reporter_(reporter) {
    for (const auto& [name, value] : options.definitions) {
      if (const auto number = whole_number(value)) definitions_[name] = *number;
    }
  }

  Expansion run() {
    Scope scope;
    scope.constants = definitions_;
    including_.push_back(identity_of(files_[0].name));
    expand_block(read_lines(0), scope);
    end_experiment();
    report_unused_definitions();
    return std::move(expansion_);
  }

 private:
  /// Reports definitions that the source does not use; not if there are errors, because the lines left out may use
  /// them.
  void report_unused_definitions() {
    if (reporter_.has_errors()) return;
    for (const auto& [name, value] : options_.definitions) {
      if (seen_words_.contains(name)) continue;
      reporter_.error(Code::unknown_name, {{0, 1, 1, 1}},
                      fmt::format("-D {}={}: the source never uses '{}'{}", name, value, name,
                                  suggestion(name, {definable_.begin(), definable_.end()})));
    }
  }

  /// Reports a statement that the grammar rejected, unless the error follows from a definition that was rejected
  /// before.
  void refuse(const SyntaxError& failure, const Place& where, std::string_view text) {
    if (failure.code == Code::unknown_name) {
      const std::string name(text.substr(failure.span.begin, failure.span.length));
      if (broken_.contains(name)) return;
      const auto given = options_.definitions.find(name);
      if (given != options_.definitions.end()) return refuse_definition(name, where);
    }
    if (failure.code == Code::syntax) return refuse_syntax(failure, where, text);
    reporter_.error(failure.code, where, failure.message);
  }

  /// Adds a hint about syntax of other assemblers.
  void refuse_syntax(const SyntaxError& failure, const Place& where, std::string_view text) {
    const std::string_view rest = text.substr(std::min<std::size_t>(failure.span.begin, text.size()));
    if (rest.empty() && failure.message == "expected a blank, but the line ends") {
      const std::size_t end = text.find_last_not_of(" \t") + 1;
      const std::size_t begin = text.substr(0, end).find_last_of(" \t;") + 1;  // 0 if there is none
      const std::string_view last = text.substr(begin, end - begin);
      reporter_.error(failure.code, where, fmt::format("'{}' needs something after it, but the line ends", last));
      return;
    }
    const bool operand = failure.message.starts_with("expected an operand");
    const bool separator = rest.starts_with(",") && failure.message.starts_with("expected");
    const Habit habit = operand || separator ? habit_of(rest) : Habit();
    if (!reporter_.error(failure.code, where, failure.message + habit.hint) || habit.length == 0) return;
    const std::string_view old = rest.substr(0, habit.length);
    reporter_.fix(
        habit.replacement.empty() ? fmt::format("leave '{}' out", old) : fmt::format("write '{}'", habit.replacement),
        where, old, habit.replacement);
  }

  void refuse_definition(const std::string& name, const Place& where) {
    const std::string& value = options_.definitions.find(name)->second;
    broken_.insert(name);
    reporter_.error(Code::expression, where,
                    fmt::format("-D {}={}: '{}' is no whole number of 64 bits", name, value, value));
  }

  [[nodiscard]] Place place(const SourceLine& line, const Scope& scope) const {
    const auto begin = static_cast<std::uint32_t>(std::min(line.text.find_first_not_of(" \t"), line.text.size()));
    const auto length = std::max<std::size_t>(1, line.text.size() - begin);
    return {{line.file, line.number, begin + 1, static_cast<std::uint32_t>(length)}, scope.origin};
  }

  /// The lines of a file, whose names are noted.
  BlockLines read_lines(std::uint32_t file) {
    FileLines read = lines_of(files_[file].text, file, reporter_);
    for (std::vector<std::string>& words : read.broken) {
      expansion_.entries.emplace_back(Expansion::Gap{std::move(words), true, true});
    }
    for (const SourceLine& line : read.lines) {
      const std::vector<std::string> words = words_of(line.text);
      seen_words_.insert(words.begin(), words.end());
      if (words.size() > 1 && (words[0] == "const" || words[0] == "param")) definable_.insert(words[1]);
    }
    return std::move(read.lines);
  }

  /// True while there is room for one more line; reports an error the first time there is none.
  bool room(const Place& where) {
    if (++statements_ == kMostStatements) {
      reporter_.error(Code::too_long, where, fmt::format("the program expands to more than {} lines", kMostStatements));
    }
    return statements_ < kMostStatements;
  }

  void gap(const std::string& text) {
    expansion_.entries.emplace_back(Expansion::Gap{words_of(text), in_section_, false});
  }

  void expand_block(const BlockLines& lines, Scope& scope) {
    for (std::size_t at = 0; at < lines.size(); ++at) {
      if (!room(place(lines[at], scope))) return;
      expand_line(lines, at, scope);
    }
  }

  /// Handles the line at `at`, and moves `at` to the last line that belongs to it.
  void expand_line(const BlockLines& lines, std::size_t& at, Scope& scope) {
    const SourceLine& line = lines[at];
    const std::string head = first_word(line.text);
    const auto macro = macros_.find(head);
    ExpandedStatement expanded;
    expanded.where = place(line, scope);
    // The body of a macro is substituted only when the macro is used.
    if (!substitute(line, scope, expanded)) {
      if (opens_block(head)) at = end_of_block(lines, at).end;
      return gap(line.text);
    }
    if (macro != macros_.end()) return use_macro(macro->first, macro->second, expanded, scope);
    if (refuse_block_word(line, scope)) return gap(line.text);
    if (refuse_misspelled(lines, at, head, expanded)) return;
    if (head == "reg" && scope.in_macro && in_section_ && !name_local_register(expanded, scope)) return gap(line.text);
    auto parsed = parse_statement(expanded.text, scope.constants);
    if (const auto* failure = std::get_if<SyntaxError>(&parsed)) {
      if (nameless_macros_.contains(word_at(line.text, 0))) return gap(line.text);
      refuse(*failure, expanded.place(failure->span), expanded.text);
      note_broken_constant(line.text);
      if (head == "macro") nameless_macros_.insert(word_at(line.text, line.text.find(head) + head.size()));
      if (opens_block(head)) at = end_of_block(lines, at).end;
      return gap(line.text);
    }
    expanded.statement = std::get<Statement>(std::move(parsed));
    if (const auto* section = std::get_if<SectionStatement>(&expanded.statement)) {
      in_section_ = true;
      if (section->experiment || experiment_at_) return begin_experiment_section(*section, line, std::move(expanded));
    }
    note_declared(expanded.statement);
    if (opens_block(head)) return expand_head(lines, at, expanded, scope);
    if (const auto* constant = std::get_if<ConstantStatement>(&expanded.statement)) {
      // A definition given from outside replaces the one in the source.
      const std::string& name = constant->name.text;
      if (options_.definitions.contains(name) && !definitions_.contains(name)) {
        if (!broken_.contains(name)) refuse_definition(name, expanded.place(constant->value.span));
        return;
      }
      if (!definitions_.contains(name)) define_constant(*constant, expanded, scope);
    } else if (const auto* included = std::get_if<IncludeStatement>(&expanded.statement)) {
      include(*included, expanded, scope);
    } else if (std::holds_alternative<EndStatement>(expanded.statement) ||
               std::holds_alternative<ElseStatement>(expanded.statement)) {
      reporter_.error(Code::block, expanded.where, fmt::format("'{}' without a block that it belongs to", head));
    } else {
      expansion_.entries.emplace_back(std::move(expanded));
    }
  }

  /// A block may give a name of its own another value than around it; within one block a name has one value.
  void define_constant(const ConstantStatement& constant, const ExpandedStatement& at, Scope& scope) {
    const std::string& name = constant.name.text;
    const Place where = at.place(constant.name.span);
    const auto [earlier, fresh] = scope.defined_here.emplace(name, where);
    if (!fresh && scope.constants[name] != constant.value.value) {
      if (reporter_.error(Code::duplicate_name, where,
                          fmt::format("constant '{}' is {} already, and cannot become {}", name, scope.constants[name],
                                      constant.value.value))) {
        reporter_.note(earlier->second, "it was defined here");
      }
      return;
    }
    scope.constants[name] = constant.value.value;
  }

  void note_declared(const Statement& statement) {
    const auto note = [&](const Word& word) { declared_.insert(word.text); };
    if (const auto* kernel = std::get_if<KernelStatement>(&statement)) is_experiment_ = kernel->experiment;
    if (const auto* variable = std::get_if<Declaration>(&statement)) {
      note(variable->name);
      if (!experiment_at_) experiment_.note(*variable);
    }
    if (const auto* parameter = std::get_if<ParameterStatement>(&statement)) note(parameter->name);
    if (const auto* named = std::get_if<RegisterStatement>(&statement)) note(named->name);
  }

  // ---- kernels of experiments --------------------------------------------------------------------------------------

  /// Adds lines as if they stood in the source at the place of `experiment_at_`.
  void add_lines(const std::vector<std::string>& texts) {
    BlockLines lines;
    for (const std::string& text : texts) lines.push_back({text, experiment_at_->file, experiment_at_->number});
    Scope scope;
    scope.constants = definitions_;
    expand_block(lines, scope);
  }

  /// The header of a section in a kernel of experiments. Before the first one stand the declarations of the form, and
  /// after each its own lines. Those behind the lines of the section before come first.
  void begin_experiment_section(const SectionStatement& section, const SourceLine& line, ExpandedStatement expanded) {
    if (!section.experiment || !is_experiment_) {
      reporter_.error(
          Code::misplaced, expanded.where,
          section.experiment
              ? fmt::format("'{}' stands in a kernel of experiments: begin it with 'kernel NAME experiment'",
                            isa::experiment_name_of(section.section))
              : fmt::format("'{}' does not stand beside '{}'; write '{}'", isa::name_of(section.section),
                            experiment_at_->text, isa::experiment_name_of(section.section)));
      expansion_.entries.emplace_back(std::move(expanded));
      return;
    }
    const bool first = !experiment_at_;
    if (!first) add_lines(experiment_.closing(experiment_section_));
    experiment_at_ = line;
    experiment_section_ = section.section;
    if (first) {
      in_section_ = false;
      adding_declarations_ = true;
      add_lines(experiment_.declarations());
      adding_declarations_ = false;
      in_section_ = true;
    }
    experiment_begun_.insert(section.section);
    expansion_.entries.emplace_back(std::move(expanded));
    add_lines(experiment_.opening(section.section));
  }

  /// Ends the last section of a kernel of experiments, and adds sections that the source leaves out.
  void end_experiment() {
    if (!experiment_at_) return;
    add_lines(experiment_.closing(experiment_section_));
    for (std::size_t number = 0; number < isa::kSections; ++number) {
      const auto section = static_cast<isa::Section>(number);
      if (experiment_begun_.contains(section)) continue;
      ExpandedStatement header;
      header.statement = SectionStatement{section, {}, true};
      header.text = isa::experiment_name_of(section);
      header.where = place(*experiment_at_, {});
      header.columns.assign(header.text.size() + 1, header.where.range.column);
      expansion_.entries.emplace_back(std::move(header));
      add_lines(experiment_.opening(section));
      add_lines(experiment_.closing(section));
    }
  }

  /// Gives a register in a macro's body a name that is unique to this use; `reg NAME [vector|scalar] short|long` takes
  /// the next free register. Uses one after another share registers; a use inside another one has registers of its own.
  /// Returns false if the register is rejected.
  bool name_local_register(ExpandedStatement& at, Scope& scope) {
    const auto begin = static_cast<std::uint32_t>(at.text.find("reg"));
    std::vector<std::string> words;
    for (std::size_t next = at.text.find_first_not_of(" \t", begin); next < at.text.size();) {
      const std::size_t end = std::min(at.text.find_first_of(" \t", next), at.text.size());
      words.push_back(at.text.substr(next, end - next));
      next = std::min(at.text.find_first_not_of(" \t", end), at.text.size());
    }
    if (words.size() < 3) return true;  // the grammar reports what is missing
    std::string chosen = words[2];
    const bool shaped = words.size() == 4 && (chosen == "vector" || chosen == "scalar");
    const std::string& width = shaped ? words[3] : words[2];
    if (width == "short" || width == "long") {
      const bool vector = !shaped || chosen == "vector";
      const unsigned step = width == "long" ? 2 : 1;
      const unsigned words_taken = step * (vector ? isa::kVectorElements : 1);
      if (words_taken > scope.registers_end) {
        reporter_.error(Code::memory_full, at.where,
                        fmt::format("the macros in use take more registers than the {} short words of the GPR",
                                    isa::kGprShortWords));
        return false;
      }
      scope.registers_end = (scope.registers_end - words_taken) / step * step;
      chosen = fmt::format("${}r{}{}", step == 2 ? "l" : "", scope.registers_end, vector ? "v" : "");
    } else if (words.size() != 3) {
      return true;
    }
    at.local_name = words[1];
    const std::string own = fmt::format("{}__{}", words[1], ++local_registers_);
    scope.arguments[words[1]] = own;
    // One position for the whole line: errors in it are reported there.
    at.text = fmt::format("reg {} {}", own, chosen);
    at.columns.assign(at.text.size() + 1, at.where.range.column);
    return true;
  }

  static bool opens_block(const std::string& head) { return head == "repeat" || head == "if" || head == "macro"; }

  struct Block {
    std::size_t end;        // index of the line with 'end', or of the last line
    std::size_t otherwise;  // index of 'else', or `end`
    bool closed;
    std::size_t second_else = 0;  // index of an 'else' behind the first one; 0: none
  };

  static Block end_of_block(const BlockLines& lines, std::size_t head) {
    int depth = 0;
    std::size_t otherwise = 0;
    std::size_t second = 0;
    for (std::size_t at = head; at < lines.size(); ++at) {
      const std::string word = first_word(lines[at].text);
      if (opens_block(word)) ++depth;
      if (word == "else" && depth == 1) {
        if (otherwise != 0 && second == 0) second = at;
        if (otherwise == 0) otherwise = at;
      }
      if (word == "end" && --depth == 0) return {at, otherwise == 0 ? at : otherwise, true, second};
    }
    return {lines.size() - 1, otherwise == 0 ? lines.size() - 1 : otherwise, false};
  }

  /// Refuses a word with which another language begins, divides or ends a block. True if the line begins with one.
  bool refuse_block_word(const SourceLine& line, const Scope& scope) {
    const std::string word = first_word(line.text);
    const std::string habit = habit_of_block(word);
    if (habit.empty() || macros_.contains(word)) return false;
    Place where = place(line, scope);
    where.range.column = static_cast<std::uint32_t>(line.text.find(word) + 1);
    where.range.length = static_cast<std::uint32_t>(word.size());
    reporter_.error(Code::block, where,
                    fmt::format("'{}' is no word of the language: an 'if' knows 'else' and 'end'; {}", word, habit));
    return true;
  }
  /// The same for all lines of a block, those that would not be read included.
  bool refuse_block_words(const BlockLines& lines, const Scope& scope) {
    bool refused = false;
    for (const SourceLine& line : lines) refused = refuse_block_word(line, scope) || refused;
    return refused;
  }

  /// The text from `at` on up to a blank, without those before it.
  static std::string word_at(std::string_view text, std::size_t at) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t", at), text.size());
    return std::string(text.substr(begin, text.find_first_of(" \t", begin) - begin));
  }

  /// The statement that a line with this unknown first word is likely to be; empty if an operation or a macro is
  /// nearer.
  [[nodiscard]] std::string misspelled_statement(const std::string& head) const {
    const auto statements = isa::language_words(isa::WordRole::statement);
    const auto items = isa::language_words(isa::WordRole::item);
    const auto is_in = [&](const auto& words, const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    };
    if (head.empty() || isa::op_named(head) || is_in(statements, head) || is_in(items, head)) return {};
    if (!habit_of_operation(head).hint.empty()) return {};
    std::vector<std::string> known(statements.begin(), statements.end());
    known.insert(known.end(), items.begin(), items.end());
    for (const isa::OperationInfo& info : isa::operations()) known.emplace_back(info.mnemonic);
    for (const auto& [name, macro] : macros_) known.push_back(name);
    std::string found = nearest(head, known);
    return is_in(statements, found) ? found : std::string();
  }

  /// Refuses a line with a misspelled first word, and takes its names and its block for what they were meant to be: the
  /// lines that use or end them are no errors of their own.
  bool refuse_misspelled(const BlockLines& lines, std::size_t& at, const std::string& head,
                         const ExpandedStatement& line) {
    const std::string meant = misspelled_statement(head);
    if (meant.empty()) return false;
    const std::optional<std::size_t> end = opens_block(meant) ? end_of_misspelled_block(lines, at) : std::nullopt;
    if (in_section_ && !end) return false;  // the operation is unknown
    const auto begin = static_cast<std::uint32_t>(line.text.find(head));
    const Place where = line.place({begin, static_cast<std::uint32_t>(head.size())});
    reporter_.error(
        Code::unknown_operation, where,
        fmt::format("'{}' begins no {}; did you mean '{}'?", head, in_section_ ? "line" : "declaration", meant));
    reporter_.fix_name(where, head, {meant});
    const std::string rest = line.text.substr(begin + head.size());
    gap(meant + rest);
    if (!end) return true;
    if (meant == "macro") nameless_macros_.insert(word_at(rest, 0));
    for (++at; at < *end; ++at) {
      if (meant != "macro") gap(lines[at].text);
    }
    return true;
  }

  /// The line that ends the block of a misspelled head; nothing if there is no `end` for it.
  static std::optional<std::size_t> end_of_misspelled_block(const BlockLines& lines, std::size_t head) {
    int depth = 1;
    for (std::size_t at = head + 1; at < lines.size(); ++at) {
      const std::string word = first_word(lines[at].text);
      if (opens_block(word)) ++depth;
      if (word == "end" && --depth == 0) return at;
    }
    return std::nullopt;
  }

  /// Requires that an `end` or `else`, which is not read as a statement, is alone on its line.
  void require_alone(const SourceLine& line) {
    const std::string word = first_word(line.text);
    const std::size_t rest = line.text.find_first_not_of(" \t", line.text.find(word) + word.size());
    if (rest == std::string::npos) return;
    const auto length = static_cast<std::uint32_t>(line.text.size() - rest);
    reporter_.error(Code::syntax, {{line.file, line.number, static_cast<std::uint32_t>(rest + 1), length}},
                    fmt::format("nothing follows '{}' on its line", word));
  }

  void expand_head(const BlockLines& lines, std::size_t& at, const ExpandedStatement& head, Scope& scope) {
    const Block block = end_of_block(lines, at);
    const auto slice = [&](std::size_t first, std::size_t last) {
      return BlockLines(lines.begin() + static_cast<std::ptrdiff_t>(std::min(first, last)),
                        lines.begin() + static_cast<std::ptrdiff_t>(last));
    };
    const std::size_t begin = at + 1;
    at = block.end;
    if (!block.closed) {
      // An 'End' or 'endif' is the error then.
      if (!refuse_block_words(slice(begin, lines.size()), scope)) {
        reporter_.error(Code::block, head.where, "the block has no 'end'");
      }
      return;
    }
    require_alone(lines[block.end]);
    if (block.otherwise != block.end) require_alone(lines[block.otherwise]);
    if (scope.depth >= kDeepestNesting) {
      reporter_.error(Code::too_long, head.where, fmt::format("blocks nest deeper than {}", kDeepestNesting));
      return;
    }
    Scope inner = scope;
    ++inner.depth;
    inner.defined_here.clear();
    if (const auto* conditional = std::get_if<IfStatement>(&head.statement)) {
      if (block.second_else != 0) {
        if (reporter_.error(Code::block, place(lines[block.second_else], scope),
                            "the block has an 'else' already; write 'if' within the other branch")) {
          reporter_.note(place(lines[block.otherwise], scope), "this is the block's 'else'");
        }
        for (const SourceLine& line : slice(begin, block.end)) gap(line.text);
        return;
      }
      if (refuse_block_words(slice(begin, block.end), scope)) {
        for (const SourceLine& line : slice(begin, block.end)) gap(line.text);
        return;
      }
      if (conditional->condition.value != 0) {
        expand_block(slice(begin, block.otherwise), inner);
      } else if (block.otherwise != block.end) {
        expand_block(slice(block.otherwise + 1, block.end), inner);
      }
      return;
    }
    if (const auto* macro = std::get_if<MacroStatement>(&head.statement)) {
      return define_macro(macros_, *macro, slice(begin, block.end), head, reporter_);
    }
    const auto& repeat = std::get<RepeatStatement>(head.statement);
    const BlockLines body = slice(begin, block.end);
    for (std::int64_t index = repeat.first.value; index <= repeat.last.value; ++index) {
      if (!room(head.where)) return;
      inner.constants[repeat.index.text] = index;
      inner.defined_here.clear();
      inner.origin = reporter_.add_origin(
          {Reporter::Origin::Kind::turn, head.where, fmt::format("with {} = {}", repeat.index.text, index), {}});
      expand_block(body, inner);
    }
  }

  void use_macro(const std::string& name, const Macro& macro, const ExpandedStatement& use, const Scope& scope) {
    const auto arguments = arguments_of(name, macro, use, reporter_);
    if (!arguments) return gap(use.text);
    if (scope.depth >= kDeepestNesting) {
      reporter_.error(Code::too_long, use.where, fmt::format("macros and blocks nest deeper than {}", kDeepestNesting));
      return gap(use.text);
    }
    Scope inner = scope;
    ++inner.depth;
    inner.arguments.clear();
    inner.origin = reporter_.add_origin(
        {Reporter::Origin::Kind::macro, use.where, fmt::format("macro '{}' is used here", name), name});
    inner.in_macro = true;
    for (std::size_t index = 0; index < arguments->size(); ++index) {
      inner.arguments[macro.parameters[index]] = (*arguments)[index];
      if (const auto number = whole_number((*arguments)[index])) inner.constants[macro.parameters[index]] = *number;
    }
    const BlockLines body = macro.body;  // a macro may define macros, which moves the table's entries
    expand_block(body, inner);
  }

  void include(const IncludeStatement& statement, const ExpandedStatement& head, Scope& scope) {
    const Place where = head.place(statement.path.span);
    // The form's own macros are those that come with gdr, whatever stands beside the source.
    const auto found = adding_declarations_ ? base::find_data_file(kMacros / kExperimentFile)
                                            : find_included(statement.path.text, files_[head.where.range.file].name,
                                                            options_, where, reporter_);
    if (!found) return report_no_macros(where);
    const std::filesystem::path& path = *found;
    const std::filesystem::path identity = identity_of(path);
    if (std::find(including_.begin(), including_.end(), identity) != including_.end()) {
      reporter_.error(Code::include, where, fmt::format("'{}' includes itself", path.string()));
      return;
    }
    if (scope.depth >= kDeepestNesting || files_.size() >= kMostFiles) {
      reporter_.error(Code::include, where, fmt::format("files include each other more than {} times", kMostFiles));
      return;
    }
    try {
      const auto unsaved = options_.unsaved.find(identity);
      files_.push_back({path.string(), unsaved != options_.unsaved.end() ? unsaved->second : base::read_file(path)});
    } catch (const Error& error) {
      reporter_.error(Code::include, where, error.what());
      return;
    }
    Scope inner = scope;
    ++inner.depth;
    inner.origin = reporter_.add_origin(
        {Reporter::Origin::Kind::include, head.where, fmt::format("'{}' is included here", statement.path.text), {}});
    including_.push_back(identity);
    expand_block(read_lines(static_cast<std::uint32_t>(files_.size() - 1)), inner);
    including_.pop_back();
    scope.constants = inner.constants;  // what a file defines is known behind the include
    scope.defined_here = inner.defined_here;
  }

  void report_no_macros(const Place& where) {
    if (!adding_declarations_) return;  // it is reported
    reporter_.error(
        Code::include, where,
        fmt::format("'{}' is not found among the files that come with gdr", (kMacros / kExperimentFile).string()));
  }

  /// The name that a `const` line would have declared: nothing is reported that only follows from its error.
  void note_broken_constant(std::string_view text) {
    const std::vector<std::string> words = words_of(text);
    if (words.size() > 1 && words.front() == "const") broken_.insert(words[1]);
  }

  struct Question {
    bool known = false;
    std::size_t end = 0;  // behind it
  };

  /// `defined(NAME)`: whether a constant, a definition of the options, a macro, a macro's parameter or a declaration
  /// above has the name.
  [[nodiscard]] std::optional<Question> defined_at(std::string_view text, std::size_t at, const Scope& scope) const {
    const auto skip_blanks = [&] {
      while (at < text.size() && is_blank(text[at])) ++at;
    };
    at += std::string_view("defined").size();
    skip_blanks();
    if (at >= text.size() || text[at] != '(') return std::nullopt;
    ++at;
    skip_blanks();
    const std::size_t begin = at;
    while (at < text.size() && is_word_character(text[at])) ++at;
    const std::string name(text.substr(begin, at - begin));
    skip_blanks();
    if (name.empty() || at >= text.size() || text[at] != ')') return std::nullopt;
    const bool known = scope.constants.contains(name) || scope.arguments.contains(name) || macros_.contains(name) ||
                       options_.definitions.contains(name) || declared_.contains(name);
    return Question{known, at + 1};
  }

  /// An expression with the answers in place of its questions.
  [[nodiscard]] std::string with_defined(std::string_view text, const Scope& scope) const {
    std::string answered;
    for (std::size_t at = 0; at < text.size();) {
      std::size_t end = at;
      while (end < text.size() && is_word_character(text[end])) ++end;
      const auto question =
          text.substr(at, end - at) == "defined" ? defined_at(text, at, scope) : std::optional<Question>();
      if (question) {
        answered += question->known ? '1' : '0';
        at = question->end;
        continue;
      }
      end = std::max(end, at + 1);
      answered += text.substr(at, end - at);
      at = end;
    }
    return answered;
  }

  /// True if the word stands before the one '=' of an argument by name.
  static bool is_argument_name(std::string_view text, std::size_t begin, std::size_t end) {
    const bool follows_blank = begin > 0 && is_blank(text[begin - 1]);
    return follows_blank && end < text.size() && text[end] == '=' && (end + 1 >= text.size() || text[end + 1] != '=');
  }

  /// Writes the line's text with braces and macro parameters replaced; false if something in braces is wrong.
  bool substitute(const SourceLine& line, const Scope& scope, ExpandedStatement& out) {
    const std::string& text = line.text;
    const bool uses_macro = macros_.contains(first_word(text));
    bool quoted = false;
    const auto append = [&](std::string_view added, std::size_t column) {
      for (const char c : added) {
        out.text += c;
        out.columns.push_back(static_cast<std::uint32_t>(column + 1));
      }
    };
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] == '"') quoted = !quoted;
      if (text[at] == '{') {
        const std::size_t end = text.find('}', at);
        const auto length = static_cast<std::uint32_t>(std::min(end, text.size()) - at);
        const Place where{{line.file, line.number, static_cast<std::uint32_t>(at + 1), length}, scope.origin};
        if (end == std::string::npos) {
          reporter_.error(Code::syntax, where, "'{' without '}'");
          return false;
        }
        const std::string inner = with_defined(std::string_view(text).substr(at + 1, end - at - 1), scope);
        if (const auto argument = scope.arguments.find(inner); argument != scope.arguments.end()) {
          append(argument->second, at);
        } else {
          const auto value = evaluate(inner, scope.constants);
          if (const auto* failure = std::get_if<SyntaxError>(&value)) {
            refuse(*failure, where, inner);
            note_broken_constant(text);
            return false;
          }
          append(fmt::format("{}", std::get<std::int64_t>(value)), at);
        }
        at = end + 1;
        continue;
      }
      std::size_t end = at;
      while (end < text.size() && is_word_character(text[end])) ++end;
      // Before a quote stands the form of an immediate.
      const bool starts_word = end > at && (at == 0 || (!is_word_character(text[at - 1]) && text[at - 1] != '$')) &&
                               (end >= text.size() || text[end] != '"');
      if (starts_word && !quoted && text.compare(at, end - at, "defined") == 0) {
        if (const auto question = defined_at(text, at, scope)) {
          append(question->known ? "1" : "0", at);
          at = question->end;
          continue;
        }
      }
      const bool names_parameter = uses_macro && is_argument_name(text, at, end);
      const auto argument = starts_word && !quoted && !names_parameter ? scope.arguments.find(text.substr(at, end - at))
                                                                       : scope.arguments.end();
      if (argument != scope.arguments.end()) {
        append(argument->second, at);
      } else {
        end = std::max(end, at + 1);
        for (std::size_t c = at; c < end; ++c) append(text.substr(c, 1), c);
      }
      at = end;
    }
    out.columns.push_back(static_cast<std::uint32_t>(text.size() + 1));
    if (out.text.size() > kLongestLine) {
      reporter_.error(Code::too_long, out.where,
                      fmt::format("the line expands to more than {} characters", kLongestLine));
      return false;
    }
    return out.text.find_first_not_of(" \t") != std::string::npos;
  }

  std::vector<SourceFile>& files_;
  const AssembleOptions& options_;
  Reporter& reporter_;
  Constants definitions_;                         // of the options, those that are whole numbers
  std::set<std::string> seen_words_;              // of all files read
  std::set<std::string> definable_;               // names that a const or param line gives a value
  std::set<std::string> declared_;                // names of variables, parameters and registers so far
  unsigned local_registers_ = 0;                  // named so far
  std::set<std::string> broken_;                  // constants whose value was refused
  std::vector<std::filesystem::path> including_;  // the files that are being read, each included by the one before
  Macros macros_;
  std::set<std::string> nameless_macros_;  // those whose head was refused, by the text where the name stands
  Expansion expansion_;
  std::size_t statements_ = 0;
  bool in_section_ = false;
  bool is_experiment_ = false;        // `kernel NAME experiment`
  bool adding_declarations_ = false;  // those of the form
  ExperimentForm experiment_;
  std::optional<SourceLine> experiment_at_;  // the header of the section `experiment_section_`
  isa::Section experiment_section_ = isa::Section::initialization;
  std::set<isa::Section> experiment_begun_;  // sections whose headers were read
};

}  // namespace

Place ExpandedStatement::place(const Span& span) const {
  const std::size_t last = columns.size() - 1;
  const std::uint32_t begin = columns[std::min<std::size_t>(span.begin, last)];
  const std::size_t end = std::min<std::size_t>(span.begin + span.length, last);
  const std::uint32_t length = columns[end] > begin ? columns[end] - begin : 1;
  return {{where.range.file, where.range.line, begin, length}, where.origin};
}

Expansion expand(std::vector<SourceFile>& files, const AssembleOptions& options, Reporter& reporter) {
  return Expander(files, options, reporter).run();
}

}  // namespace gdr::assembler
