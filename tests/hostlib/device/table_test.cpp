#include "gdr/hostlib/table.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "formats/table_format.h"
#include "formats/zip.h"
#include "gdr/base/file.h"
#include "nbody/nbody_testing.h"

namespace gdr::hostlib {
namespace {

using testing::error_of;
using testing::ScratchDirectory;

const std::vector<ColumnType> kXAndId{{"x", NumberType::real}, {"id", NumberType::integer}};

std::vector<double> reals(std::vector<double> values) { return values; }
std::vector<std::int64_t> integers(std::vector<std::int64_t> values) { return values; }

Table read_text(const char* file, const std::string& content, std::span<const ColumnType> expected,
                const TableReadOptions& options = {}) {
  const ScratchDirectory directory;
  base::write_file(directory / file, content);
  return read_table(directory / file, expected, options);
}

Table csv(const std::string& text, const TableReadOptions& options = {}) {
  return read_text("in.csv", text, kXAndId, options);
}

// The error of reading `text`, from the file's name on.
std::string refusal(const char* file, const std::string& content, const TableReadOptions& options = {}) {
  const std::string error = error_of([&] { (void)read_text(file, content, kXAndId, options); });
  const auto at = error.find(file);
  EXPECT_NE(at, std::string::npos) << error;
  return at == std::string::npos ? error : error.substr(at);
}
std::string csv_refusal(const std::string& text, const TableReadOptions& options = {}) {
  return refusal("in.csv", text, options);
}

Table x_and_id(std::vector<double> x, std::vector<std::int64_t> id) {
  Table table;
  table.add("x", std::move(x));
  table.add("id", std::move(id));
  return table;
}

TEST(Table, CsvColumnsComeInTheOrderExpected) {
  const Table table = csv("id,x\n7,0.5\n-8,2\n");
  EXPECT_EQ(table, x_and_id({0.5, 2.0}, {7, -8}));
  EXPECT_EQ(table.rows(), 2u);
  EXPECT_EQ(table.columns()[0].name, "x");
}

TEST(Table, CsvMayHoldCommentsBlankLinesQuotesAndForeignLineEnds) {
  const Table expected = x_and_id({1.5, -2e-3}, {3, 4});
  EXPECT_EQ(csv("# made by hand\n\n x , id \n# units: 1\n1.5,3\n\n -2e-3 ,\t4\n"), expected);
  EXPECT_EQ(csv("x,id\r\n1.5,3\r\n\r\n-2e-3,4\r\n"), expected);
  EXPECT_EQ(csv("\xEF\xBB\xBF\"x\",\"id\"\n\"1.5\",\"+3\"\n-2e-3,4\n"), expected);
}

TEST(Table, CsvOfOneColumnHasNoEmptyLineBetweenRows) {
  const std::vector<ColumnType> x{{"x", NumberType::real}};
  EXPECT_EQ(read_text("in.csv", "# made\n\nx\n\n1\n# half\n2\n\n\n", x).rows(), 2u);
  const std::string error = error_of([&] { (void)read_text("in.csv", "x\n1\n# next\n\n2\n", x); });
  EXPECT_NE(error.find("in.csv:4: the line is empty, between rows of one column: remove it, or give the number"),
            std::string::npos)
      << error;
}

TEST(Table, CsvWithoutRowsIsATableWithoutRows) { EXPECT_EQ(csv("x,id\n"), x_and_id({}, {})); }

TEST(Table, CsvIntegersAreExact) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(csv("x,id\n0,9007199254740993\n0,-9223372036854775808\n0,9223372036854775807\n"),
            x_and_id({0, 0, 0}, {9007199254740993, kLeast, kMost}));
  EXPECT_EQ(csv_refusal("x,id\n0,9223372036854775808\n"),
            "in.csv:2: column 'id': '9223372036854775808' is outside the range of 64 bits");
  EXPECT_EQ(csv_refusal("x,id\n0,1.0\n"), "in.csv:2: column 'id': '1.0' is no integer");
}

TEST(Table, IntegersMustBeInTheRangeOfTheirColumn) {
  const std::vector<ColumnType> columns{{"n", NumberType::integer, {-3, 2}}};
  const auto refusal = [](const auto& act) -> std::string {
    try {
      act();
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal([&] { static_cast<void>(read_csv("n\n-3\n2\n", "in.csv", columns)); }), "accepted");
  EXPECT_EQ(refusal([&] { static_cast<void>(read_csv("n\n0\n3\n", "in.csv", columns)); }),
            "in.csv:3: column 'n': '3' is outside -3 to 2");
  Table table;
  table.add("n", std::vector<std::int64_t>{0, -4});
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "range.npy";
  write_table(file, table);
  EXPECT_EQ(refusal([&] { static_cast<void>(read_table(file, columns)); }),
            file.string() + ": column 'n' row 1: -4 is outside -3 to 2");
}

TEST(Table, CsvTakesInfinityAndRefusesNan) {
  EXPECT_EQ(csv("x,id\n-inf,1\n"), x_and_id({-std::numeric_limits<double>::infinity()}, {1}));
  EXPECT_EQ(csv_refusal("# c\nx,id\n1,1\nnan,2\n"),
            "in.csv:4: column 'x': 'nan' is not a number, which the machine does not have");
  EXPECT_NE(csv_refusal("x,id\n-NaN,2\n").find("in.csv:2: column 'x': '-NaN' is not a number"), std::string::npos);
}

TEST(Table, CsvRefusesWhatIsNoNumber) {
  EXPECT_EQ(csv_refusal("x,id\nabc,1\n"), "in.csv:2: column 'x': 'abc' is no number");
  EXPECT_EQ(csv_refusal("x,id\n,1\n"), "in.csv:2: column 'x': '' is no number");
  EXPECT_EQ(csv_refusal("x,id\n1.5z,1\n"), "in.csv:2: column 'x': '1.5z' is no number");
  EXPECT_EQ(csv_refusal("x,id\n+-1,1\n"), "in.csv:2: column 'x': '+-1' is no number");
  EXPECT_EQ(csv_refusal("x,id\n1e999,1\n"), "in.csv:2: column 'x': '1e999' is outside the range of a double");
}

TEST(Table, CsvRefusesRowsOfAnotherLengthThanTheHeader) {
  EXPECT_EQ(csv_refusal("x,id\n1,2\n1\n"), "in.csv:3: 1 fields where the header has 2");
  EXPECT_EQ(csv_refusal("x,id\n1,2,\n"), "in.csv:2: 3 fields where the header has 2");
}

TEST(Table, CsvWithoutItsLastLineFeedMayBeCutOffAndIsRefused) {
  const std::string whole = "x,id\n-0.918,12\n";
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
    if (whole[bytes - 1] == '\n') continue;  // the header alone
    EXPECT_NE(csv_refusal(whole.substr(0, bytes)).find("may be cut off"), std::string::npos) << bytes;
  }
}

TEST(Table, CsvHeaderMustNameEachExpectedColumnOnce) {
  EXPECT_EQ(csv_refusal("x\n1\n"), "in.csv:1: missing column id (expected: x, id)");
  EXPECT_EQ(csv_refusal("a\n1\n"), "in.csv:1: missing columns x, id (expected: x, id); it has a");
  EXPECT_EQ(csv_refusal("X,id\n1,2\n"), "in.csv:1: missing column x (expected: x, id); it has 'X': capitals matter");
  EXPECT_EQ(csv_refusal("x;id\n1;2\n"),
            "in.csv:1: missing columns x, id (expected: x, id); 'x;id' has semicolons between its names, where commas "
            "must be");
  EXPECT_EQ(csv_refusal("1,2\n3,4\n"),
            "in.csv:1: missing columns x, id (expected: x, id); the first line must hold the names of the columns, and "
            "it holds numbers");
  EXPECT_EQ(csv_refusal(",x,id\n0,1,2\n"),
            "in.csv:1: unknown column '' (expected: x, id); a column without a name is an index, as pandas writes it: "
            "write the file with index=False, or skip the column with --ignore-extra");
  EXPECT_EQ(csv_refusal("x,id\n1,5,2,0\n"),
            "in.csv:2: 4 fields where the header has 2; numbers have a point before their fraction, not a comma");
  EXPECT_EQ(csv_refusal("\nx,id,x\n1,2,3\n"), "in.csv:2: column 'x' is there twice");
  EXPECT_EQ(csv_refusal("# nothing\n"), "in.csv:1: the file ends before its header line");
  EXPECT_EQ(csv_refusal(""), "in.csv: the file is empty: its first line must hold the names of the columns");
}

TEST(Table, ExtraColumnsAreRefusedUnlessIgnored) {
  EXPECT_EQ(csv_refusal("x,name,id\n1,a,2\n"), "in.csv:1: unknown column 'name' (expected: x, id)");
  // What is ignored need not even be numbers.
  EXPECT_EQ(csv("x,name,id\n1,\"a, b\",2\n", {true, {}}), x_and_id({1}, {2}));
}

TEST(Table, RowsBeyondTheLimitAreCounted) {
  const TableReadOptions two{false, RowLimit{2, "external memory"}};
  EXPECT_EQ(csv("x,id\n1,1\n2,2\n", two).rows(), 2u);
  EXPECT_EQ(csv_refusal("x,id\n1,1\n2,2\n\n3,3\n4,4\n5,5\n", two),
            "in.csv:5: 5 rows are 3 too many: external memory holds 2");
}

TEST(Table, MissingFileIsNamed) {
  const std::string error = error_of([] { (void)read_table("/nowhere/in.csv", kXAndId); });
  EXPECT_NE(error.find("/nowhere/in.csv"), std::string::npos) << error;
}

Table with_every_bit() {
  Table table;
  table.add("x[0]", reals({0.1, -0.0, std::numeric_limits<double>::denorm_min()}));
  table.add("x[1]", reals({std::nextafter(1.0, 2.0), std::numeric_limits<double>::max(), 1.0 / 3.0}));
  table.add("id", integers({std::numeric_limits<std::int64_t>::min(), 9007199254740993, -1}));
  table.add("y", reals({-std::numeric_limits<double>::infinity(), 5e300, -2.5}));
  return table;
}

TEST(Table, EveryBitSurvivesCsvAndNpy) {
  const ScratchDirectory directory;
  const Table written = with_every_bit();
  std::vector<ColumnType> types;
  for (const Column& column : written.columns()) types.push_back({column.name, column.type()});
  for (const char* file : {"a.csv", "a.npy"}) {
    write_table(directory / file, written);
    const Table read = read_table(directory / file, types);
    EXPECT_EQ(read, written) << file;
    EXPECT_EQ(fields_of(read), fields_of(written)) << file;  // the sign of zero too
  }
}

TEST(Table, CsvMayNameItsColumnsInACommentBeforeTheNumbers) {
  EXPECT_EQ(csv("# from a run\n#x,id\n0.5,7\n2,-8\n"), x_and_id({0.5, 2.0}, {7, -8}));
  EXPECT_EQ(csv("# id, x\n\n7,0.5\n"), x_and_id({0.5}, {7}));
  EXPECT_EQ(csv("# id, x\n\n7,0.5\n8,1\n", {false, RowLimit{2, "it"}}), x_and_id({0.5, 1}, {7, 8}));
  EXPECT_EQ(csv_refusal("# id, x\n\n7,0.5\n8,1\n", {false, RowLimit{1, "it"}}),
            "in.csv:4: 2 rows are 1 too many: it holds 1");
  EXPECT_EQ(csv_refusal("#x,id\n#AU,none\n0.5,7\n"),
            "in.csv:2: the columns have units (AU,none), which kernels know nothing of: give the numbers in the units "
            "that you mean, without this line");
}

TEST(Table, NpzHasAnArrayForEachColumn) {
  const std::vector<ColumnType> expected{
      {"n", NumberType::integer}, {"y[0]", NumberType::real}, {"y[1]", NumberType::real}};
  const auto archive = [](NpyArray n, NpyArray y) { return zip_of({{"y.npy", to_npy(y)}, {"n.npy", to_npy(n)}}); };
  const NpyArray n{{2}, std::vector<std::int64_t>{3, -4}};
  const NpyArray y{{2, 2}, std::vector<double>{0.5, 1, 2, 4}};
  Table table;
  table.add("n", std::vector<std::int64_t>{3, -4});
  table.add("y[0]", std::vector<double>{0.5, 2});
  table.add("y[1]", std::vector<double>{1, 4});
  EXPECT_EQ(read_text("in.npz", archive(n, y), expected), table);
  const ScratchDirectory directory;
  write_table(directory / "out.npz", table);
  EXPECT_EQ(read_table(directory / "out.npz", expected), table);

  const auto refusal_of = [&](const std::string& bytes) {
    const std::string error = error_of([&] { (void)read_text("in.npz", bytes, expected); });
    return error.substr(std::min(error.find("in.npz"), error.size()));
  };
  EXPECT_EQ(refusal_of(archive({{1}, std::vector<std::int64_t>{3}}, y)), "in.npz: column 'y' has 2 rows, the others 1");
  EXPECT_EQ(refusal_of(archive({{}, std::vector<std::int64_t>{3}}, y)),
            "in.npz: column 'n' is a number: it must be an array");
  EXPECT_EQ(refusal_of(archive({{2}, std::vector<double>{3, 4}}, y)),
            "in.npz: column 'n' holds floating-point numbers, not integers");
  EXPECT_EQ(refusal_of(archive(n, {{2, 3}, std::vector<double>(6)})),
            "in.npz: unknown column 'y[2]' (expected: n, y[0], y[1]); did you mean 'y[0]'?");
  EXPECT_EQ(refusal_of(zip_of({{"y.npy", to_npy(y)}, {"n.npy", to_npy(n)}, {"n", "x"}})),
            "in.npz: member n is no NumPy array");
  EXPECT_EQ(refusal_of(zip_of({{"y.npy", to_npy(y)}, {"n.npy", to_npy(n)}, {"y[0].npy", to_npy(n)}})),
            "in.npz: column 'y[0]' is there twice");
  EXPECT_EQ(refusal_of(zip_of({{"n.npy", to_npy(n)}})), "in.npz: missing columns y[0], y[1] (expected: n, y[0], y[1])");
  EXPECT_EQ(refusal_of(archive(n, {{2, 2}, std::vector<double>{0, 0, 0, std::nan("")}})),
            "in.npz: column 'y[1]' row 1: is not a number, which the machine does not have");
}

TEST(Table, CsvIsWrittenWithSeventeenDigits) {
  const ScratchDirectory directory;
  write_table(directory / "a.csv", x_and_id({0.1, 2}, {5, -6}));
  EXPECT_EQ(base::read_file(directory / "a.csv"), "x,id\n0.10000000000000001,5\n2,-6\n");
}

TEST(Table, UnwritableFileIsNamedAndNothingIsLeft) {
  const ScratchDirectory directory;
  const auto file = directory / "missing" / "a.csv";
  EXPECT_NE(error_of([&] { write_table(file, x_and_id({1}, {2})); }).find(file.string()), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

// An NPY file with this dictionary, as NumPy lays it out.
std::string npy(const std::string& dictionary, const std::string& records, char version = 1) {
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  const std::string header = dictionary + '\n';
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  if (version > 1) bytes += std::string(2, '\0');
  return bytes + header + records;
}

template <class Number>
std::string little_endian(Number number) {
  std::string bytes(sizeof number, '\0');
  using Bits = std::conditional_t<sizeof number == 8, std::uint64_t, std::uint32_t>;
  const auto bits = std::bit_cast<Bits>(number);
  for (std::size_t n = 0; n < sizeof number; ++n) bytes[n] = static_cast<char>(bits >> (8 * n) & 0xFF);
  return bytes;
}

const std::string kNpyDictionary = "{'descr': [('id', '<i8'), ('x', '<f8')], 'fortran_order': False, 'shape': (1,), }";
const std::string kNpyRecord = little_endian(std::int64_t{-3}) + little_endian(0.25);

TEST(Table, NpyFieldsMayHaveAnyWidthAndShape) {
  const std::vector<ColumnType> expected{{"p[0]", NumberType::real}, {"p[1]", NumberType::real},
                                         {"m", NumberType::real},    {"k", NumberType::integer},
                                         {"q[3]", NumberType::real}, {"n", NumberType::real}};
  const std::string dictionary =
      "{'descr': [('p', '<f4', (2,)), ('', '|V4'), ('k', '<i4'), ('m', '<f8'), ('q', '<f8', (2, 2)), ('n', '<i8')], "
      "'fortran_order': False, 'shape': (1,), }";
  const std::string record = little_endian(1.5f) + little_endian(-0.75f) + std::string(4, 'x') +
                             little_endian(std::int32_t{-7}) + little_endian(0.1) + little_endian(1.0) +
                             little_endian(2.0) + little_endian(3.0) + little_endian(4.0) +
                             little_endian(std::int64_t{12});
  const TableReadOptions options{true, {}};
  for (const char version : {'\1', '\2', '\3'}) {
    const Table table = read_text("in.npy", npy(dictionary, record, version), expected, options);
    EXPECT_EQ(fields_of(table),
              (std::vector<std::uint64_t>{std::bit_cast<std::uint64_t>(1.5), std::bit_cast<std::uint64_t>(-0.75),
                                          std::bit_cast<std::uint64_t>(0.1), static_cast<std::uint64_t>(-7),
                                          std::bit_cast<std::uint64_t>(4.0), std::bit_cast<std::uint64_t>(12.0)}));
  }
}

TEST(Table, IntegersOfNpyThatNoDoubleHoldsAreNotRounded) {
  const auto read = [](const std::string& type, auto number) {
    const std::string dictionary =
        "{'descr': [('x', '" + type + "'), ('id', '<i8')], 'fortran_order': False, 'shape': (1,)}";
    return npy(dictionary, little_endian(number) + little_endian(std::int64_t{1}));
  };
  constexpr std::int64_t kLarge = std::int64_t{1} << 53;
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(read_text("in.npy", read("<i8", kLarge + 2), kXAndId), x_and_id({9007199254740994.0}, {1}));
  EXPECT_EQ(read_text("in.npy", read("<i8", kLeast), kXAndId), x_and_id({-9223372036854775808.0}, {1}));
  EXPECT_EQ(read_text("in.npy", read("<u8", std::uint64_t{1} << 63), kXAndId), x_and_id({9223372036854775808.0}, {1}));
  EXPECT_EQ(refusal("in.npy", read("<i8", kLarge + 1)),
            "in.npy: column 'x' row 0: 9007199254740993 is an integer that no double holds");
  EXPECT_EQ(refusal("in.npy", read("<i8", -kLarge - 1)),
            "in.npy: column 'x' row 0: -9007199254740993 is an integer that no double holds");
  EXPECT_EQ(refusal("in.npy", read("<u8", std::numeric_limits<std::uint64_t>::max())),
            "in.npy: column 'x' row 0: 18446744073709551615 is an integer that no double holds");
}

TEST(Table, NpyIgnoresExtraFieldsOfAnyKnownSize) {
  const std::string dictionary =
      "{'descr': [('who', '<U2'), ('x', '<f8'), ('c', '<c16'), ('id', '<i8')], 'fortran_order': False, 'shape': (1,)}";
  const std::string record =
      std::string(8, 'w') + little_endian(0.5) + std::string(16, 'c') + little_endian(std::int64_t{9});
  EXPECT_EQ(read_text("in.npy", npy(dictionary, record), kXAndId, {true, {}}), x_and_id({0.5}, {9}));
  EXPECT_EQ(refusal("in.npy", npy(dictionary, record)), "in.npy: unknown column 'who' (expected: x, id)");
}

TEST(Table, NpyIsWrittenWithSubarraysAndAlignedRecords) {
  const ScratchDirectory directory;
  write_table(directory / "a.npy", with_every_bit());
  const std::string bytes = base::read_file(directory / "a.npy");
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t begin = 10u + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ(begin % 64, 0u);
  EXPECT_EQ(bytes.size(), begin + 3 * 4 * 8);
  EXPECT_EQ(bytes[begin - 1], '\n');
  EXPECT_NE(bytes.find("{'descr': [('x', '<f8', (2,)), ('id', '<i8'), ('y', '<f8'), ], 'fortran_order': False, "
                       "'shape': (3,), }"),
            std::string::npos);
}

TEST(Table, DamagedNpyIsRefusedWithAReason) {
  const std::string good = npy(kNpyDictionary, kNpyRecord);
  EXPECT_EQ(read_text("in.npy", good, kXAndId), x_and_id({0.25}, {-3}));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(refusal("in.npy", good.substr(0, size)).empty()) << size;
  }
  EXPECT_EQ(refusal("in.npy", "x,id\n1,2\n"), "in.npy: this is no NPY file");
  EXPECT_EQ(refusal("in.npy", good.substr(0, good.size() - 1)), "in.npy: the file ends before row 0 of 1");
  EXPECT_EQ(refusal("in.npy", good + "xyz"), "in.npy: 3 bytes follow the last of 1 rows");
}

std::string npy_refusal(const std::string& descr, const std::string& shape, const std::string& records) {
  return refusal("in.npy", npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + "}", records));
}

TEST(Table, NpyRefusalsNameTheColumn) {
  EXPECT_EQ(npy_refusal("[('x', '<f8'), ('id', '<f8')]", "(1,)", std::string(16, '\0')),
            "in.npy: column 'id' holds floating-point numbers, not integers");
  EXPECT_EQ(npy_refusal("[('x', '<c8'), ('id', '<i8')]", "(1,)", std::string(16, '\0')),
            "in.npy: column 'x' has a type other than f8, f4, i8, i4, u8, u4");
  EXPECT_EQ(npy_refusal("[('x', '<f8'), ('id', '<i8')]", "(2,)",
                        std::string(16, '\0') + little_endian(std::nan("")) + std::string(8, '\0')),
            "in.npy: column 'x' row 1: is not a number, which the machine does not have");
  EXPECT_EQ(npy_refusal("[('x', '<f8'), ('x', '<f8')]", "(1,)", std::string(16, '\0')),
            "in.npy: column 'x' is there twice");
  EXPECT_EQ(npy_refusal("[('x', '<f8', (2,)), ('id', '<i8')]", "(1,)", std::string(24, '\0')),
            "in.npy: missing column x (expected: x, id); it has x[0]");
  EXPECT_EQ(npy_refusal("'<f8'", "(1,)", std::string(8, '\0')),
            "in.npy: NPY header: this is no structured array: its columns have no names");
  EXPECT_EQ(npy_refusal("[('x', '<f8'), ('id', '<i8')]", "(1, 1)", std::string(16, '\0')),
            "in.npy: NPY header: the array has 2 dimensions: rows alone are understood");
  EXPECT_EQ(npy_refusal("[('x', '|O'), ('id', '<i8')]", "(1,)", std::string(16, '\0')),
            "in.npy: NPY header: field 'x' has type '|O', whose size is not known");
}

TEST(Table, NpyFieldAndSubarrayMayNotGiveOneColumnTwice) {
  const std::vector<ColumnType> expected{{"x[1]", NumberType::real}};
  const TableReadOptions ignore_extra{true, {}};
  const auto read = [&](const std::string& descr, std::size_t doubles) {
    std::string record;
    for (std::size_t n = 0; n < doubles; ++n) record += little_endian(static_cast<double>(n));
    return read_text("in.npy", npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,)}", record), expected,
                     ignore_extra);
  };
  EXPECT_EQ(std::get<std::vector<double>>(read("[('x', '<f8', (3,))]", 3).columns()[0].numbers), reals({1}));
  EXPECT_EQ(std::get<std::vector<double>>(read("[('x', '<f8'), ('x[1]', '<f8')]", 2).columns()[0].numbers), reals({1}));
  for (const auto& [descr, doubles] : {std::pair{"[('x', '<f8', (3,)), ('x[1]', '<f8')]", 4},
                                       std::pair{"[('x', '<f8', (3,)), ('x', '<f8', (2,))]", 5}}) {
    EXPECT_NE(error_of([&] {
                (void)read(descr, static_cast<std::size_t>(doubles));
              }).find("in.npy: column 'x[1]' is there twice"),
              std::string::npos)
        << descr;
  }
  EXPECT_NE(error_of([&] { (void)read("[('x', '<f8', (1,))]", 1); }).find("missing column x[1]"), std::string::npos);
}

