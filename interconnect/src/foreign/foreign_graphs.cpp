#include "gdr/interconnect/foreign_graphs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "file_lines.h"
#include "gdr/base/error.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/names.h"

namespace gdr::interconnect {
namespace {

constexpr base::Names<GraphFormat> kFormatNames({{GraphFormat::csv, "csv"},
                                                 {GraphFormat::matrix_market, "matrix-market"},
                                                 {GraphFormat::metis, "metis"},
                                                 {GraphFormat::matrix, "matrix"},
                                                 {GraphFormat::pairs, "pairs"}});

constexpr double kMostTrafficBytes = 9007199254740992.0;  // 2^53

/// The next line without blanks at its ends, which may be empty.
std::optional<std::string_view> next_trimmed(FileLines& lines) {
  const auto line = lines.next();
  return line ? std::optional(base::trimmed(*line)) : std::nullopt;
}
/// The next line that is neither empty nor a comment, which begins with `comment`.
std::optional<std::string_view> next_content(FileLines& lines, char comment) {
  while (const auto line = next_trimmed(lines)) {
    if (!line->empty() && line->front() != comment) return line;
  }
  return std::nullopt;
}

/// Fields between blanks, commas or semicolons.
std::vector<std::string_view> number_fields(std::string_view line) {
  if (line.find_first_of(",;") == std::string_view::npos) return base::blank_fields(line);
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = line.find_first_of(",;");
    fields.push_back(base::trimmed(line.substr(0, end)));
    if (end == std::string_view::npos) break;
    line = line.substr(end + 1);
  }
  if (fields.back().empty()) fields.pop_back();  // a comma at the end
  return fields;
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

/// Collects what lines say.
class Collector {
 public:
  Collector(const FileLines& lines, TaskId most_tasks) : lines_(lines), most_tasks_(most_tasks) {}

  void tasks(std::uint64_t tasks) {
    if (tasks == 0) lines_.refuse("0 tasks are refused: there must be at least one");
    if (tasks > most_tasks_) lines_.refuse(fmt::format("{} tasks are refused: there are {} nodes", tasks, most_tasks_));
    tasks_ = static_cast<TaskId>(tasks);
  }
  [[nodiscard]] TaskId tasks() const { return tasks_; }

  [[nodiscard]] std::uint64_t whole(std::string_view field, std::string_view what) const {
    const auto number = base::number_in<std::uint64_t>(field);
    if (!number) lines_.refuse(fmt::format("{} '{}' is refused: it must be a whole number, 0 or more", what, field));
    return *number;
  }
  /// A number of bytes, rounded.
  [[nodiscard]] std::uint64_t bytes(std::string_view field) const {
    const double number = base::number_in<double>(field).value_or(std::nan(""));
    if (!(number >= 0 && number <= kMostTrafficBytes)) {
      lines_.refuse(fmt::format("'{}' bytes are refused: it must be a number from 0 to 2^53", field));
    }
    return static_cast<std::uint64_t>(std::llround(number));
  }

  void add(std::uint64_t from, std::uint64_t to, std::uint64_t bytes) {
    if (from == to || bytes == 0) return;
    total_ += static_cast<double>(bytes);
    if (total_ > kMostTrafficBytes) lines_.refuse("the bytes of all lines come to more than 2^53");
    transfers_.push_back({static_cast<TaskId>(from), static_cast<TaskId>(to), bytes});
  }

  /// Takes down that the current line names a pair of tasks: for formats that may name one twice.
  void name_pair(std::uint64_t from, std::uint64_t to) {
    pairs_.add(static_cast<TaskId>(from), static_cast<TaskId>(to), lines_.line());
  }

  [[nodiscard]] GraphFile take() {
    GraphFile file{TaskGraph(tasks_, std::move(transfers_))};
    pairs_.tell(file);
    return file;
  }

