#include "gdr/selftest/history_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "gdr/assembler/assembler.h"
#include "gdr/base/data_file.h"
#include "gdr/base/error.h"
#include "gdr/isa/effects.h"
#include "gdr/selftest/history.h"
#include "gdr/selftest/input.h"
#include "history_sources.h"

namespace gdr::selftest {
namespace {

// dgemm's turns are long: a few of them take the reference engine as long as a run of gravity does.
constexpr unsigned kMostRecordsOfType2 = 33;

assembler::AssembleResult assembled(const std::string& source, const std::string& name) {
  assembler::AssembleOptions options;
  options.warnings.told.reset();
  return assembler::assemble(source, name, options);
}

isa::Program program_of_result(const assembler::AssembleResult& result) {
  if (!result.program) throw Error(format_diagnostics(result));
  return *result.program;
}

/// Long words of the range, each once.
void add_words(std::set<std::size_t>& words, isa::WordRange range) {
  for (std::size_t word = range.first / 2; word < (range.last + 1) / 2; ++word) words.insert(word);
}

void note_loop(HistoryProgram& program) {
  std::set<std::size_t> gpr;
  std::set<std::size_t> lm;
  for (const isa::Section section :
       {isa::Section::loop_initialization, isa::Section::loop_body, isa::Section::loop_termination}) {
    for (const isa::ProgramLine& coded : program.program.lines(section)) {
      const isa::Line line = isa::decoded(coded.word);
      const isa::Effects effects = isa::effects(line);
      program.may_fault = program.may_fault || effects.indirect();
      for (const isa::Access& write : effects.writes()) {
        const isa::WordRange range = isa::extent_of(write, effects.elements());
        if (write.storage == isa::Storage::gpr) add_words(gpr, range);
        if (write.storage == isa::Storage::lm) add_words(lm, range);
      }
      if (effects.writes_bm()) program.least_live = std::max(program.least_live, line.bm.pe + 1U);
    }
  }
  program.gpr_written.assign(gpr.begin(), gpr.end());
  program.lm_written.assign(lm.begin(), lm.end());
  program.keeps_i_data = std::ranges::none_of(program.program.variables_by(isa::Transfer::hlt), [&](const auto* each) {
    return program.writes(emulator::PeWords{each->memory, each->address, each->width, words_in_pe(*each)});
  });
  program.most_records = program.program.is_type2() ? kMostRecordsOfType2 : kHistoryRecords;
  if (program.program.is_type2()) program.least_live = emulator::kPesPerBlock;
}

/// True if initialization reads words of PEs that the loop writes. T is left out once all of it has been written.
bool initialization_reads(const HistoryProgram& program) {
  bool has_t = false;
  for (const isa::ProgramLine& coded : program.program.lines(isa::Section::initialization)) {
    const isa::Line line = isa::decoded(coded.word);
    const isa::Effects effects = isa::effects(line);
    for (const isa::Access& read : effects.reads()) {
      const bool in_memory = read.storage == isa::Storage::gpr || read.storage == isa::Storage::lm;
      const isa::WordRange range = isa::extent_of(read, effects.elements());
      const emulator::PeWords words{read.storage == isa::Storage::gpr ? isa::Memory::gpr : isa::Memory::lm,
                                    static_cast<std::uint16_t>(range.first), isa::Width::short_word,
                                    static_cast<std::uint16_t>(range.last - range.first)};
      if (read.defines) continue;
      if (in_memory ? program.writes(words) : read.storage == isa::Storage::flag) return true;
      if (read.storage == isa::Storage::t && !has_t) return true;
    }
    for (const isa::Access& write : effects.writes()) {
      if (write.storage == isa::Storage::t && effects.elements() == isa::kVectorElements && !effects.masked() &&
          write.predicate == isa::Predicate{}) {
        has_t = true;
      }
    }
  }
  return false;
}

/// What a history must know of the program.
void note(HistoryProgram& program) {
  program.may_fault = program.takes_any_words;
  note_loop(program);
  // Lines at random read words before those that were written have landed.
  program.initializes_anew = !program.takes_any_words && !initialization_reads(program);
}

std::uint64_t seed_in(const std::string& name, std::string_view word) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seed);
  if (error != std::errc() || end != word.data() + word.size()) {
    throw Error(fmt::format("program '{}' is refused: '{}' is no seed", name, word));
  }
  return seed;
}

isa::Program kernel_of_gdr(const std::string& name, const std::vector<std::string>& words) {
  assembler::AssembleOptions options;
  options.warnings.told.reset();
  for (std::size_t n = 1; n < words.size(); ++n) {
    const std::size_t equals = words[n].find('=');
    if (equals == std::string::npos) {
      throw Error(fmt::format("program '{}' is refused: '{}' must be NAME=VALUE", name, words[n]));
    }
    options.definitions[words[n].substr(0, equals)] = words[n].substr(equals + 1);
  }
  return program_of_result(assembler::assemble_file(base::data_file("kernels/" + words[0] + ".vsm"), options));
}

