// Makes the report: the kernel as written, with every operation long, and with each short operation long in turn.
#include "gdr/compiler/precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "compile.h"
#include "gdr/base/error.h"
#include "microcode/lower.h"
#include "precision/host_kernel.h"
#include "precision/roundings.h"

namespace gdr::compiler {
namespace {

/// A member of the result record: the words from `first` on.
struct Member {
  std::string name;
  std::size_t first = 0;
  std::size_t count = 1;
  // It is changed, and it is not a number that belongs to a key: those are labels, not quantities.
  bool compared = true;
};

/// Name of a member in the kernel and in tables.
std::string member_name(const Microcode& code, Record record, unsigned field) {
  const std::string& first = code.variables[static_cast<std::size_t>(variable_of(code, record, field, 0))].name;
  return first.substr(0, first.find('['));
}

std::vector<Member> members_of(const PairFunction& function, const Microcode& code) {
  std::vector<Member> members;
  std::size_t first = 0;
  const auto& fields = function.records[static_cast<std::size_t>(Record::result)];
  for (unsigned n = 0; n < fields.size(); ++n) {
    const bool changed = std::any_of(function.stores.begin(), function.stores.end(),
                                     [&](const Store& store) { return store.field == n; });
    members.push_back({member_name(code, Record::result, n), first, fields[n].count, changed && !fields[n].numbered});
    first += fields[n].count;
  }
  return members;
}

/// The words of the parameters' record.
std::vector<double> parameter_words(const Microcode& code, const PrecisionData& data) {
  std::vector<double> words;
  for (const Variable& variable : code.variables) {
    if (variable.own || variable.record != Record::parameter) continue;
    const auto given = std::find_if(data.parameters.rbegin(), data.parameters.rend(),
                                    [&](const auto& one) { return one.first == variable.name; });
    words.push_back(given == data.parameters.rend() ? 0 : given->second);
  }
  return words;
}

std::size_t records_in(std::size_t fields, std::size_t words, std::string_view what) {
  if (words == 0 ? fields != 0 : fields % words != 0) {
    throw Error(
        fmt::format("{} fields of {} are refused: they must be whole records of {} words", fields, what, words));
  }
  return words == 0 ? 0 : fields / words;
}

class Measurement {
 public:
  Measurement(ReadFunction function, const CompileOptions& options, const PrecisionData& data, const KernelRun& run,
              const PrecisionProgress& told)
      : function_(std::move(function)), options_(options), data_(data), run_(run), told_(told) {}

  PrecisionReport report() {
    PrecisionReport report;
    const CompileResult written = compile_function(function_, options_);
    report.clang = written.clang;
    report.diagnostics = written.diagnostics;
    if (written.source.empty()) return report;
    const std::vector<Rounding> roundings = roundings_of(function_.imported);
    all_ = 2 + static_cast<std::size_t>(
                   std::count_if(roundings.begin(), roundings.end(), [](const Rounding& one) { return one.is_short; }));
    std::vector<Message> none;
    const Microcode code =
        lower(function_.imported.body, function_.imported.finish, ConditionStyle::shared, options_.fast, none);
    const HostKernel host(function_.imported, code.reductions, parameter_words(code, data_));
    members_ = members_of(function_.imported.body, code);
    words_ = host.words(Record::result);
    const std::vector<double> as_written = numbers_of(run_(written));
    tell();
    report.lines = written.lines;
    report.i_particles = as_written.size() / words_;
    report.j_particles = records_in(data_.j_fields.size(), host.words(Record::j), "j-data");
    if (host.words(Record::i) != 0 &&
        records_in(data_.i_fields.size(), host.words(Record::i), "i-data") != report.i_particles)
      throw Error(fmt::format("results of {} i-particles are refused: data are of {}", report.i_particles,
                              data_.i_fields.size() / host.words(Record::i)));
    const auto on_host = [&](const Rounding* rounded) {
      return host.run(data_.i_fields, report.i_particles, data_.j_fields, rounded);
    };
    on_host_ = on_host(nullptr);
    report.as_written = errors(as_written, on_host_);
    std::vector<const Rounding*> all;
    for (const Rounding& one : roundings) all.push_back(&one);
    const Variant every_long = variant(with_long_roundings(function_.imported, all));
    report.long_lines = every_long.lines;
    if (every_long.lines) report.every_long = errors(every_long.results, on_host_);
    for (const Rounding& one : roundings) {
      const std::string name = one.has_field ? member_name(code, one.record, one.field) : one.name;
      OperationPrecision operation{one.operation, name, one.place.file, one.place.line, one.place.column,
                                   one.is_short,  {},   std::nullopt,   false};
      if (one.is_short) {
        const Variant alone = variant(with_long_roundings(function_.imported, {&one}));
        operation.estimated = !alone.lines;
        operation.errors = alone.lines ? errors(alone.results, as_written) : errors(on_host(&one), on_host_);
        if (alone.lines) operation.lines_saved = static_cast<int>(*alone.lines) - static_cast<int>(written.lines);
      }
      report.operations.push_back(std::move(operation));
    }
    std::stable_sort(report.operations.begin(), report.operations.end(), [](const auto& a, const auto& b) {
      return a.is_short != b.is_short ? a.is_short : largest(a) > largest(b);
    });
    return report;
  }