 private:
  const FileLines& lines_;
  TaskId most_tasks_;
  TaskId tasks_ = 0;
  std::vector<Transfer> transfers_;
  PairLines pairs_;
  double total_ = 0;
};

GraphFile read_matrix_market(FileLines& lines, TaskId most_tasks) {
  Collector found(lines, most_tasks);
  const auto header = next_trimmed(lines);
  const auto words = base::blank_fields(header.value_or(""));
  if (words.size() != 5 || in_small_letters(words[0]) != "%%matrixmarket" || in_small_letters(words[1]) != "matrix") {
    lines.refuse("the header must be '%%MatrixMarket matrix FORMAT FIELD SYMMETRY'");
  }
  const std::string format = in_small_letters(words[2]);
  const std::string field = in_small_letters(words[3]);
  const std::string symmetry = in_small_letters(words[4]);
  const bool is_array = format == "array";
  const bool is_pattern = field == "pattern";
  if (!is_array && format != "coordinate") {
    lines.refuse(fmt::format("format '{}' is refused: it must be coordinate or array", words[2]));
  }
  if (field != "real" && field != "integer" && field != "double" && (!is_pattern || is_array)) {
    lines.refuse(fmt::format("field '{}' is refused: bytes are real, integer or, of coordinates, pattern", words[3]));
  }
  const bool is_general = symmetry == "general";
  const bool is_skew = symmetry == "skew-symmetric";
  if (!is_general && symmetry != "symmetric" && !is_skew) {
    lines.refuse(fmt::format("symmetry '{}' is refused: it must be general, symmetric or skew-symmetric", words[4]));
  }
  const auto size = number_fields(next_content(lines, '%').value_or(""));
  if (size.size() != (is_array ? 2U : 3U))
    lines.refuse("the line of sizes is missing: rows, columns and, of coordinates, entries");
  const std::uint64_t rows = found.whole(size[0], "rows");
  if (found.whole(size[1], "columns") != rows) {
    lines.refuse(fmt::format("{} x {} is refused: the matrix of tasks and tasks must be square", size[0], size[1]));
  }
  found.tasks(rows);
  const auto put = [&](std::uint64_t row, std::uint64_t column, std::uint64_t bytes) {
    found.add(row, column, bytes);
    if (!is_general) found.add(column, row, bytes);
  };
  // The lower triangle of a skew-symmetric matrix may hold negative numbers: the sign says nothing about bytes.
  const auto bytes_in = [&](std::string_view text) {
    return found.bytes(is_skew && text.starts_with('-') ? text.substr(1) : text);
  };
  if (is_array) {
    for (std::uint64_t column = 0; column < rows; ++column) {
      for (std::uint64_t row = is_general ? 0 : column + (is_skew ? 1 : 0); row < rows; ++row) {
        const auto line = next_content(lines, '%');
        if (!line) lines.refuse(fmt::format("the file ends before row {} of column {}", row + 1, column + 1));
        put(row, column, bytes_in(*line));
      }
    }
  } else {
    const std::uint64_t entries = found.whole(size[2], "entries");
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
      const auto line = next_content(lines, '%');
      if (!line) lines.refuse(fmt::format("the file ends after {} of {} entries", entry, entries));
      const auto fields = base::blank_fields(*line);
      if (fields.size() != (is_pattern ? 2U : 3U)) lines.refuse(fmt::format("{} numbers are refused", fields.size()));
      const auto index = [&](std::string_view text, std::string_view what) {
        const std::uint64_t number = found.whole(text, what);
        if (number < 1 || number > rows)
          lines.refuse(fmt::format("{} {} is refused: it must be from 1 to {}", what, number, rows));
        return number - 1;
      };
      const std::uint64_t row = index(fields[0], "row");
      const std::uint64_t column = index(fields[1], "column");
      // (i, j) and (j, i) are one entry of a symmetric matrix.
      found.name_pair(is_general ? row : std::max(row, column), is_general ? column : std::min(row, column));
      put(row, column, is_pattern ? 1 : bytes_in(fields[2]));
    }
  }
  if (next_content(lines, '%')) lines.refuse("a line after the last entry is refused");
  return found.take();
}

GraphFile read_metis(FileLines& lines, TaskId most_tasks) {
  Collector found(lines, most_tasks);
  const auto head = base::blank_fields(next_content(lines, '%').value_or(""));
  if (head.size() < 2 || head.size() > 4) lines.refuse("the first line must be 'vertices edges [format [weights]]'");
  found.tasks(found.whole(head[0], "vertices"));
  const std::uint64_t edges = found.whole(head[1], "edges");
  std::string format(head.size() > 2 ? head[2] : "0");
  format.insert(0, format.size() < 3 ? 3 - format.size() : 0, '0');
  if (format.size() != 3 || format.find_first_not_of("01") != std::string::npos) {
    lines.refuse(fmt::format("format '{}' is refused: it must be up to three digits 0 or 1", head[2]));
  }
  const bool has_size = format[0] == '1';
  const bool has_weights = format[1] == '1';
  const bool has_edge_weights = format[2] == '1';
  const std::uint64_t weights = head.size() > 3 ? found.whole(head[3], "weights") : (has_weights ? 1 : 0);
  if (!has_weights && weights > 0) lines.refuse("weights of vertices are refused: the format has none");
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint64_t, std::size_t>> seen;  // bytes and line
  for (std::uint64_t vertex = 0; vertex < found.tasks(); ++vertex) {
    auto line = next_trimmed(lines);
    while (line && line->starts_with('%')) line = next_trimmed(lines);
    if (!line) lines.refuse(fmt::format("the file ends after {} of {} vertices", vertex, found.tasks()));
    const auto fields = base::blank_fields(*line);
    std::size_t at = (has_size ? 1 : 0) + weights;
    if (fields.size() < at)
      lines.refuse(fmt::format("vertex {} has {} numbers before its neighbours, {} are missing", vertex + 1, at,
                               at - fields.size()));
    for (std::size_t number = 0; number < at; ++number) static_cast<void>(found.whole(fields[number], "weight"));
    while (at < fields.size()) {
      const std::uint64_t neighbour = found.whole(fields[at++], "neighbour");
      if (neighbour < 1 || neighbour > found.tasks()) {
        lines.refuse(fmt::format("neighbour {} is refused: it must be from 1 to {}", neighbour, found.tasks()));
      }
      if (neighbour == vertex + 1) lines.refuse(fmt::format("vertex {} is its own neighbour", neighbour));
      if (has_edge_weights && at == fields.size()) lines.refuse("the weight of the last edge is missing");
      const std::uint64_t bytes = has_edge_weights ? found.bytes(fields[at++]) : 1;
      if (!seen.try_emplace({vertex, neighbour - 1}, bytes, lines.line()).second) {
        lines.refuse(fmt::format("neighbour {} stands twice", neighbour));
      }
      found.add(vertex, neighbour - 1, bytes);
    }
  }
  if (next_content(lines, '%')) {
    lines.refuse(fmt::format("the first line announces {} vertices, and this line is one more", found.tasks()));
  }
  for (const auto& [pair, edge] : seen) {
    const auto back = seen.find({pair.second, pair.first});
    if (back != seen.end() && back->second.first == edge.first) continue;
    lines.refuse(fmt::format("the edge {}-{} of line {} {}", pair.first + 1, pair.second + 1, edge.second,
                             back == seen.end() ? "is not in the list of its other end" : "has two weights"));
  }
  if (seen.size() != 2 * edges)
    lines.refuse(fmt::format("{} edges are announced, there are {}", edges, seen.size() / 2));
  return found.take();
}

bool is_number_field(std::string_view field) { return base::number_in<double>(field).has_value(); }

/// Rows of numbers. A first row beyond the square, which names the columns, and a first column of names are left out.
/// Names may be numbers if the corner is not.
GraphFile read_matrix(FileLines& lines, TaskId most_tasks) {
  Collector found(lines, most_tasks);
  FileLines ahead = lines;
  std::uint64_t rows = 0;
  std::vector<std::string_view> first;
  std::vector<std::string_view> second;
  while (const auto line = next_content(ahead, '#')) {
    if (++rows == 1) first = number_fields(*line);
    if (rows <= 2) second = number_fields(*line);
  }
  if (rows == 0) lines.refuse("there is no row of numbers");
  const bool has_corner = first.size() == second.size() && rows == first.size() && !is_number_field(first[0]);
  const std::size_t labels = has_corner || !is_number_field(second[0]) ? 1 : 0;
  const std::size_t columns = second.size() - labels;
  const bool has_header = rows == columns + 1 && (first.size() == columns || first.size() == columns + labels);
  if (has_header) static_cast<void>(next_content(lines, '#'));
  std::uint64_t row = 0;
  while (const auto line = next_content(lines, '#')) {
    const auto fields = number_fields(*line);
    if (row == 0) found.tasks(fields.size() - std::min(labels, fields.size()));
    if (row == found.tasks()) {
      lines.refuse(fmt::format("row {} is refused: there are {} columns", row + 1, found.tasks()));
    }
    if (fields.size() != found.tasks() + labels) {
      lines.refuse(fmt::format("{} fields are refused: the first row has {}", fields.size(), found.tasks() + labels));
    }
    for (std::uint64_t column = 0; column < found.tasks(); ++column) {
      found.add(row, column, found.bytes(fields[labels + column]));
    }
    ++row;
  }
  if (row != found.tasks()) lines.refuse(fmt::format("the file ends after {} of {} rows", row, found.tasks()));
  return found.take();
}

GraphFile read_pairs(FileLines& lines, TaskId most_tasks) {
  Collector found(lines, most_tasks);
  std::uint64_t tasks = 0;
  for (auto line = next_content(lines, '#'); line; line = next_content(lines, '#')) {
    const auto fields = number_fields(*line);
    if (fields.size() < 3) lines.refuse("a line must have sender, receiver and bytes");
    const std::uint64_t from = found.whole(fields[0], "sender");
    const std::uint64_t to = found.whole(fields[1], "receiver");
    if (std::max(from, to) >= most_tasks) found.tasks(std::max(from, to) + 1);
    tasks = std::max(tasks, std::max(from, to) + 1);
    found.name_pair(from, to);
    found.add(from, to, found.bytes(fields[2]));
  }
  found.tasks(tasks);
  return found.take();
}

}  // namespace