HistoryProgram made(const std::string& name) {
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find(' ', begin), name.size());
    if (end > begin) words.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  if (words.empty()) throw Error("a program needs a name");
  HistoryProgram program;
  program.name = name;
  if ((words[0] == "packable" || words[0] == "indexed") && words.size() == 2) {
    const Addressing addressing = words[0] == "indexed" ? Addressing::indexed : Addressing::direct;
    program.program = program_of_result(assembled(packable_source(seed_in(name, words[1]), addressing), name));
  } else if (words[0] == "lines" && words.size() == 2) {
    program.program = with_variables(random_input(seed_in(name, words[1])).program);
    program.takes_any_words = true;
  } else if (words[0] == "small" && words.size() == 2) {
    const auto* const small = std::ranges::find(kSmallKernels, words[1], &SmallKernel::name);
    if (small == kSmallKernels.end()) {
      std::vector<std::string_view> known;
      for (const SmallKernel& each : kSmallKernels) known.push_back(each.name);
      throw Error(fmt::format("program '{}' is refused: the small kernels are {}", name, fmt::join(known, ", ")));
    }
    program.program = program_of_result(assembled(std::string(small->source), name));
  } else {
    program.program = kernel_of_gdr(name, words);
    program.self_contained = true;
  }
  note(program);
  return program;
}

/// The programs of this process by name.
struct KnownPrograms {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const HistoryProgram>> kept;   // may be made again
  std::map<std::string, std::shared_ptr<const HistoryProgram>> added;  // by add_history_program()
};
KnownPrograms& known_programs() {
  static KnownPrograms programs;
  return programs;
}

/// Writes a program line by line; a line that does not assemble after those that are there is left out.
class PackableSource {
 public:
  PackableSource(std::uint64_t seed, Addressing addressing)
      : random_(seed),
        name_(fmt::format("{}{}", addressing == Addressing::indexed ? "indexed" : "packable", seed)),
        indexed_(addressing == Addressing::indexed) {}

  std::string text() {
    lines_[0] = {"uxor $lt $lt $lt", "upassa $lt sum", "upassa $lt top"};
    if (below(2) == 0) lines_[1] = lines_[0];
    lines_[2] = {"fsub xj xi $lt", "fadd $lti sum sum"};
    if (indexed_) {
      lines_[0].insert(lines_[0].begin() + 1, "upassa $lt at");
      lines_[2].insert(lines_[2].begin(), R"(uadd at il"2" at)");
    }
    if (below(4) == 0) lines_[3] = {"fmul sum fs\"1e300\" $lt", "fmul $lt fs\"2\" a"};  // overflows, unlike the body
    for (unsigned section = 0; section < lines_.size(); ++section) add_lines(section);
    return joined();
  }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  template <std::size_t count>
  std::string one_of(const std::array<std::string_view, count>& choices) {
    return std::string(choices[below(count)]);
  }

  void add_lines(unsigned section) {
    constexpr unsigned kMostTries = 60;
    std::vector<std::string>& lines = lines_[section];
    const std::size_t wanted = lines.size() + below(section == kBody ? 8 : 4);
    for (unsigned tries = 0; lines.size() < wanted && tries < kMostTries; ++tries) {
      const std::vector<std::string> drafts = drafted(section);
      const std::vector<std::string> before = lines;
      lines.insert(lines.begin() + below(static_cast<unsigned>(lines.size()) + 1), drafts.begin(), drafts.end());
      if (!assembled(joined(), name_).program) lines = before;
    }
  }

  std::vector<std::string> drafted(unsigned section) {
    if (!indexed_ || below(3) != 0) return {draft(section)};
    // An address in T, then a line that reads or writes the table there: 4 long words of each vector element.
    // Addresses come from integers alone: code is compiled for no body that takes a word for a number and for bits.
    const std::string index = below(2) == 0 ? R"(uand $peid il"6" $lt)" : R"(uand at il"6" $lt)";
    switch (below(4)) {
      case 0:
        return {index, fmt::format("upassa {} {}", source(section), kTable)};
      case 1:
        return {index, fmt::format("fadd {} {} {}", kTable, source(section), one_of(kIndexedTargets))};
      case 2:
        return {index, fmt::format("fadd sum {} sum", kTable)};
      default:
        return {index, fmt::format("upassa {} {}", kTable, one_of(kIndexedTargets))};
    }
  }

