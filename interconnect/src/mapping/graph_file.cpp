#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::optional<std::uint64_t> whole(std::string_view text) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

/// One pass over the lines of a graph file.
class GraphParser {
 public:
  GraphParser(std::string_view name, TaskId most_tasks) : name_(name), most_tasks_(most_tasks) {}

  void take(std::string_view line) {
    ++line_;
    const std::string_view content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) return;
    const std::vector<std::string_view> fields = fields_of(content);
    if (!has_header_ && fields.size() == 2 && fields[0] == "tasks") {
      take_tasks(fields[1]);
    } else if (!has_header_) {
      if (fields != std::vector<std::string_view>{"from", "to", "bytes"}) {
        throw refused(fmt::format("'{}' stands where the header 'from,to,bytes' must", content));
      }
      has_header_ = true;
    } else {
      take_transfer(fields);
    }
  }

  [[nodiscard]] GraphFile finish() {
    if (!has_header_) throw refused("there is no header 'from,to,bytes'");
    if (tasks_ == 0) throw refused("there are no tasks");
    return {TaskGraph(tasks_, std::move(transfers_)), duplicates_, first_duplicate_};
  }

 private:
  [[nodiscard]] Error refused(const std::string& why) const {
    return Error(fmt::format("{}:{}: {}", name_, line_, why));
  }

  void take_tasks(std::string_view field) {
    const std::optional<std::uint64_t> tasks = whole(field);
    if (!tasks || *tasks == 0)
      throw refused(fmt::format("'{}' tasks are refused: it must be a whole number from 1", field));
    if (*tasks > most_tasks_) throw refused(too_many(*tasks));
    tasks_ = static_cast<TaskId>(*tasks);
    declared_ = true;
  }

  void take_transfer(const std::vector<std::string_view>& fields) {
    if (fields.size() < 3 || fields[2].empty()) throw refused("bytes are missing: a line is from,to,bytes");
    if (fields.size() > 3) throw refused("too many fields: a line is from,to,bytes");
    const TaskId from = task(fields[0], "sender");
    const TaskId to = task(fields[1], "receiver");
    const std::optional<std::uint64_t> bytes = whole(fields[2]);
    if (!bytes) {
      throw refused(fmt::format("{} bytes are refused: it must be a whole number, 0 or more", fields[2]));
    }
    if (from == to) throw refused(fmt::format("task {} sends to itself: that passes no link", from));
    constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
    if (*bytes > kMost - total_) throw refused("the bytes of all lines come to more than 2^53");
    total_ += *bytes;
    if (!lines_.try_emplace({from, to}, line_).second) {
      if (duplicates_++ == 0) first_duplicate_ = line_;
    }
    transfers_.push_back({from, to, *bytes});
  }

  TaskId task(std::string_view field, std::string_view what) {
    const std::optional<std::uint64_t> number = whole(field);
    if (!number) throw refused(fmt::format("{} '{}' is refused: a task is a whole number, 0 or more", what, field));
    if (declared_ && *number >= tasks_) {
      throw refused(fmt::format("{} {} is unknown: there are tasks 0 to {}", what, *number, tasks_ - 1));
    }
    if (*number >= most_tasks_) throw refused(too_many(*number + 1));
    tasks_ = std::max(tasks_, static_cast<TaskId>(*number + 1));
    return static_cast<TaskId>(*number);
  }

  [[nodiscard]] std::string too_many(std::uint64_t tasks) const {
    return fmt::format("{} tasks are refused: there are {} nodes", tasks, most_tasks_);
  }

  std::string_view name_;
  TaskId most_tasks_;
  std::uint64_t line_ = 0;
  bool has_header_ = false;
  bool declared_ = false;
  TaskId tasks_ = 0;
  std::vector<Transfer> transfers_;
  std::map<std::pair<TaskId, TaskId>, std::uint64_t> lines_;
  std::uint64_t total_ = 0;
  std::uint64_t duplicates_ = 0;
  std::uint64_t first_duplicate_ = 0;
};

}  // namespace

GraphFile parse_graph(std::string_view text, std::string_view name, TaskId most_tasks) {
  GraphParser parser(name, most_tasks);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    parser.take(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parser.finish();
}

GraphFile read_graph(const std::filesystem::path& path, TaskId most_tasks) {
  return parse_graph(base::read_file(path), path.string(), most_tasks);
}

std::string graph_csv(const TaskGraph& graph) {
  std::string text = fmt::format("tasks,{}\nfrom,to,bytes\n", graph.tasks());
  for (const auto& [from, to, bytes] : graph.transfers()) text += fmt::format("{},{},{}\n", from, to, bytes);
  return text;
}

}  // namespace gdr::interconnect