std::string_view name_of(GraphFormat format) { return kFormatNames[format]; }

std::vector<std::string> graph_format_names() { return {kFormatNames.begin(), kFormatNames.end()}; }

GraphFormat graph_format_named(std::string_view name) {
  if (const auto format = kFormatNames.find(name)) return *format;
  throw Error(fmt::format("format '{}' is refused: it must be one of {}", name, fmt::join(kFormatNames, ", ")));
}

namespace {

constexpr std::string_view kPairsComment = "# pairs";
constexpr std::string_view kMatrixComment = "# matrix";

/// Three lines of three numbers: a matrix if its diagonal is 0 or a first or second number is none of a task. With
/// commas, pairs are lines of a CSV file without its header, which is refused.
GraphFormat matrix_or_pairs(std::string_view text, std::string_view name, bool has_commas) {
  FileLines lines(text, name);
  bool has_zero_diagonal = true;
  bool has_tasks = true;
  for (std::size_t row = 0; const auto line = next_content(lines, '#'); ++row) {
    const auto fields = number_fields(*line);
    if (fields.size() != 3 || !is_number_field(fields[0])) return GraphFormat::matrix;  // names, or a wrong row
    has_zero_diagonal &= base::number_in<double>(fields[row]) == 0;
    has_tasks &= base::number_in<TaskId>(fields[0]) && base::number_in<TaskId>(fields[1]);
  }
  if (has_zero_diagonal || !has_tasks) return GraphFormat::matrix;
  if (has_commas) return GraphFormat::csv;
  throw Error(fmt::format(
      "{}: three lines of three numbers may be a list of pairs or a matrix of three tasks: a first line '{}' "
      "or '{}' says which",
      name, kPairsComment, kMatrixComment));
}

}  // namespace

