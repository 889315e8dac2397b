#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

namespace {

/// One pass over the lines of a graph file.
class GraphParser {
 public:
  GraphParser(std::string_view text, std::string_view name, TaskId most_tasks)
      : reader_(text, std::string(name)), most_tasks_(most_tasks) {}

  GraphFile run() {
    while (const std::optional<std::string_view> line = reader_.next()) take(*line);
    return finish();
  }

 private:
  void take(std::string_view content) {
    const std::vector<std::string_view> fields = base::comma_fields(content);
    if (!has_header_ && fields.size() == 2 && fields[0] == "tasks") {
      take_tasks(fields[1]);
    } else if (!has_header_) {
      if (fields != std::vector<std::string_view>{"from", "to", "bytes"}) {
        reader_.refuse(fmt::format("'{}' stands where the header 'from,to,bytes' must", content));
      }
      has_header_ = true;
    } else {
      take_transfer(fields);
    }
  }

  [[nodiscard]] GraphFile finish() {
    if (!has_header_) reader_.refuse("there is no header 'from,to,bytes'");
    if (tasks_ == 0) reader_.refuse("there are no tasks");
    GraphFile file{TaskGraph(tasks_, std::move(transfers_))};
    pairs_.tell(file);
    return file;
  }

  void take_tasks(std::string_view field) {
    const std::optional<std::uint64_t> tasks = base::number_in<std::uint64_t>(field);
    if (!tasks || *tasks == 0)
      reader_.refuse(fmt::format("'{}' tasks are refused: it must be a whole number from 1", field));
    if (*tasks > most_tasks_) reader_.refuse(too_many(*tasks));
    tasks_ = static_cast<TaskId>(*tasks);
    declared_ = true;
  }

  void take_transfer(const std::vector<std::string_view>& fields) {
    if (fields.size() < 3 || fields[2].empty()) reader_.refuse("bytes are missing: a line is from,to,bytes");
    if (fields.size() > 3) reader_.refuse("too many fields: a line is from,to,bytes");
    const TaskId from = task(fields[0], "sender");
    const TaskId to = task(fields[1], "receiver");
    const std::optional<std::uint64_t> bytes = base::number_in<std::uint64_t>(fields[2]);
    constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
    if (!bytes || *bytes > kMost) {
      reader_.refuse(fmt::format("{} bytes are refused: it must be a whole number from 0 to 2^53", fields[2]));
    }
    if (from == to) reader_.refuse(fmt::format("task {} sends to itself: that passes no link", from));
    if (*bytes > kMost - total_) reader_.refuse("the bytes of all lines come to more than 2^53");
    total_ += *bytes;
    pairs_.add(from, to, reader_.line());
    transfers_.push_back({from, to, *bytes});
  }

  TaskId task(std::string_view field, std::string_view what) {
    const std::optional<std::uint64_t> number = base::number_in<std::uint64_t>(field);
    if (!number) reader_.refuse(fmt::format("{} '{}' is refused: a task is a whole number, 0 or more", what, field));
    if (declared_ && *number >= tasks_) {
      reader_.refuse(fmt::format("{} {} is unknown: there are tasks 0 to {}", what, *number, tasks_ - 1));
    }
    if (*number >= most_tasks_) reader_.refuse(too_many(*number + 1));
    tasks_ = std::max(tasks_, static_cast<TaskId>(*number + 1));
    return static_cast<TaskId>(*number);
  }

  [[nodiscard]] std::string too_many(std::uint64_t tasks) const {
    return fmt::format("{} tasks are refused: there are {} nodes", tasks, most_tasks_);
  }

  base::LineReader reader_;
  TaskId most_tasks_;
  bool has_header_ = false;
  bool declared_ = false;
  TaskId tasks_ = 0;
  std::vector<Transfer> transfers_;
  PairLines pairs_;
  std::uint64_t total_ = 0;
};

/// The number in the recorder's comment "# 32 calls of collectives by all ranks are not in it"; 0 without one.
std::uint64_t collective_calls_in(std::string_view text) {
  const std::size_t end = text.find(" calls of collectives by all ranks are not in it\n");
  if (end == std::string_view::npos) return 0;
  const std::size_t begin = text.rfind("# ", end);
  if (begin == std::string_view::npos) return 0;
  return base::number_in<std::uint64_t>(text.substr(begin + 2, end - begin - 2)).value_or(0);
}

}  // namespace

void PairLines::tell(GraphFile& file) {
  std::ranges::sort(pairs_);
  for (std::size_t n = 1; n < pairs_.size(); ++n) {
    const Pair& pair = pairs_[n];
    if (pair.from != pairs_[n - 1].from || pair.to != pairs_[n - 1].to) continue;
    file.first_duplicate = file.duplicates == 0 ? pair.line : std::min(file.first_duplicate, pair.line);
    ++file.duplicates;
  }
}

GraphFile parse_graph(std::string_view text, std::string_view name, TaskId most_tasks) {
  GraphFile file = GraphParser(text, name, most_tasks).run();
  file.collective_calls = collective_calls_in(text);
  return file;
}

GraphFile read_graph(const std::filesystem::path& path, TaskId most_tasks) {
  return parse_graph(base::read_file(path), path.string(), most_tasks);
}

bool is_task_graph(std::string_view text, std::string_view name) {
  base::LineReader lines(text, std::string(name));
  const auto first = lines.next();
  return first && (base::comma_fields(*first).front() == "tasks" || base::comma_fields(*first).front() == "from");
}

std::string graph_csv(const TaskGraph& graph) {
  std::string text = fmt::format("tasks,{}\nfrom,to,bytes\n", graph.tasks());
  for (const auto& [from, to, bytes] : graph.transfers()) text += fmt::format("{},{},{}\n", from, to, bytes);
  return text;
}

}  // namespace gdr::interconnect
