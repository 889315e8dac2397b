// Task graphs in files of other programs: what each format says arrives, and what breaks it is refused with its line.
#include "gdr/interconnect/foreign_graphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gdr/base/error.h"

namespace gdr::interconnect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr TaskId kMost = 64;

std::vector<Transfer> read(GraphFormat format, std::string_view text, TaskId tasks) {
  const GraphFile file = parse_foreign_graph(text, "graph", format, kMost);
  EXPECT_EQ(file.graph.tasks(), tasks);
  return {file.graph.transfers().begin(), file.graph.transfers().end()};
}

std::string refusal(GraphFormat format, std::string_view text) {
  try {
    static_cast<void>(parse_foreign_graph(text, "graph", format, kMost));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ForeignGraphs, MatrixMarketInAllItsForms) {
  using enum GraphFormat;
  EXPECT_THAT(
      read(matrix_market, "%%MatrixMarket matrix coordinate integer general\n% comment\n3 3 2\n1 2 7\n3 1 5\n", 3),
      ElementsAre(Transfer{0, 1, 7}, Transfer{2, 0, 5}));
  EXPECT_THAT(read(matrix_market, "%%MatrixMarket MATRIX coordinate real symmetric\n2 2 2\n1 1 9\n2 1 2.6", 2),
              ElementsAre(Transfer{0, 1, 3}, Transfer{1, 0, 3}));
  EXPECT_THAT(read(matrix_market, "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", 2),
              ElementsAre(Transfer{0, 1, 1}));
  EXPECT_THAT(read(matrix_market, "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 -4\n", 2),
              ElementsAre(Transfer{0, 1, 4}, Transfer{1, 0, 4}));
  // Columns first.
  EXPECT_THAT(read(matrix_market, "%%MatrixMarket matrix array real general\n2 2\n0\n1\n2\n0\n", 2),
              ElementsAre(Transfer{0, 1, 2}, Transfer{1, 0, 1}));
  EXPECT_THAT(read(matrix_market, "%%MatrixMarket matrix array real symmetric\n2 2\n0\n8\n0\n", 2),
              ElementsAre(Transfer{0, 1, 8}, Transfer{1, 0, 8}));
}

TEST(ForeignGraphs, MatrixMarketIsRefusedWithItsLine) {
  const auto told = [](std::string_view text) { return refusal(GraphFormat::matrix_market, text); };
  EXPECT_THAT(told("1 2 3\n"), HasSubstr("graph:1: the header"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate complex general\n2 2 0\n"), HasSubstr("graph:1: field 'complex'"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate real hermitian\n2 2 0\n"), HasSubstr("symmetry 'hermitian'"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate real general\n2 3 0\n"), HasSubstr("graph:2: 2 x 3 is refused"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate real general\n65 65 0\n"), HasSubstr("there are 64 nodes"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n"), HasSubstr("graph:3: row 3"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 -5\n"), HasSubstr("graph:3: '-5' bytes"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 nan\n"),
              HasSubstr("graph:3: 'nan' bytes"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 5\n"), HasSubstr("after 1 of 2 entries"));
  EXPECT_THAT(told("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 5\n1 2 5\n"),
              HasSubstr("graph:4: a line"));
}

TEST(ForeignGraphs, MetisWithAllWeights) {
  // A path of three vertices; an isolated one has an empty line.
  EXPECT_THAT(read(GraphFormat::metis, "% path\n4 2\n2\n1 3\n2\n\n", 4),
              ElementsAre(Transfer{0, 1, 1}, Transfer{1, 0, 1}, Transfer{1, 2, 1}, Transfer{2, 1, 1}));
  EXPECT_THAT(read(GraphFormat::metis, "2 1 001\n2 50\n1 50\n", 2),
              ElementsAre(Transfer{0, 1, 50}, Transfer{1, 0, 50}));
  EXPECT_THAT(read(GraphFormat::metis, "2 1 111 2\n9 1 1 2 50\n9 1 1 1 50\n", 2),
              ElementsAre(Transfer{0, 1, 50}, Transfer{1, 0, 50}));
}

TEST(ForeignGraphs, MetisIsRefusedWithItsLine) {
  const auto told = [](std::string_view text) { return refusal(GraphFormat::metis, text); };
  EXPECT_THAT(told("2\n"), HasSubstr("graph:1: the first line"));
  EXPECT_THAT(told("2 1 2\n2\n1\n"), HasSubstr("format '2'"));
  EXPECT_THAT(told("2 1\n3\n1\n"), HasSubstr("graph:2: neighbour 3"));
  EXPECT_THAT(told("2 1\n1\n1\n"), HasSubstr("its own neighbour"));
  EXPECT_THAT(told("2 1\n2\n\n"), HasSubstr("the edge 1-2 of line 2 is not in the list of its other end"));
  EXPECT_THAT(told("2 1 1\n2 5\n1 6\n"), HasSubstr("has two weights"));
  EXPECT_THAT(told("2 2\n2\n1\n"), HasSubstr("2 edges are announced, there are 1"));
  EXPECT_THAT(told("3 1\n2\n1\n"), HasSubstr("after 2 of 3 vertices"));
  EXPECT_THAT(told("2 1\n2\n1\n% more\n1 2\n1\n"),
              HasSubstr("graph:5: the first line announces 2 vertices, and this line is one more"));
  EXPECT_THAT(read(GraphFormat::metis, "2 1\n2\n1\n\n% the end\n", 2), SizeIs(2));
  EXPECT_THAT(told(std::string_view("2 1\n2\n1\0\n", 9)), HasSubstr("graph:3: a zero byte in this line"));
}

TEST(ForeignGraphs, MatricesWithAndWithoutNames) {
  using enum GraphFormat;
  const auto expected = ElementsAre(Transfer{0, 1, 5}, Transfer{1, 0, 6});
  EXPECT_THAT(read(matrix, "0 5\n6 0\n", 2), expected);
  EXPECT_THAT(read(matrix, "# ranks\n1,5,\n6,1,\n", 2), expected);
  EXPECT_THAT(read(matrix, "0 1\n0 5\n6 0\n", 2), expected);                 // numbers of the columns
  EXPECT_THAT(read(matrix, "rank,r0,r1\nr0,0,5.2\nr1,6,0\n", 2), expected);  // names of rows and columns
  EXPECT_THAT(refusal(matrix, "0 5\n6\n"), HasSubstr("graph:2: 1 fields are refused: the first row has 2"));
  EXPECT_THAT(refusal(matrix, "0 5 1\n6 0 1\n"), HasSubstr("after 2 of 3 rows"));
  EXPECT_THAT(refusal(matrix, "0 5\n-6 0\n"), HasSubstr("graph:2: '-6' bytes"));
  EXPECT_THAT(refusal(matrix, "\n"), HasSubstr("no row"));
}

TEST(ForeignGraphs, PairsAndFormatsAreTold) {
  using enum GraphFormat;
  EXPECT_THAT(read(pairs, "0 1 5\n2 0 7 # seven\n", 3), ElementsAre(Transfer{0, 1, 5}, Transfer{2, 0, 7}));
  EXPECT_THAT(refusal(pairs, "0 1\n"), HasSubstr("graph:1: a line must have"));
  EXPECT_THAT(refusal(pairs, "0 64 1\n"), HasSubstr("65 tasks are refused"));
  EXPECT_EQ(guess_graph_format("%%MatrixMarket matrix\n", "x"), matrix_market);
  EXPECT_EQ(guess_graph_format("3 2\n", "x.graph"), metis);
  EXPECT_EQ(guess_graph_format("tasks,4\nfrom,to,bytes\n", "x"), csv);
  EXPECT_EQ(guess_graph_format("0 5\n6 0\n", "x.mat"), matrix);
  EXPECT_EQ(guess_graph_format("0 1 5\n", "x"), pairs);
  // A CSV file whose header is lost stays one, and is refused.
  EXPECT_EQ(guess_graph_format("0,1,5\n1,0,5\n2,1,5\n", "x.csv"), csv);
  EXPECT_EQ(guess_graph_format("", "x"), csv);
}

// Of every format, lines that name a pair of an earlier line are added to it and counted.
TEST(ForeignGraphs, RepeatedPairsAreSummedAndCounted) {
  const auto duplicates = [](GraphFormat format, std::string_view text) {
    const GraphFile file = parse_foreign_graph(text, "graph", format, 8);
    return std::tuple(file.duplicates, file.first_duplicate, file.graph.total_bytes());
  };
  using enum GraphFormat;
  EXPECT_EQ(duplicates(csv, "from,to,bytes\n0,1,5\n1,0,3\n0,1,7\n"), std::tuple(1, 4, 15));
  EXPECT_EQ(duplicates(pairs, "0 1 5\n0 1 7\n"), std::tuple(1, 2, 12));
  EXPECT_EQ(duplicates(pairs, "1 0 1\n0 1 5\n1 0 7\n0 1 1\n1 0 1\n"), std::tuple(3, 3, 15));
  const std::string head = "%%MatrixMarket matrix coordinate real ";
  EXPECT_EQ(duplicates(matrix_market, head + "general\n3 3 3\n1 2 5\n2 1 5\n1 2 5\n"), std::tuple(1, 5, 15));
  EXPECT_EQ(duplicates(matrix_market, head + "symmetric\n3 3 2\n1 2 5\n2 1 5\n"), std::tuple(1, 4, 20));
  EXPECT_EQ(duplicates(matrix_market, head + "symmetric\n3 3 2\n2 1 5\n3 1 5\n"), std::tuple(0, 0, 20));
}

TEST(ForeignGraphs, ThreeLinesOfThreeNumbersMustSayWhatTheyAre) {
  using enum GraphFormat;
  try {
    static_cast<void>(guess_graph_format("0 1 5\n1 2 7\n2 0 9\n", "x"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("x: three lines of three numbers may be a list of pairs or a matrix"));
  }
  EXPECT_EQ(guess_graph_format("# pairs\n0 1 5\n1 2 7\n2 0 9\n", "x"), pairs);
  EXPECT_EQ(guess_graph_format("# matrix\n0 1 5\n1 2 7\n2 0 9\n", "x"), matrix);
  EXPECT_EQ(guess_graph_format("0 1 5\n1 0 7\n2 9 0\n", "x"), matrix);    // no task sends to itself
  EXPECT_EQ(guess_graph_format("1.5 1 5\n1 2 7\n2 0 9\n", "x"), matrix);  // 1.5 is no task
}

TEST(ForeignGraphs, SmallMatricesAreRecognisedWithCommasAndNumberedNames) {
  using enum GraphFormat;
  EXPECT_EQ(guess_graph_format("0,1,2\n3,0,4\n5,6,0\n", "x"), matrix);
  EXPECT_EQ(guess_graph_format("0, 1, 2\n3, 0, 4\n5, 6, 0\n", "x"), matrix);
  EXPECT_EQ(guess_graph_format("0,1,5\n1,2,7\n2,0,9\n", "x"), csv);  // which refuses it: a header is missing
  EXPECT_EQ(guess_graph_format("src;dst;bytes\n0;1;5\n", "x"), csv);
  for (const std::string_view text : {"task,0,1,2,3\n0,0,1,2,1\n1,3,0,4,2\n2,5,6,0,1\n3,1,1,1,0\n",
                                      "- 0 1 2 3\n0 0 1 2 1\n1 3 0 4 2\n2 5 6 0 1\n3 1 1 1 0\n"}) {
    ASSERT_EQ(guess_graph_format(text, "x"), matrix) << text;
    const TaskGraph graph = parse_foreign_graph(text, "x", matrix, 64).graph;
    EXPECT_EQ(graph.tasks(), 4U);
    EXPECT_EQ(graph.total_bytes(), 28U);  // the sum of the numbers beside the names
  }
}

TEST(ForeignGraphs, FormatsHaveNames) {
  for (const std::string& name : graph_format_names()) EXPECT_EQ(name_of(graph_format_named(name)), name);
  EXPECT_THROW(static_cast<void>(graph_format_named("gml")), Error);
}

}  // namespace
}  // namespace gdr::interconnect