TEST(Table, NpySubarrayOfWhichOneElementIsNotExpectedIsAnUnknownColumn) {
  const std::string records(40, '\0');
  EXPECT_EQ(npy_refusal("[('x', '<f8'), ('id', '<i8'), ('y', '<f8', (3,))]", "(1,)", records),
            "in.npy: unknown column 'y[0]' (expected: x, id)");
  const std::vector<ColumnType> expected{{"y[0]", NumberType::real}, {"y[2]", NumberType::real}};
  const std::string file =
      npy("{'descr': [('y', '<f8', (4,))], 'fortran_order': False, 'shape': (1,)}", std::string(32, '\0'));
  EXPECT_NE(error_of([&] { (void)read_text("in.npy", file, expected); }).find("unknown column 'y[1]'"),
            std::string::npos);
}

TEST(Table, NpyDictionaryHasEachKeyOnceAndNothingBehindIt) {
  const std::string descr = "'descr': [('x', '<f8'), ('id', '<i8')]";
  const std::string record = std::string(16, '\0');
  const auto refused = [&](const std::string& dictionary) { return refusal("in.npy", npy(dictionary, record)); };
  EXPECT_EQ(refused("{" + descr + ", 'fortran_order': False, 'shape': (9,), 'shape': (1,)}"),
            "in.npy: NPY header: key 'shape' is there twice");
  EXPECT_EQ(refused("{'descr': [('y', '<f8')], " + descr + ", 'fortran_order': False, 'shape': (1,)}"),
            "in.npy: NPY header: key 'descr' is there twice");
  EXPECT_EQ(refused("{" + descr + ", 'shape': (1,)}"), "in.npy: NPY header: key 'fortran_order' is missing");
  EXPECT_EQ(refused("{" + descr + ", 'fortran_order': Maybe, 'shape': (1,)}"),
            "in.npy: NPY header: True or False is expected at character 58");
  EXPECT_EQ(refused("{" + descr + ", 'fortran_order': False, 'shape': (1,)} + x"),
            "in.npy: NPY header: character 80 follows the dictionary");
}

