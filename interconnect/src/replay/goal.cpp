// Reads schedules in the language GOAL.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "gdr/base/error.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/units.h"
#include "gdr/interconnect/program.h"

namespace gdr::interconnect {
namespace {

constexpr std::string_view kRanks = "num_ranks";

struct Token {
  std::string_view text;  // empty: the end of the schedule
  std::size_t line = 0;
  bool is_label = false;  // a colon follows
};

/// Words, and braces by themselves. Lines mean nothing to the language.
class GoalTokens {
 public:
  GoalTokens(std::string_view text, std::string_view name) : rest_(text), name_(name) {
    if (constexpr std::string_view kMark = "\xEF\xBB\xBF"; rest_.starts_with(kMark)) rest_.remove_prefix(kMark.size());
    next_ = read();
  }

  [[nodiscard]] const Token& peek() const { return next_; }
  Token next() {
    const Token token = next_;
    if (!token.text.empty()) next_ = read();
    if (!token.text.empty()) last_line_ = token.line;
    return token;
  }
  /// Line of the word that next() gave last.
  [[nodiscard]] std::size_t line() const { return last_line_; }
  [[noreturn]] void refuse(std::string_view why) const { refuse_at(last_line_, why); }

 private:
  [[noreturn]] void refuse_at(std::size_t line, std::string_view why) const {
    throw Error(fmt::format("{}: {}", base::place_in(name_, line), why));
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  /// # as well, which the language does not have.
  [[nodiscard]] bool at_line_comment() const { return rest_.starts_with("//") || rest_.starts_with('#'); }
  [[nodiscard]] bool at_word_end() const {
    return rest_.empty() || is_blank(rest_[0]) || rest_[0] == '{' || rest_[0] == '}' || rest_[0] == ':' ||
           at_line_comment() || rest_.starts_with("/*");
  }
  void skip(std::size_t characters) {
    line_ += static_cast<std::size_t>(std::ranges::count(rest_.substr(0, characters), '\n'));
    rest_.remove_prefix(std::min(characters, rest_.size()));
  }
  void skip_blanks() {
    while (!rest_.empty()) {
      if (is_blank(rest_[0])) {
        skip(1);
      } else if (at_line_comment()) {
        skip(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        if (end == std::string_view::npos) refuse_at(line_, "the comment has no */");
        skip(end + 2);
      } else {
        return;
      }
    }
  }

  Token read() {
    skip_blanks();
    Token token{rest_.substr(0, 0), line_};
    if (rest_.empty()) return token;
    const std::string_view begin = rest_;
    do skip(1);
    while (!at_word_end() && begin[0] != '{' && begin[0] != '}');
    token.text = begin.substr(0, begin.size() - rest_.size());
    skip_blanks();
    token.is_label = rest_.starts_with(':');
    if (token.is_label) skip(1);
    return token;
  }

  std::string_view rest_;
  std::string name_;
  std::size_t line_ = 1;
  std::size_t last_line_ = 1;
  Token next_;
};

class GoalReader {
 public:
  GoalReader(std::string_view text, std::string_view name, Rank most_ranks)
      : tokens_(text, name), name_(name), most_ranks_(most_ranks) {}

  Program run() {
    if (tokens_.next().text != kRanks) tokens_.refuse("num_ranks N must come first");
    take_ranks();
    while (!tokens_.peek().text.empty()) take_rank();
    return std::move(program_);
  }

 private:
  // What the numbers of a schedule may be.
  static constexpr std::uint64_t kMostAmount = std::uint64_t{1} << 53;  // whole numbers up to it are exact as doubles
  static constexpr std::uint64_t kMostTag = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint64_t kMostCpu = std::numeric_limits<std::uint16_t>::max();

  void take_ranks() {
    const std::uint64_t ranks = number("number of ranks", 1, most_ranks_);
    program_.name = name_;
    program_.ranks.resize(ranks);
    for (RankProgram& rank : program_.ranks) rank.file = name_;
  }

  /// rank R { ... }
  void take_rank() {
    if (tokens_.next().text != "rank") tokens_.refuse("this must be: rank R {");
    rank_ = rank();
    if (program_.ranks[rank_].size() > 0) tokens_.refuse(fmt::format("rank {} comes twice", rank_));
    if (tokens_.next().text != "{") tokens_.refuse("this must be: rank R {");
    labels_.clear();
    operations_.clear();
    before_.clear();
    while (tokens_.peek().text != "}") {
      const Token token = tokens_.next();
      if (token.text.empty()) tokens_.refuse(fmt::format("rank {} has no }}", rank_));
      take_statement(token);
    }
    tokens_.next();
    for (std::size_t n = 0; n < operations_.size(); ++n) program_.ranks[rank_].add(operations_[n], before_[n]);
  }

  void take_statement(const Token& first) {
    const std::string_view second = tokens_.peek().text;
    if (!first.is_label && (second == "requires" || second == "irequires")) return take_order(first.text);
    if (!first.is_label) return take_operation(first.text);
    const std::string label(first.text);
    if (!labels_.emplace(label, static_cast<OperationId>(operations_.size())).second) {
      tokens_.refuse(fmt::format("label '{}' comes twice in rank {}", label, rank_));
    }
    take_operation(tokens_.next().text);
  }

  /// A requires B, or A irequires B.
  void take_order(std::string_view follower) {
    const OperationId operation = labelled(follower);
    const bool begun = tokens_.next().text == "irequires";
    before_[operation].push_back({labelled(tokens_.next().text), begun});
  }
  [[nodiscard]] OperationId labelled(std::string_view name) const {
    const auto found = labels_.find(name);
    if (found == labels_.end()) tokens_.refuse(fmt::format("'{}' is no label of rank {}", name, rank_));
    return found->second;
  }

  void take_operation(std::string_view word) {
    RankProgram::Operation operation;
    operation.line = static_cast<std::uint32_t>(tokens_.line());
    if (word == "calc") {
      operation.kind = OperationKind::sleep;
      operation.amount = static_cast<double>(number("time in nanoseconds", 0, kMostAmount)) * kNano;
    } else if (word == "send" || word == "recv") {
      operation.kind = word == "send" ? OperationKind::send : OperationKind::receive;
      operation.amount = size();
      const std::string_view preposition = word == "send" ? "to" : "from";
      if (tokens_.next().text != preposition) {
        tokens_.refuse(fmt::format("'{}' is expected after the size of a {}", preposition, word));
      }
      if (word == "recv" && tokens_.peek().text == "-1") {
        refuse_any("from any rank (-1) is refused: a replay needs the sender of every message");
      }
      operation.peer = rank();
    } else {
      tokens_.refuse(fmt::format(
          "'{}' is refused: an operation is send BYTESb to RANK, recv BYTESb from RANK or calc TIME", word));
    }
    while (take_detail(operation)) continue;
    operations_.push_back(operation);
    before_.emplace_back();
  }

  /// tag N, cpu N or nic N; false for anything else, which begins the next statement.
  bool take_detail(RankProgram::Operation& operation) {
    if (tokens_.peek().is_label) return false;
    const std::string_view word = tokens_.peek().text;
    if (word == "tag") {
      tokens_.next();
      if (operation.kind == OperationKind::receive && tokens_.peek().text == "-1") {
        refuse_any("with any tag (-1) is refused: a replay needs the tag of every message");
      }
      operation.tag = static_cast<std::int64_t>(number("tag", 0, kMostTag));
    } else if (word == "cpu") {
      tokens_.next();
      operation.cpu = static_cast<std::uint16_t>(number("cpu", 0, kMostCpu));
    } else if (word == "nic") {
      tokens_.next();
      const std::uint64_t nic = number("nic", 0, kMostCpu);
      if (nic > 0 && operation.kind != OperationKind::sleep) {
        tokens_.refuse(
            fmt::format("nic {} is refused: the networks here have the same links for all messages of a node", nic));
      }
    } else {
      return false;
    }
    return true;
  }
  [[noreturn]] void refuse_any(std::string_view what) {
    tokens_.next();
    tokens_.refuse(fmt::format("a receive {}", what));
  }

  /// BYTESb
  double size() {
    std::string_view bytes = tokens_.next().text;
    if (!bytes.ends_with('b')) {
      tokens_.refuse(fmt::format("'{}' is refused: a size is a number of bytes and b", bytes));
    }
    bytes.remove_suffix(1);
    return static_cast<double>(number_in(bytes, "size", 0, kMostAmount));
  }

  std::uint64_t number(std::string_view what, std::uint64_t least, std::uint64_t most) {
    return number_in(tokens_.next().text, what, least, most);
  }
  [[nodiscard]] std::uint64_t number_in(std::string_view text, std::string_view what, std::uint64_t least,
                                        std::uint64_t most) const {
    const auto value = base::number_in<std::uint64_t>(text);
    if (value && *value >= least && *value <= most) return *value;
    tokens_.refuse(fmt::format("{} '{}' is refused: it must be a whole number from {} to {}", what, text, least, most));
  }
  Rank rank() {
    const std::uint64_t rank = number("rank", 0, kMostTag);
    if (rank < program_.ranks.size()) return static_cast<Rank>(rank);
    tokens_.refuse(fmt::format("rank {} is refused: there are ranks 0 to {}", rank, program_.ranks.size() - 1));
  }

  GoalTokens tokens_;
  std::string name_;
  Rank most_ranks_;
  Program program_;
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
  try {
    return GoalTokens(text, "").peek().text == kRanks;
  } catch (const Error&) {  // a comment without end
    return false;
  }
}

}  // namespace gdr::interconnect
