// Task graphs: how many bytes each task of a parallel program sends to each other task. They do not say when.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::interconnect {

/// Number of a task. Task t of an MPI program is its rank t.
using TaskId = std::uint32_t;

/// The bytes that one task sends to another over the whole run.
struct Transfer {
  TaskId from = 0;
  TaskId to = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

class TaskGraph {
 public:
  /// Transfers between the same two tasks in the same direction are summed; transfers of 0 bytes are dropped. Throws
  /// gdr::Error if there are no tasks or more than 2^31 transfers, a task does not exist, a task sends to itself, or
  /// the sum of all transfers exceeds 2^53 bytes.
  TaskGraph(TaskId tasks, std::vector<Transfer> transfers);

  [[nodiscard]] TaskId tasks() const { return tasks_; }
  /// Sorted by sender, then by receiver; each pair occurs once.
  [[nodiscard]] std::span<const Transfer> transfers() const { return transfers_; }
  [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  TaskId tasks_;
  std::vector<Transfer> transfers_;
  std::uint64_t total_bytes_ = 0;
};

/// Allgather by the algorithm of Bruck et al.: in step k every task sends 2^k blocks to the task whose number is 2^k
/// higher (modulo `tasks`); in the last step it sends only as many as are left (Sanno and Kise, figure 7, where `tasks`
/// is a power of two). Each task contributes a block of `block_bytes`. Throws gdr::Error if `tasks` is 0 or
/// `block_bytes` is 0 or too large.
[[nodiscard]] TaskGraph bruck_graph(TaskId tasks, std::uint64_t block_bytes);

/// First outer iteration of the NAS Parallel Benchmark CG of class S, W, A, B, C, D or E (B: 75,000 rows). It has 26
/// matrix-vector products, each with a reduction along the rows of the process grid and an exchange with the transposed
/// process, and the scalar sums. Collectives are point-to-point messages, as in the program itself. Throws gdr::Error
/// for another class, and unless `tasks` is a power of two from 2 to 65,536.
[[nodiscard]] TaskGraph cg_graph(TaskId tasks, char benchmark_class = 'B');

/// First iteration of the NAS Parallel Benchmark SP of class S, W, A, B, C, D or E (B: 102^3 points), in its
/// multipartition scheme. It has one exchange of faces (two layers of five variables) and the sweeps in x, y and z.
/// Throws gdr::Error for another class, and unless `tasks` is the square of a number from 2 to the number of points
/// along an axis.
[[nodiscard]] TaskGraph sp_graph(TaskId tasks, char benchmark_class = 'B');

/// Largest number of tasks up to `nodes` that sp_graph() accepts. Throws gdr::Error if there is none.
[[nodiscard]] TaskId most_sp_tasks(std::uint32_t nodes, char benchmark_class = 'B');

/// A graph that was read from a file, and which lines of the file were duplicates.
struct GraphFile {
  TaskGraph graph;
  std::uint64_t duplicates = 0;        // lines whose bytes were added to those of an earlier line
  std::uint64_t first_duplicate = 0;   // line number of the first duplicate
  std::uint64_t collective_calls = 0;  // that the recorder's comment says are not in the graph
};

/// The pairs of tasks that the lines of a file name, and which of them were named before.
class PairLines {
 public:
  void add(TaskId from, TaskId to, std::uint64_t line) { pairs_.push_back({from, to, line}); }
  /// Sets the duplicates of `file`.
  void tell(GraphFile& file);

 private:
  struct Pair {
    TaskId from;
    TaskId to;
    std::uint64_t line;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  std::vector<Pair> pairs_;
};

/// Reads a graph as CSV: a header `from,to,bytes` and a line for each transfer; `#` begins a comment. A line `tasks,N`
/// before the header gives the number of tasks; without it, the number is 1 more than the largest task that occurs.
/// `name` is used in error messages. Throws gdr::Error `NAME:LINE: ...` for a missing header, unknown tasks, tasks that
/// send to themselves, bytes that are missing, negative or not a whole number, and more tasks than `most_tasks`.
[[nodiscard]] GraphFile parse_graph(std::string_view text, std::string_view name, TaskId most_tasks);

/// As parse_graph(), from a file; also throws gdr::Error if the file cannot be read.
[[nodiscard]] GraphFile read_graph(const std::filesystem::path& path, TaskId most_tasks);

/// True for text whose first line that is no comment is one of a graph as CSV: its header, or the number of tasks.
/// Throws gdr::Error with `name` for text that is none of lines.
[[nodiscard]] bool is_task_graph(std::string_view text, std::string_view name);

/// The graph as CSV in the format of parse_graph().
[[nodiscard]] std::string graph_csv(const TaskGraph& graph);

}  // namespace gdr::interconnect
