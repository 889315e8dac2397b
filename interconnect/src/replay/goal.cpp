// Reads schedules in the language GOAL.
#include <fmt/format.h>

#include <map>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/program.h"

namespace gdr::interconnect {
namespace {

constexpr std::string_view kRanks = "num_ranks";

std::string_view without_comment(std::string_view line) { return base::trimmed(line.substr(0, line.find("//"))); }

class GoalReader {
 public:
  GoalReader(std::string_view text, std::string_view name, Rank most_ranks)
      : lines_(text, std::string(name)), name_(name), most_ranks_(most_ranks) {}

  Program run() {
    while (const auto line = lines_.next()) {
      const std::string_view content = without_comment(*line);
      if (!content.empty()) take(base::blank_fields(content));
    }
    if (in_rank_) lines_.refuse(fmt::format("rank {} has no }}", rank_));
    if (program_.ranks.empty()) lines_.refuse("there is no line num_ranks N");
    return std::move(program_);
  }

 private:
  using Fields = std::vector<std::string_view>;

  void take(const Fields& fields) {
    if (program_.ranks.empty()) return take_ranks(fields);
    if (!in_rank_) return open_rank(fields);
    if (fields.size() == 1 && fields[0] == "}") return close_rank();
    if (fields.size() == 3 && (fields[1] == "requires" || fields[1] == "irequires")) return take_order(fields);
    take_operation(fields);
  }

  void take_ranks(const Fields& fields) {
    if (fields.size() != 2 || fields[0] != kRanks) lines_.refuse("num_ranks N must come first");
    const auto ranks = number(fields[1], "number of ranks");
    if (ranks < 1 || ranks > most_ranks_)
      lines_.refuse(fmt::format("{} ranks are refused: it must be from 1 to {}", ranks, most_ranks_));
    program_.name = name_;
    program_.ranks.resize(ranks);
    for (RankProgram& rank : program_.ranks) rank.file = name_;
  }

  void open_rank(const Fields& fields) {
    if (fields.size() != 3 || fields[0] != "rank" || fields[2] != "{") lines_.refuse("this must be: rank R {");
    rank_ = rank(fields[1]);
    if (program_.ranks[rank_].size() > 0) lines_.refuse(fmt::format("rank {} comes twice", rank_));
    in_rank_ = true;
    labels_.clear();
    operations_.clear();
    before_.clear();
  }

  void close_rank() {
    for (std::size_t n = 0; n < operations_.size(); ++n) program_.ranks[rank_].add(operations_[n], before_[n]);
    in_rank_ = false;
  }

  void take_order(const Fields& fields) {
    const auto label = [&](std::string_view name) {
      const auto found = labels_.find(name);
      if (found == labels_.end()) lines_.refuse(fmt::format("'{}' is no label of rank {}", name, rank_));
      return found->second;
    };
    Before before{label(fields[2])};
    before.begun = fields[1] == "irequires";
    before_[label(fields[0])].push_back(before);
  }

  void take_operation(const Fields& fields) {
    std::size_t at = 0;
    if (fields[0].ends_with(':')) {
      const std::string label(fields[0].substr(0, fields[0].size() - 1));
      if (!labels_.emplace(label, static_cast<OperationId>(operations_.size())).second)
        lines_.refuse(fmt::format("label '{}' comes twice in rank {}", label, rank_));
      ++at;
    }
    const auto field = [&](std::size_t n) { return at + n < fields.size() ? fields[at + n] : std::string_view(); };
    RankProgram::Operation operation;
    operation.line = static_cast<std::uint32_t>(lines_.line());
    std::size_t rest = 0;
    if (field(0) == "calc") {
      operation.kind = OperationKind::sleep;
      operation.amount = static_cast<double>(number(field(1), "time in nanoseconds")) * kNano;
      rest = 2;
    } else if ((field(0) == "send" && field(2) == "to") || (field(0) == "recv" && field(2) == "from")) {
      operation.kind = field(0) == "send" ? OperationKind::send : OperationKind::receive;
      std::string_view bytes = field(1);
      if (!bytes.ends_with('b'))
        lines_.refuse(fmt::format("'{}' is refused: a size is a number of bytes and b", bytes));
      bytes.remove_suffix(1);
      operation.amount = static_cast<double>(number(bytes, "size"));
      operation.peer = rank(field(3));
      rest = 4;
    } else {
      lines_.refuse(fmt::format(
          "'{}' is refused: an operation is send BYTESb to RANK, recv BYTESb from RANK or calc TIME", field(0)));
    }
    for (; at + rest < fields.size(); rest += 2) {
      const auto value = number(field(rest + 1), field(rest));
      if (field(rest) == "tag") {
        operation.tag = static_cast<std::int64_t>(value);
      } else if (field(rest) != "cpu" && field(rest) != "nic") {
        lines_.refuse(fmt::format("'{}' is refused: it must be tag, cpu or nic", field(rest)));
      }
    }
    operations_.push_back(operation);
    before_.emplace_back();
  }

  std::uint64_t number(std::string_view field, std::string_view what) {
    const auto value = base::number_in<std::uint32_t>(field);
    if (!value) lines_.refuse(fmt::format("{} '{}' is refused: it must be a whole number", what, field));
    return *value;
  }
  Rank rank(std::string_view field) {
    const auto value = number(field, "rank");
    if (value >= program_.ranks.size())
      lines_.refuse(fmt::format("rank {} is refused: there are ranks 0 to {}", value, program_.ranks.size() - 1));
    return static_cast<Rank>(value);
  }

  base::LineReader lines_;
  std::string name_;
  Rank most_ranks_;
  Program program_;
  bool in_rank_ = false;
  Rank rank_ = 0;
  std::map<std::string, OperationId, std::less<>> labels_;
  std::vector<RankProgram::Operation> operations_;
  std::vector<std::vector<Before>> before_;
};

}  // namespace

Program parse_goal(std::string_view text, std::string_view name, Rank most_ranks) {
  return GoalReader(text, name, most_ranks).run();
}

bool is_goal(std::string_view text) {
  base::LineReader lines(text, "");
  while (const auto line = lines.next()) {
    const std::string_view content = without_comment(*line);
    if (!content.empty()) return content.starts_with(kRanks);
  }
  return false;
}

}  // namespace gdr::interconnect
