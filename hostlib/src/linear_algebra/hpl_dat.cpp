#include "gdr/hostlib/hpl_dat.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"

namespace gdr {
namespace {

/// Most values of a parameter: HPL_MAX_PARAM of HPL 2.3.
constexpr std::int64_t kMostValues = 20;
/// Bytes of a line that HPL reads at once: fgets with HPL_LINE_MAX - 2, HPL_LINE_MAX = 256.
constexpr std::size_t kMostBytes = 253;
/// HPL reads an int.
constexpr std::int64_t kMostOfInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLeastOfInt = std::numeric_limits<std::int32_t>::min();
constexpr std::string_view kBlanks = " \t\r\v\f";

/// A parameter with what HPL accepts. The least int: HPL replaces values that it does not know.
struct DatRange {
  const char* what;
  std::int64_t least;
  std::int64_t most = kMostOfInt;
};

class DatLines {
 public:
  DatLines(std::string_view text, std::string name) : name_(std::move(name)), rest_(text) {}

  HplDat parse() {
    HplDat dat;
    next("a heading");
    next("a heading");
    dat.name = std::string(word(next("the output's name"), "the output's name"));
    dat.device = unsigned_number({"device out", 0});
    dat.n = list("problem sizes N", {"N", 0});
    dat.nb = list("NBs", {"NB", 1});
    dat.column_major = replaced("PMAP", number({"PMAP", kLeastOfInt}), 1, 0) == 1;
    const std::uint64_t grids = count("process grids");
    const std::vector<std::uint64_t> rows = values(grids, {"P", 1});
    const std::vector<std::uint64_t> columns = values(grids, {"Q", 1});
    for (std::size_t grid = 0; grid < grids; ++grid) dat.grids.push_back({rows[grid], columns[grid]});
    dat.threshold = threshold();
    dat.panels = factorisations("panel factorisations", "PFACT");
    dat.narrowest = list("recursive stopping criteria", {"NBMIN", 1});
    dat.parts = list("panels in recursion", {"NDIV", 2});
    dat.recursive = factorisations("recursive panel factorisations", "RFACT");
    for (const std::int64_t value : words("broadcasts", {"BCAST", kLeastOfInt}))
      dat.broadcasts.push_back(replaced("BCAST", value, 5, 1));
    dat.depths = list("look-ahead depths", {"DEPTH", 0});
    dat.swap = replaced("SWAP", number({"SWAP", kLeastOfInt}), 2, 1);
    dat.swap_threshold = at_least("swapping threshold", number({"swapping threshold", kLeastOfInt}), 0, 0);
    dat.l1_transposed = replaced("L1", number({"L1", kLeastOfInt}), 1, 0) == 0;
    dat.u_transposed = replaced("U", number({"U", kLeastOfInt}), 1, 0) == 0;
    dat.equilibration = replaced("equilibration", number({"equilibration", kLeastOfInt}), 1, 1) == 1;
    dat.alignment = at_least("memory alignment", number({"memory alignment", kLeastOfInt}), 1, 4);
    dat.notes = std::move(notes_);
    return dat;
  }

 private:
  [[nodiscard]] std::string where() const { return fmt::format("{}:{}", name_, line_); }
  [[noreturn]] void refuse(std::string_view why) const { throw Error(fmt::format("{}: {}", where(), why)); }

  std::string_view next(std::string_view what) {
    ++line_;
    if (rest_.empty()) refuse(fmt::format("the file ends before this line, which holds {}", what));
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line.size() >= kMostBytes) {
      refuse(fmt::format("a line of {} bytes is refused: HPL reads at most {} and takes the rest for the next line",
                         line.size(), kMostBytes - 1));
    }
    return line;
  }

  /// The first word from `text` on; empty if there is none.
  static std::string_view first_word(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    return text.substr(0, text.find_first_of(kBlanks));
  }
  std::string_view word(std::string_view line, std::string_view what) const {
    const std::string_view found = first_word(line);
    if (found.empty()) refuse(fmt::format("an empty line is refused: it must hold {}", what));
    return found;
  }

  std::int64_t in_range(std::string_view text, const DatRange& range) const {
    const auto allowed = [&] {
      return range.most == kMostOfInt && range.least != kLeastOfInt
                 ? fmt::format("of at least {}", range.least)
                 : fmt::format("from {} to {}", range.least, range.most);
    };
    const base::ReadNumber<std::int64_t> read = base::read_number<std::int64_t>(text);
    if (read.error == std::errc::invalid_argument) {
      // Its first numbers tell a file of HPL from any other.
      constexpr std::size_t kHead = 6;
      refuse(fmt::format("{} = '{}' is refused: it must be a whole number {}{}", range.what, text, allowed(),
                         line_ > kHead ? ""
                                       : "; is this a file of HPL? It has two lines of text, the output's name, the "
                                         "device, the number of problem sizes, and their values"));
    }
    if (read.error != std::errc() || read.value < range.least || read.value > range.most) {
      refuse(fmt::format(
          "{} = {} is refused: it must be a whole number {}{}", range.what, text, allowed(),
          range.most == kMostOfInt && range.least != kLeastOfInt ? fmt::format(" and at most {}", kMostOfInt) : ""));
    }
    return read.value;
  }

  std::int64_t number(const DatRange& range) { return in_range(word(next(range.what), range.what), range); }
  std::uint64_t unsigned_number(const DatRange& range) { return static_cast<std::uint64_t>(number(range)); }
  std::uint64_t count(std::string_view what) {
    const std::string whole = fmt::format("number of {}", what);
    return unsigned_number({whole.c_str(), 1, kMostValues});
  }