TEST(Table, NpyRowsBeyondTheLimitAreRefused) {
  const TableReadOptions none{false, RowLimit{0, "external memory"}};
  EXPECT_EQ(refusal("in.npy", npy(kNpyDictionary, kNpyRecord), none),
            "in.npy: 1 rows are 1 too many: external memory holds 0");
}

isa::Variable variable(const char* name, isa::Transfer transfer, isa::Conversion conversion,
                       std::vector<std::uint16_t> dimensions = {}) {
  isa::Variable variable;
  variable.name = name;
  variable.transfer = transfer;
  variable.conversion = conversion;
  for (const std::uint16_t size : dimensions) variable.elements = static_cast<std::uint16_t>(variable.elements * size);
  variable.dimensions = std::move(dimensions);
  return variable;
}

TEST(Table, ColumnsOfAProgramFollowItsRecordFields) {
  using isa::Conversion;
  using isa::Transfer;
  isa::Program program;
  program.variables = {
      variable("xj", Transfer::elt, Conversion::FLT64TO72, {3}), variable("sum", Transfer::rrn, Conversion::FLT36TO64),
      variable("index", Transfer::elt, Conversion::FIX64TO36), variable("bits", Transfer::elt, Conversion::NONE),
      variable("t", Transfer::elt, Conversion::FLT64TO36, {2, 2})};
  const std::vector<ColumnType> columns = columns_of(program, Transfer::elt);
  EXPECT_EQ(columns, (std::vector<ColumnType>{{"xj[0]", NumberType::real},
                                              {"xj[1]", NumberType::real},
                                              {"xj[2]", NumberType::real},
                                              {"index", NumberType::integer, {-34359738368, 34359738367}},
                                              {"bits", NumberType::integer},
                                              {"t[0]", NumberType::real},
                                              {"t[1]", NumberType::real},
                                              {"t[2]", NumberType::real},
                                              {"t[3]", NumberType::real}}));
  EXPECT_EQ(columns.size(), program.record_fields(Transfer::elt));
  EXPECT_EQ(columns_of(program, Transfer::rrn), (std::vector<ColumnType>{{"sum", NumberType::real}}));
  EXPECT_TRUE(columns_of(program, Transfer::hlt).empty());
}

TEST(Table, RecordsAndColumnsAreEachOthersReverse) {
  const Table table = x_and_id({0.5, -0.0}, {-1, 2});
  const std::vector<std::uint64_t> fields{0x3fe0000000000000, 0xffffffffffffffff, 0x8000000000000000, 2};
  EXPECT_EQ(fields_of(table), fields);
  EXPECT_EQ(fields_of(table_of(kXAndId, fields)), fields);
  EXPECT_EQ(table_of(kXAndId, fields), table);
  EXPECT_EQ(error_of([&] { (void)table_of(kXAndId, std::span(fields).first(3)); }),
            "3 fields are no whole number of records of 2");
}

TEST(Table, ColumnsHaveOneLengthAndDifferentNames) {
  Table table = x_and_id({1}, {2});
  EXPECT_EQ(error_of([&] { table.add("x", reals({1})); }), "column 'x' is there twice");
  EXPECT_EQ(error_of([&] { table.add("y", reals({1, 2})); }), "column 'y' has 2 rows, the others 1");
}

}  // namespace
}  // namespace gdr::hostlib