GraphFormat guess_graph_format(std::string_view text, std::string_view name) {
  if (in_small_letters(text.substr(0, 14)) == "%%matrixmarket") return GraphFormat::matrix_market;
  if (const std::string ending = base::ending_of(name); ending == ".graph" || ending == ".metis")
    return GraphFormat::metis;
  const std::string_view comment = base::trimmed(text.substr(0, text.find('\n')));
  if (comment == kPairsComment) return GraphFormat::pairs;
  if (comment == kMatrixComment) return GraphFormat::matrix;
  FileLines lines(text, name);
  const std::string_view first = next_content(lines, '#').value_or("");
  if (first.starts_with("from,") || first.starts_with("tasks,")) return GraphFormat::csv;
  if (first.starts_with('%')) return GraphFormat::metis;
  const auto fields = number_fields(first);
  const std::size_t columns = fields.size();
  std::size_t rows = 1;
  while (next_content(lines, '#')) ++rows;
  const bool has_commas = first.find(',') != std::string_view::npos;
  const bool has_words = std::ranges::none_of(fields, is_number_field);  // a header that the CSV reader names
  if (columns == 3 && rows == 3 && is_number_field(fields[0])) return matrix_or_pairs(text, name, has_commas);
  if (columns == 3 && (has_commas || has_words)) return GraphFormat::csv;
  if (columns == 3 && is_number_field(fields[0])) return GraphFormat::pairs;
  if (columns > 1 && (rows == columns || rows == columns + 1 || rows + 1 == columns)) return GraphFormat::matrix;
  return GraphFormat::csv;
}

GraphFile parse_foreign_graph(std::string_view text, std::string_view name, GraphFormat format, TaskId most_tasks) {
  FileLines lines(text, name);
  switch (format) {
    case GraphFormat::csv:
      return parse_graph(text, name, most_tasks);
    case GraphFormat::matrix_market:
      return read_matrix_market(lines, most_tasks);
    case GraphFormat::metis:
      return read_metis(lines, most_tasks);
    case GraphFormat::matrix:
      return read_matrix(lines, most_tasks);
    case GraphFormat::pairs:
      return read_pairs(lines, most_tasks);
  }
  GDR_ASSERT(false, "a format of graphs has a reader");
  return parse_graph(text, name, most_tasks);
}

}  // namespace gdr::interconnect
