// Task graphs: how many bytes each task of a parallel program sends to each other, with no notion of when.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gdr::interconnect {

/// A task; an MPI program's task t is its rank t.
using TaskId = std::uint32_t;

/// What one task sends to another, over the whole run.
struct Transfer {
  TaskId from = 0;
  TaskId to = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const Transfer&, const Transfer&) = default;
};

class TaskGraph {
 public:
  /// Transfers between the same two tasks in the same direction are summed, those of no bytes dropped. Throws
  /// gdr::Error if there are no tasks or more than 2^31 transfers, a task does not exist, a task sends to itself, or
  /// the sum exceeds 2^53 bytes.
  TaskGraph(TaskId tasks, std::vector<Transfer> transfers);

  [[nodiscard]] TaskId tasks() const { return tasks_; }
  /// By sender, then by receiver; each pair once.
  [[nodiscard]] std::span<const Transfer> transfers() const { return transfers_; }
  [[nodiscard]] std::uint64_t total_bytes() const { return total_bytes_; }

 private:
  TaskId tasks_;
  std::vector<Transfer> transfers_;
  std::uint64_t total_bytes_ = 0;
};

/// Allgather by the algorithm of Bruck et al.: in step k every task sends 2^k blocks to the task 2^k further, and in
/// the last step as many as there are left (Sanno and Kise, figure 7, where `tasks` is a power of two). `block_bytes`
/// is what each task contributes. Throws gdr::Error.
[[nodiscard]] TaskGraph bruck_graph(TaskId tasks, std::uint64_t block_bytes);

/// First outer iteration of NAS Parallel Benchmarks CG of a class, S, W, A, B, C, D or E (B: 75,000 rows): 26
/// matrix-vector products, each with its reduction along the rows of the process grid and its exchange with the
/// transposed process, and the scalar sums; collectives by point-to-point messages as the program itself has them.
/// Throws gdr::Error for another class and unless `tasks` is a power of two from 2 to 65,536.
[[nodiscard]] TaskGraph cg_graph(TaskId tasks, char benchmark_class = 'B');

/// First iteration of NAS Parallel Benchmarks SP of a class, S, W, A, B, C, D or E (B: 102^3 points), in its
/// multipartition scheme: one exchange of faces (two layers of five variables) and the sweeps in x, y and z. Throws
/// gdr::Error for another class and unless `tasks` is a square of a number from 2 to the points along an axis.
[[nodiscard]] TaskGraph sp_graph(TaskId tasks, char benchmark_class = 'B');

/// Largest number of tasks up to `nodes` that sp_graph() takes. Throws gdr::Error if there is none.
[[nodiscard]] TaskId most_sp_tasks(std::uint32_t nodes, char benchmark_class = 'B');

/// A graph and what the reader has to say about its file.
struct GraphFile {
  TaskGraph graph;
  std::uint64_t duplicates = 0;       // lines whose bytes were added to those of an earlier line
  std::uint64_t first_duplicate = 0;  // line of the first of them
};

/// CSV: a header `from,to,bytes` and a line for each transfer; `#` begins a comment. A line `tasks,N` before the header
/// says how many tasks there are; without it they are as many as the largest number asks for. `name` stands in
/// messages. Throws gdr::Error `NAME:LINE: ...`: no header, unknown tasks, self loops, bytes that are missing, negative
/// or no whole number, more tasks than `most_tasks`.
[[nodiscard]] GraphFile parse_graph(std::string_view text, std::string_view name, TaskId most_tasks);

/// As parse_graph(); throws gdr::Error if the file cannot be read.
[[nodiscard]] GraphFile read_graph(const std::filesystem::path& path, TaskId most_tasks);

/// The file that parse_graph() reads.
[[nodiscard]] std::string graph_csv(const TaskGraph& graph);

}  // namespace gdr::interconnect
