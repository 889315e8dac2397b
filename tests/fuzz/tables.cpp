// Any bytes as a table, the first one choosing CSV, NPY or NPZ and what is asked for: refused by gdr::Error, or columns
// as expected that are written and read back in all forms the same.
#include <vector>

#include "formats/table_format.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gdr;
  using namespace gdr::hostlib;
  if (size == 0) return 0;
  enum : unsigned { kNpy = 1, kIgnoreExtra = 2, kLimited = 4, kInteger = 8, kTwoColumns = 16, kNpz = 32 };
  const unsigned choice = data[0];
  const std::string_view content = fuzz::text_of(data + 1, size - 1);
  std::vector<ColumnType> expected{{"xj", NumberType::real},
                                   {"mj", (choice & kInteger) != 0 ? NumberType::integer : NumberType::real},
                                   {"a[0]", NumberType::real},
                                   {"a[1]", NumberType::real}};
  if ((choice & kTwoColumns) != 0) expected.resize(2);
  TableReadOptions options;
  options.ignore_extra = (choice & kIgnoreExtra) != 0;
  constexpr std::size_t kMostRows = 5;
  if ((choice & kLimited) != 0) options.limit = RowLimit{kMostRows, "the fuzz target"};

  Table table;
  if (fuzz::refuses([&] {
        table = (choice & kNpz) != 0   ? read_npz(content, "fuzz.npz", expected, options)
                : (choice & kNpy) != 0 ? read_npy(content, "fuzz.npy", expected, options)
                                       : read_csv(content, "fuzz.csv", expected, options);
      })) {
    return 0;
  }
  FUZZ_HOLDS(table.columns().size() == expected.size());
  FUZZ_HOLDS(!options.limit || table.rows() <= kMostRows);
  const std::vector<std::uint64_t> fields = fields_of(table);  // bits: -0 and 0 differ
  FUZZ_HOLDS(fields.size() == table.rows() * expected.size());
  FUZZ_HOLDS(fields_of(table_of(expected, fields)) == fields);
  FUZZ_HOLDS(fields_of(read_csv(to_csv(table), "again.csv", expected, {})) == fields);
  FUZZ_HOLDS(fields_of(read_npy(to_npy(table), "again.npy", expected, {})) == fields);
  FUZZ_HOLDS(fields_of(read_npz(to_npz(table), "again.npz", expected, {})) == fields);
  return 0;
}