 private:
  /// Lines and results of a kernel; empty if it does not compile.
  struct Variant {
    std::optional<unsigned> lines;
    std::vector<double> results;
  };

  Variant variant(Imported widened) {
    ReadFunction function = function_;
    function.imported = std::move(widened);
    const CompileResult compiled = compile_function(function, options_);
    Variant made;
    if (!compiled.source.empty()) made = {compiled.lines, numbers_of(run_(compiled))};
    tell();
    return made;
  }

  void tell() {
    if (told_) told_(++done_, all_);
  }

  std::vector<double> numbers_of(const std::vector<std::uint64_t>& fields) const {
    static_cast<void>(records_in(fields.size(), words_, "results"));
    std::vector<double> numbers;
    std::vector<bool> real;
    for (const Field& field : function_.imported.body.records[static_cast<std::size_t>(Record::result)])
      real.insert(real.end(), field.count, is_float(field.type));
    for (std::size_t n = 0; n < fields.size(); ++n)
      numbers.push_back(real[n % words_] ? std::bit_cast<double>(fields[n])
                                         : static_cast<double>(std::bit_cast<std::int64_t>(fields[n])));
    return numbers;
  }

  /// Differences between two runs, relative to the host's results.
  std::vector<ResultError> errors(const std::vector<double>& a, const std::vector<double>& b) const {
    std::vector<ResultError> all;
    for (const Member& member : members_) {
      if (!member.compared) continue;
      ResultError error{member.name, 0, 0, 0};
      std::size_t counted = 0;
      for (std::size_t from = member.first; from < a.size(); from += words_) {
        double apart = 0;
        double whole = 0;
        for (std::size_t n = from; n < from + member.count; ++n) {
          apart = std::hypot(apart, a[n] == b[n] ? 0 : a[n] - b[n]);  // two equal infinities do not differ
          whole = std::hypot(whole, on_host_[n]);
        }
        if (whole == 0 || !std::isfinite(whole) || std::isnan(apart)) {
          ++error.left_out;
          continue;
        }
        const double relative = apart / whole;
        error.rms += relative * relative;
        error.max = std::max(error.max, relative);
        ++counted;
      }
      if (counted > 0) error.rms = std::sqrt(error.rms / static_cast<double>(counted));
      all.push_back(std::move(error));
    }
    return all;
  }

  static double largest(const OperationPrecision& operation) {
    double most = 0;
    for (const ResultError& error : operation.errors) most = std::max(most, error.rms);
    return most;
  }

  ReadFunction function_;
  const CompileOptions& options_;
  const PrecisionData& data_;
  const KernelRun& run_;
  const PrecisionProgress& told_;
  std::vector<Member> members_;
  std::size_t words_ = 0;  // words of a result record
  std::vector<double> on_host_;
  std::size_t done_ = 0;
  std::size_t all_ = 0;
};

}  // namespace

PrecisionReport measure_precision(const std::filesystem::path& path, const CompileOptions& options,
                                  const PrecisionData& data, const KernelRun& run, const PrecisionProgress& told) {
  ReadFunction function = read_function(path, options);
  return Measurement(std::move(function), options, data, run, told).report();
}

}  // namespace gdr::compiler
