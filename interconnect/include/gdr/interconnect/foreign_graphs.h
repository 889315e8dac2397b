// Task graphs in files of other programs: MatrixMarket, METIS, and matrices as TreeMatch, IPM and others write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gdr/interconnect/task_graph.h"

namespace gdr::interconnect {

enum class GraphFormat : std::uint8_t {
  csv,            // gdr's own, parse_graph()
  matrix_market,  // coordinate or array; real, integer or pattern; general, symmetric or skew-symmetric
  metis,          // adjacency lists of an undirected graph
  matrix,         // rows of numbers between blanks or commas: TreeMatch's .mat, matrices of IPM and mpiP
  pairs           // lines of sender, receiver and bytes between blanks
};
[[nodiscard]] std::string_view name_of(GraphFormat format);  // csv, matrix-market, metis, matrix, pairs
[[nodiscard]] std::vector<std::string> graph_format_names();
/// Throws gdr::Error with the known names for any other.
[[nodiscard]] GraphFormat graph_format_named(std::string_view name);

/// The format of a file from its first lines, and from the end of its name: .graph and .metis are METIS's. A first line
/// `# pairs` or `# matrix` says which of the two the file is. Throws gdr::Error if it lacks and both are possible: for
/// three lines of three whole numbers whose diagonal is not 0.
[[nodiscard]] GraphFormat guess_graph_format(std::string_view text, std::string_view name);

/// Reads a graph. Entry (i, j) of a matrix is what task i sends to task j; both triangles of a symmetric one are
/// filled. What a task has for itself is left out. Weights of METIS's edges are sent in both directions, without
/// weights one byte. Numbers with a fraction are rounded to whole bytes. Throws gdr::Error `NAME:LINE: ...` for what
/// the format does not allow, complex and negative numbers, sums beyond 2^53, and more tasks than `most_tasks`.
[[nodiscard]] GraphFile parse_foreign_graph(std::string_view text, std::string_view name, GraphFormat format,
                                            TaskId most_tasks);

}  // namespace gdr::interconnect