  /// HPL goes on behind a word by the word's length and one, wherever the word began, so blanks before a word can make
  /// it read that word twice.
  std::vector<std::int64_t> words(std::uint64_t count, const DatRange& range) {
    std::string_view line = next(range.what);
    const std::vector<std::string_view> words = base::blank_fields(line);
    std::vector<std::int64_t> values;
    bool noted = false;
    for (std::size_t at = 0; at < count; ++at) {
      const std::string_view word = first_word(line);
      if (word.empty() || words.size() <= at) {
        refuse(fmt::format("{} value{} of {} are refused: line {} says {}", at, at == 1 ? "" : "s", range.what,
                           line_ - (range.what == std::string_view("Q") ? 2 : 1), count));
      }
      values.push_back(in_range(word, range));
      if (!noted && word != words[at]) {
        notes_.push_back(
            fmt::format("{}: HPL reads {} as value {} of {}, not {}: blanks before a value make it read one twice",
                        where(), word, at + 1, range.what, words[at]));
        noted = true;
      }
      line.remove_prefix(std::min(line.size(), word.size() + 1));
    }
    return values;
  }
  std::vector<std::int64_t> words(std::string_view what, const DatRange& range) { return words(count(what), range); }
  std::vector<std::uint64_t> values(std::uint64_t count, const DatRange& range) {
    const std::vector<std::int64_t> read = words(count, range);
    return {read.begin(), read.end()};
  }
  std::vector<std::uint64_t> list(std::string_view what, const DatRange& range) { return values(count(what), range); }

  /// What HPL takes for a value that is none of 0 to `most`.
  std::uint64_t replaced(const char* what, std::int64_t value, std::int64_t most, std::uint64_t taken) {
    if (value >= 0 && value <= most) return static_cast<std::uint64_t>(value);
    notes_.push_back(fmt::format("{}: {} = {} is none of 0 to {}: HPL takes {}", where(), what, value, most, taken));
    return taken;
  }
  /// What HPL takes for a value below `least`.
  std::uint64_t at_least(const char* what, std::int64_t value, std::int64_t least, std::uint64_t taken) {
    if (value >= least) return static_cast<std::uint64_t>(value);
    notes_.push_back(fmt::format("{}: {} = {} is less than {}: HPL takes {}", where(), what, value, least, taken));
    return taken;
  }
  std::vector<HplFactorisation> factorisations(std::string_view title, const char* what) {
    constexpr std::array kinds{HplFactorisation::left, HplFactorisation::crout, HplFactorisation::right};
    std::vector<HplFactorisation> found;
    for (const std::int64_t value : words(title, {what, kLeastOfInt}))
      found.push_back(kinds.at(replaced(what, value, 2, 2)));
    return found;
  }

  double threshold() {
    const std::string_view text = word(next("the threshold"), "the threshold");
    const base::ReadNumber<double> read = base::read_number<double>(text);
    if (read.error != std::errc() || !(std::abs(read.value) <= std::numeric_limits<double>::max())) {
      refuse(fmt::format("threshold = '{}' is refused: it must be a finite number; at most 0 checks nothing", text));
    }
    return read.value;
  }

  std::string name_;
  std::string_view rest_;
  std::size_t line_ = 0;
  std::vector<std::string> notes_;
};

char letter_of(HplFactorisation factorisation) {
  switch (factorisation) {
    case HplFactorisation::left:
      return 'L';
    case HplFactorisation::crout:
      return 'C';
    case HplFactorisation::right:
      break;
  }
  return 'R';
}

}  // namespace

std::string HplRun::variant() const {
  return fmt::format("W{}{}{}{}{}{}{}", column_major ? 'C' : 'R', depth, broadcast, letter_of(recursive), parts,
                     letter_of(panel), narrowest);
}

std::vector<HplRun> HplDat::runs() const {
  double combinations = static_cast<double>(grids.size());
  for (const std::size_t values : {n.size(), nb.size(), depths.size(), broadcasts.size(), recursive.size(),
                                   panels.size(), narrowest.size(), parts.size()}) {
    combinations *= static_cast<double>(values);
  }
  if (combinations > kMostRuns) {
    throw Error(fmt::format("{:.0f} combinations are refused: at most {} are looked at", combinations, kMostRuns));
  }
  // Each parameter multiplies the runs by its values; the last one varies fastest.
  std::vector<HplRun> runs{{}};
  const auto vary = [&runs](const auto& values, const auto& set) {
    std::vector<HplRun> varied;
    for (const HplRun& run : runs) {
      for (const auto& value : values) {
        varied.push_back(run);
        set(varied.back(), value);
      }
    }
    runs = std::move(varied);
  };
  vary(grids, [&](HplRun& run, const HplGrid& value) {
    run.grid = value;
    run.column_major = column_major;
  });
  vary(n, [](HplRun& run, std::uint64_t value) { run.n = value; });
  vary(nb, [](HplRun& run, std::uint64_t value) { run.nb = value; });
  vary(depths, [](HplRun& run, std::uint64_t value) { run.depth = value; });
  vary(broadcasts, [](HplRun& run, std::uint64_t value) { run.broadcast = value; });
  vary(recursive, [](HplRun& run, HplFactorisation value) { run.recursive = value; });
  vary(panels, [](HplRun& run, HplFactorisation value) { run.panel = value; });
  vary(narrowest, [](HplRun& run, std::uint64_t value) { run.narrowest = value; });
  vary(parts, [](HplRun& run, std::uint64_t value) { run.parts = value; });
  return runs;
}

HplDat parse_hpl_dat(std::string_view text, const std::string& name) { return DatLines(text, name).parse(); }

HplDat read_hpl_dat(const std::filesystem::path& file) { return parse_hpl_dat(base::read_file(file), file.string()); }

}  // namespace gdr