  std::string draft(unsigned section) {
    constexpr std::array<std::string_view, 11> kOperations{"fadd",   "fadd", "fsub", "fmul",   "fmax", "fmin",
                                                           "upassa", "uadd", "uxor", "fpassa", "umax"};
    constexpr std::array<std::string_view, 7> kTargets{"a", "b", "c", "sum", "top", "xi", "$lt"};
    constexpr std::array<std::string_view, 4> kPredicates{"/1", "/!2", "/j", "/1"};
    constexpr std::array<std::string_view, 4> kFlags{" $ok1", " $ok2.z", " $ok1/j", " $ok2/j"};
    const std::string operation = one_of(kOperations);
    std::string line = operation + ' ' + source(section);
    if (operation != "upassa" && operation != "fpassa") line += ' ' + source(section);
    const std::string target = one_of(kTargets);
    line += ' ' + target;
    if (below(6) == 0) line += one_of(kPredicates);
    if (below(3) == 0 && target != "$lt") line += " $lt";
    if (below(5) == 0) line += one_of(kFlags);
    return line;
  }

  std::string source(unsigned section) {
    constexpr std::array<std::string_view, 14> kSources{"xi", "yi",  "p",   "sum",      "top",     "a",  "b",
                                                        "c",  "$lt", "$lt", "f\"0.5\"", "il\"3\"", "xj", "yj"};
    constexpr unsigned kOutsideTheBody = 12;
    return std::string(kSources[below(section == kBody ? static_cast<unsigned>(kSources.size()) : kOutsideTheBody)]);
  }

  [[nodiscard]] std::string joined() const {
    std::string text = fmt::format("kernel {}\n", name_) +
                       "bvar long xj elt flt64to72\nbvar long yj elt flt64to72\nvar vector long xi hlt flt64to72\n"
                       "var vector long yi hlt flt64to72\nparam p : long flt64to72 = 1\n"
                       "var vector long sum rrn flt72to64 fadd\nvar vector long top rrn flt72to64 fmax\n"
                       "var vector long a\nvar vector long b\nvar vector short c\n" +
                       (indexed_ ? "var vector long at\n" : "");
    for (unsigned section = 0; section < lines_.size(); ++section) {
      text += std::string(isa::name_of(static_cast<isa::Section>(section))) + '\n';
      for (const std::string& line : lines_[section]) text += "  " + line + '\n';
      text += "  nop\n";
    }
    return text;
  }

  // Above all variables; T adds 0 to 6.
  static constexpr std::string_view kTable = "$lmt400v";
  static constexpr std::array<std::string_view, 4> kIndexedTargets{"a", "b", "c", "$lt"};
  static constexpr unsigned kBody = static_cast<unsigned>(isa::Section::loop_body);
  std::mt19937_64 random_;
  std::string name_;
  bool indexed_;
  std::array<std::vector<std::string>, isa::kSections> lines_;
};

}  // namespace

std::string packable_source(std::uint64_t seed, Addressing addressing) {
  return PackableSource(seed, addressing).text();
}

std::shared_ptr<const HistoryProgram> history_program(const std::string& name) {
  // A random program is assembled line by line, so making one takes longer than a history.
  constexpr std::size_t kMostKept = 500;
  KnownPrograms& known = known_programs();
  const std::scoped_lock lock(known.mutex);
  if (const auto added = known.added.find(name); added != known.added.end()) return added->second;
  if (const auto kept = known.kept.find(name); kept != known.kept.end()) return kept->second;
  if (known.kept.size() == kMostKept) known.kept.clear();
  return known.kept[name] = std::make_shared<const HistoryProgram>(made(name));
}

void add_history_program(const std::string& name, isa::Program program) {
  auto added = std::make_shared<HistoryProgram>();
  added->name = name;
  added->program = std::move(program);
  note(*added);
  KnownPrograms& known = known_programs();
  const std::scoped_lock lock(known.mutex);
  known.added[name] = std::move(added);
}

bool HistoryProgram::writes(const emulator::PeWords& where) const {
  const std::vector<std::size_t>& written = where.memory == isa::Memory::gpr ? gpr_written : lm_written;
  const std::size_t last = where.address + where.count * (where.width == isa::Width::long_word ? 2U : 1U);
  const auto first = std::ranges::lower_bound(written, where.address / 2U);
  return first != written.end() && *first < (last + 1) / 2;
}

std::uint16_t words_in_pe(const isa::Variable& variable) {
  return static_cast<std::uint16_t>(variable.elements * (variable.vector ? isa::kVectorElements : 1U));
}

const std::vector<std::string>& quick_history_kernels() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"gravity", "gravity_jerk nearest=1", "nearest", "count", "tutorial", "vdw"};
    for (const SmallKernel& small : kSmallKernels) all.push_back("small " + std::string(small.name));
    return all;
  }();
  return names;
}

const std::vector<std::string>& slow_history_kernels() {
  static const std::vector<std::string> names{
      "gravity_jerk", "gravity_jerk nearest=1 list=2", "gravity_jerk_2009", "gravity_jerk_long", "dgemm",
      "dgemm_double"};
  return names;
}

}  // namespace gdr::selftest
