// Tables as structured arrays in NumPy's file format. A file has a magic string, a version, a header that is a Python
// dictionary, and the records.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "gdr/base/error.h"
#include "little_endian.h"
#include "table_format.h"
#include "zip.h"

namespace gdr::hostlib {
namespace {

constexpr std::string_view kNpyMagic("\x93NUMPY", 6);
constexpr std::size_t kVersionBytes = 2;
constexpr std::size_t kAlignment = 64;              // of the first record, as NumPy writes it
constexpr std::size_t kMostVersion1Header = 65535;  // its length has 16 bits
constexpr std::size_t kMostElements = 65536;        // of one field: more than any variable of a PE has
constexpr std::size_t kMostHeader = 1 << 20;        // bytes; what is made of it takes at most some 30 times as many

/// A field of the record: `elements` numbers of `bytes` bytes from `offset` on.
struct Field {
  std::string name;
  char kind = 'f';      // f floating point, i integer, u without sign; others are skipped
  bool is_big = false;  // the most significant byte is first
  std::size_t bytes = 8;
  std::vector<std::size_t> shape;
  std::size_t elements = 1;
  std::size_t offset = 0;
};

struct Header {
  std::vector<Field> fields;  // one without a name if the array is not structured
  bool is_structured = true;
  bool is_fortran = false;  // the first index runs fastest
  std::vector<std::size_t> shape;
  std::size_t record_bytes = 0;
};

/// Parses the Python dictionary of the header.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Header run() {
    Header header;
    std::set<std::string> keys;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        header.is_structured = peek() == '[';
        header.fields = header.is_structured ? fields() : std::vector{unnamed_field()};
      } else if (key == "shape") {
        header.shape = shape();
      } else if (key == "fortran_order") {
        header.is_fortran = truth();
      } else {
        fail(fmt::format("unknown key '{}'", key));
      }
      if (!keys.insert(key).second) fail(fmt::format("key '{}' is there twice", key));
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    for (const char* const key : {"descr", "fortran_order", "shape"}) {
      if (!keys.contains(key)) fail(fmt::format("key '{}' is missing", key));
    }
    peek();
    if (at_ < text_.size()) fail(fmt::format("character {} follows the dictionary", at_));
    for (Field& field : header.fields) {
      field.offset = header.record_bytes;
      header.record_bytes += field.bytes * field.elements;
    }
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw Error(fmt::format("{}: NPY header: {}", name_, why)); }

  char peek() {
    at_ = std::min(text_.find_first_not_of(" \t\n", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' is expected at character {}", wanted, at_));
  }

  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(fmt::format("a text is expected at character {}", at_));
    const std::size_t end = text_.find(quote, ++at_);
    if (end == std::string_view::npos) fail("a text does not end");
    const std::string_view text = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(text);
  }

  bool truth() {
    peek();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail(fmt::format("True or False is expected at character {}", at_));
  }

  std::size_t number() {
    peek();
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) fail(fmt::format("a size is expected at character {}", at_));
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  /// (3,) or (3, 3) or ()
  std::vector<std::size_t> shape() {
    std::vector<std::size_t> sizes;
    expect('(');
    while (!accept(')')) {
      sizes.push_back(number());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return sizes;
  }

  Field unnamed_field() {
    Field field;
    set_type(field, string());
    return field;
  }

  std::vector<Field> fields() {
    std::vector<Field> list;
    expect('[');
    while (!accept(']')) {
      list.push_back(field());
      if (!accept(',')) {
        expect(']');
        break;
      }
    }
    return list;
  }

  /// ('x', '<f8') or ('x', '<f8', (3,))
  Field field() {
    Field field;
    expect('(');
    field.name = string();
    expect(',');
    if (peek() == '[') fail(fmt::format("field '{}' is a record of its own", field.name));
    set_type(field, string());
    if (accept(',') && peek() != ')') field.shape = shape();
    expect(')');
    for (const std::size_t size : field.shape) {
      if (size == 0 || size > kMostElements || field.elements * size > kMostElements) {
        fail(fmt::format("field '{}' does not have 1 to {} elements", field.name, kMostElements));
      }
      field.elements *= size;
    }
    return field;
  }

  void set_type(Field& field, const std::string& type) const {
    constexpr std::size_t kMostBytes = 65536;
    const bool has_order = type.size() > 1 && std::string_view("<>|=").find(type[0]) != std::string_view::npos;
    const std::string_view code = std::string_view(type).substr(has_order ? 1 : 0);
    const char* last = code.data() + code.size();
    std::size_t bytes = 0;
    const bool sized = code.size() > 1 && std::from_chars(code.data() + 1, last, bytes).ptr == last;
    if (!sized || bytes > kMostBytes || code[0] == 'O') {
      fail(fmt::format("field '{}' has type '{}', whose size is not known", field.name, type));
    }
    const bool known = (type[0] == '<' || type[0] == '>') &&
                       std::string_view("fiu").find(code[0]) != std::string_view::npos && (bytes == 8 || bytes == 4);
    field.is_big = type[0] == '>';
    field.kind = known ? code[0] : code[0] == 'V' ? 'V' : '?';
    field.bytes = code[0] == 'U' ? 4 * bytes : bytes;  // four bytes a character
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
};

/// Returns the header's text and the position where the records begin.
std::pair<std::string_view, std::size_t> header_of(std::string_view bytes, const std::string& name) {
  const auto fail = [&](const std::string& why) { throw Error(fmt::format("{}: {}", name, why)); };
  if (!bytes.starts_with(kNpyMagic) || bytes.size() < kNpyMagic.size() + kVersionBytes) fail("this is no NPY file");
  const unsigned version = static_cast<unsigned char>(bytes[kNpyMagic.size()]);
  if (version < 1 || version > 3) fail(fmt::format("NPY version {} is not known (1, 2 or 3)", version));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t length_at = kNpyMagic.size() + kVersionBytes;
  if (bytes.size() < length_at + length_bytes) fail("the file ends within its header");
  std::size_t length = 0;
  for (std::size_t n = length_bytes; n-- > 0;) {
    length = (length << 8) | static_cast<unsigned char>(bytes[length_at + n]);
  }
  const std::size_t begin = length_at + length_bytes;
  if (bytes.size() - begin < length) fail("the file ends within its header");
  if (length > kMostHeader)
    fail(fmt::format("its header has {} bytes, of which at most {} are read", length, kMostHeader));
  return {bytes.substr(begin, length), begin + length};
}

/// One column, which is an element of a field.
struct Place {
  char kind;
  bool is_big;
  std::size_t bytes;
  std::size_t offset;
};

std::uint64_t bits_at(std::string_view record, const Place& place) {
  std::uint64_t bits = 0;
  for (std::size_t n = 0; n < place.bytes; ++n) {
    const std::size_t at = place.is_big ? n : place.bytes - 1 - n;  // the most significant ones first
    bits = (bits << 8) | static_cast<unsigned char>(record[place.offset + at]);
  }
  return bits;
}

double real_at(std::string_view record, const Place& place) {
  const std::uint64_t bits = bits_at(record, place);
  return place.bytes == 8 ? std::bit_cast<double>(bits)
                          : static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

/// None for a number without sign that is beyond 63 bits.
std::optional<std::int64_t> integer_at(std::string_view record, const Place& place) {
  const std::uint64_t bits = bits_at(record, place);
  if (place.kind == 'u') return bits >> 63 != 0 ? std::nullopt : std::optional(static_cast<std::int64_t>(bits));
  return place.bytes == 8 ? std::bit_cast<std::int64_t>(bits)
                          : std::bit_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

Numbers column_of(std::string_view records, const Header& header, const Place& place, const ColumnType& column,
                  const std::string& name) {
  const std::size_t rows = header.shape.front();
  const auto fail = [&](const std::string& why) {
    throw Error(fmt::format("{}: column '{}' {}", name, column.name, why));
  };
  if (place.kind == '?' || place.kind == 'V') fail("has a type other than f8, f4, i8, i4, u8, u4");
  if (column.type == NumberType::integer && place.kind == 'f') fail("holds floating-point numbers, not integers");
  const auto outside = [&](std::size_t row, auto number) {
    return fmt::format("row {}: {} is {} {} to {}", row, number,
                       column.type == NumberType::real ? "no whole number from" : "outside", column.range.least,
                       column.range.most);
  };
  Numbers numbers = empty_numbers(column.type, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string_view record = records.substr(row * header.record_bytes, header.record_bytes);
    if (auto* integers = std::get_if<std::vector<std::int64_t>>(&numbers)) {
      const auto integer = integer_at(record, place);
      if (!integer) fail(fmt::format("row {}: {} is above 2^63 - 1", row, bits_at(record, place)));
      if (!column.range.holds(*integer)) {
        fail(outside(row, *integer));
      }
      integers->push_back(*integer);
      continue;
    }
    const std::optional<double> value = place.kind == 'f'   ? real_at(record, place)
                                        : place.kind == 'u' ? exact_double(bits_at(record, place))
                                                            : exact_double(*integer_at(record, place));
    if (!value) {
      fail(fmt::format(
          "row {}: {} is an integer that no double holds", row,
          place.kind == 'u' ? fmt::to_string(bits_at(record, place)) : fmt::to_string(*integer_at(record, place))));
    }
    if (std::isnan(*value)) fail(fmt::format("row {}: is not a number, which the machine does not have", row));
    if (!column.range.holds(*value)) fail(outside(row, *value));
    std::get<std::vector<double>>(numbers).push_back(*value);
  }
  return numbers;
}

/// Splits `x[2]` into x and 2; none for other names.
std::optional<std::pair<std::string, std::size_t>> element_of(const std::string& name) {
  const std::size_t bracket = name.rfind('[');
  if (bracket == std::string::npos || name.back() != ']') return std::nullopt;
  std::size_t element = 0;
  const char* last = name.data() + name.size() - 1;
  const auto [end, error] = std::from_chars(name.data() + bracket + 1, last, element);
  if (error != std::errc() || end != last) return std::nullopt;
  return std::pair{name.substr(0, bracket), element};
}

/// The place of each expected column. Only those columns of the file are named one by one that are expected, and of the
/// others one of each field, because a few bytes of a header declare a field of thousands of elements.
std::vector<Place> places_of(const Header& header, std::span<const ColumnType> expected, bool ignore_extra,
                             const std::string& name) {
  std::map<std::string, std::set<std::size_t>> elements_of;
  for (const ColumnType& column : expected) {
    if (const auto element = element_of(column.name)) elements_of[element->first].insert(element->second);
  }
  ColumnMatcher matcher(expected, name);
  std::vector<Place> places;
  const auto add = [&](const Field& field, const std::string& column, std::size_t element) {
    places.push_back({field.kind, field.is_big, field.bytes, field.offset + element * field.bytes});
    matcher.add(column, places.size() - 1);
  };
  const std::set<std::size_t> none;
  for (const Field& field : header.fields) {
    if (field.name.empty()) continue;  // NumPy's padding
    if (field.shape.empty()) {
      add(field, field.name, 0);
      continue;
    }
    const auto found = elements_of.find(field.name);
    const std::set<std::size_t>& wanted = found == elements_of.end() ? none : found->second;
    std::size_t other = 0;  // the first element that is not expected
    for (auto element = wanted.begin(); element != wanted.end() && *element < field.elements; ++element) {
      if (*element == other) ++other;
      add(field, fmt::format("{}[{}]", field.name, *element), *element);
    }
    if (other < field.elements) add(field, fmt::format("{}[{}]", field.name, other), other);
  }
  std::vector<Place> found;
  for (const std::size_t place : matcher.places(ignore_extra)) found.push_back(places[place]);
  return found;
}

/// The fields for columns. Successive columns x[0], x[1], x[2] of one type become one field of three elements.
std::vector<Field> fields_for(const std::vector<Column>& columns) {
  std::vector<Field> fields;
  for (const Column& column : columns) {
    const char kind = column.type() == NumberType::real ? 'f' : 'i';
    const auto element = element_of(column.name);
    if (element && element->second > 0 && !fields.empty() && fields.back().name == element->first &&
        fields.back().kind == kind && fields.back().elements == element->second && !fields.back().shape.empty()) {
      fields.back().shape.front() = ++fields.back().elements;
    } else if (element && element->second == 0) {
      fields.push_back({element->first, kind, false, kWordBytes, {1}, 1, 0});
    } else {
      fields.push_back({column.name, kind, false, kWordBytes, {}, 1, 0});
    }
  }
  return fields;
}

std::string dictionary(const Table& table) {
  std::string text = "{'descr': [";
  for (const Field& field : fields_for(table.columns())) {
    text += fmt::format("('{}', '<{}8'", field.name, field.kind);
    if (!field.shape.empty()) text += fmt::format(", ({},)", field.shape.front());
    text += "), ";
  }
  return text + fmt::format("], 'fortran_order': False, 'shape': ({},), }}", table.rows());
}

}  // namespace

Table read_npy(std::string_view bytes, const std::string& name, std::span<const ColumnType> expected,
               const TableReadOptions& options) {
  const auto [text, begin] = header_of(bytes, name);
  const Header header = HeaderParser(text, name).run();
  const auto refuse = [&](const std::string& why) { throw Error(fmt::format("{}: NPY header: {}", name, why)); };
  if (!header.is_structured) refuse("this is no structured array: its columns have no names");
  if (header.shape.size() != 1) {
    refuse(fmt::format("the array has {} dimensions: rows alone are understood", header.shape.size()));
  }
  const std::size_t rows = header.shape.front();
  const std::vector<Place> places = places_of(header, expected, options.ignore_extra, name);
  check_rows(rows, options.limit, name);
  const std::string_view records = bytes.substr(begin);
  if (header.record_bytes == 0 || records.size() / header.record_bytes < rows) {
    throw Error(fmt::format("{}: the file ends before row {} of {}", name,
                            header.record_bytes == 0 ? 0 : records.size() / header.record_bytes, rows));
  }
  if (records.size() != rows * header.record_bytes) {
    throw Error(fmt::format("{}: {} bytes follow the last of {} rows", name,
                            records.size() - rows * header.record_bytes, rows));
  }
  Table table;
  for (std::size_t column = 0; column < expected.size(); ++column) {
    table.add(expected[column].name, column_of(records, header, places[column], expected[column], name));
  }
  return table;
}

namespace {

/// One array of an archive, as a structured array with one field.
struct NpzColumn {
  Header header;
  std::string records;  // in C's order
};

/// The numbers of a two-dimensional array in Fortran's order, row after row.
std::string turned(std::string_view data, std::size_t rows, std::size_t columns, std::size_t bytes) {
  std::string records;
  records.reserve(data.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      records.append(data.substr((column * rows + row) * bytes, bytes));
    }
  }
  return records;
}

/// None for a single number, which is no column.
std::optional<NpzColumn> npz_column(const std::string& column, std::string_view bytes, const std::string& name) {
  const std::string where = fmt::format("{}: {}.npy", name, column);
  const auto [text, begin] = header_of(bytes, where);
  NpzColumn made{HeaderParser(text, where).run(), {}};
  Header& header = made.header;
  const auto refuse = [&](const std::string& why) { throw Error(fmt::format("{}: {}", where, why)); };
  if (header.is_structured) refuse("the array is structured: an archive has an array for each column");
  if (header.shape.empty()) return std::nullopt;
  Field& field = header.fields.front();
  field.name = column;
  field.shape.assign(header.shape.begin() + 1, header.shape.end());
  for (const std::size_t size : field.shape) {
    if (size == 0 || size > kMostElements || field.elements * size > kMostElements) {
      refuse(fmt::format("its rows do not have 1 to {} elements", kMostElements));
    }
    field.elements *= size;
  }
  const std::size_t rows = header.shape.front();
  header.shape.resize(1);
  header.record_bytes = field.bytes * field.elements;
  const std::string_view data = bytes.substr(begin);
  if (header.record_bytes == 0 || data.size() / header.record_bytes < rows)
    refuse("the array ends before its last row");
  if (data.size() != rows * header.record_bytes) refuse("bytes follow the last row");
  const bool is_turned = header.is_fortran && !field.shape.empty();
  if (is_turned && field.shape.size() > 1) refuse("the array has Fortran's order and more than two dimensions");
  made.records = is_turned ? turned(data, rows, field.elements, field.bytes) : std::string(data);
  return made;
}

}  // namespace

Table read_npz(std::string_view bytes, const std::string& name, std::span<const ColumnType> expected,
               const TableReadOptions& options) {
  std::map<std::string, std::string> wanted;  // the file's arrays that may be expected ones
  Header others;                              // fields of the other arrays, of which only the names matter
  const auto is_expected = [&](const std::string& array) {
    return std::ranges::any_of(expected, [&](const ColumnType& column) {
      const auto element = element_of(column.name);
      return column.name == array || (element && element->first == array);
    });
  };
  for (auto& [member, content] : zip_members(bytes, name)) {
    constexpr std::string_view kEnd = ".npy";
    if (!member.ends_with(kEnd)) throw Error(fmt::format("{}: member {} is no NumPy array", name, member));
    const std::string array = member.substr(0, member.size() - kEnd.size());
    if (is_expected(array)) {
      if (!wanted.emplace(array, std::move(content)).second) {
        throw Error(fmt::format("{}: array {} is there twice", name, array));
      }
    } else {
      others.fields.emplace_back().name = array;
    }
  }
  std::map<std::string, NpzColumn> arrays;
  Header all = std::move(others);
  std::optional<std::size_t> rows;
  for (const auto& [array, content] : wanted) {
    std::optional<NpzColumn> column = npz_column(array, content, name);
    if (!column) throw Error(fmt::format("{}: column '{}' is a number: it must be an array", name, array));
    const std::size_t own = column->header.shape.front();
    if (rows && own != *rows) {
      throw Error(fmt::format("{}: column '{}' has {} rows, the others {}", name, array, own, *rows));
    }
    rows = own;
    all.fields.push_back(column->header.fields.front());
    arrays.emplace(array, std::move(*column));
  }
  const std::vector<Place> places = places_of(all, expected, options.ignore_extra, name);
  check_rows(rows.value_or(0), options.limit, name);
  Table table;
  for (std::size_t n = 0; n < expected.size(); ++n) {
    const auto element = element_of(expected[n].name);
    auto found = arrays.find(expected[n].name);
    const bool is_own = found != arrays.end() && found->second.header.fields.front().shape.empty();
    if (!is_own && element) found = arrays.find(element->first);
    const NpzColumn& array = found->second;
    table.add(expected[n].name, column_of(array.records, array.header, places[n], expected[n], name));
  }
  return table;
}

bool npy_has_field(std::string_view bytes, const std::string& name, std::string_view field) {
  const Header header = HeaderParser(header_of(bytes, name).first, name).run();
  return header.is_structured && std::ranges::any_of(header.fields, [&](const Field& f) { return f.name == field; });
}

std::optional<NpyArray> read_npy_array(std::string_view bytes, const std::string& name) {
  const auto [text, begin] = header_of(bytes, name);
  const Header header = HeaderParser(text, name).run();
  if (header.is_structured) return std::nullopt;
  const Field& field = header.fields.front();
  const auto refuse = [&](const std::string& why) { throw Error(fmt::format("{}: NPY header: {}", name, why)); };
  if (field.kind == '?' || field.kind == 'V') refuse("the array has a type other than f8, f4, i8, i4, u8, u4");
  const std::string_view data = bytes.substr(begin);
  std::size_t elements = data.size() / field.bytes;
  std::size_t wanted = 1;
  for (const std::size_t size : header.shape) {
    if (size != 0 && wanted > elements / size)
      refuse(fmt::format("the file holds {} numbers, fewer than the shape", elements));
    wanted *= size;
  }
  if (wanted * field.bytes != data.size()) {
    refuse(fmt::format("{} bytes follow the last of {} numbers", data.size() - wanted * field.bytes, wanted));
  }
  if (header.is_fortran && header.shape.size() > 2)
    refuse("the array has Fortran's order and more than two dimensions");
  const bool is_turned = header.is_fortran && header.shape.size() == 2;
  const auto number_of = [&](std::size_t index) {  // of an element in C's order
    if (!is_turned) return index;
    return index % header.shape[1] * header.shape[0] + index / header.shape[1];
  };
  NpyArray array{header.shape, empty_numbers(field.kind == 'f' ? NumberType::real : NumberType::integer, wanted)};
  for (std::size_t index = 0; index < wanted; ++index) {
    const Place place{field.kind, field.is_big, field.bytes, number_of(index) * field.bytes};
    if (auto* integers = std::get_if<std::vector<std::int64_t>>(&array.numbers)) {
      const auto integer = integer_at(data, place);
      if (!integer) refuse(fmt::format("number {} is {}, which is above 2^63 - 1", index, bits_at(data, place)));
      integers->push_back(*integer);
    } else {
      std::get<std::vector<double>>(array.numbers).push_back(real_at(data, place));
    }
  }
  return array;
}

namespace {

/// What stands before the numbers.
std::string npy_head(std::string text) {
  const bool version1 = text.size() + kAlignment < kMostVersion1Header;
  const std::size_t length_bytes = version1 ? 2 : 4;
  const std::size_t before = kNpyMagic.size() + kVersionBytes + length_bytes;
  const std::size_t used = before + text.size() + 1;  // the header ends with a line feed
  text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  text += '\n';
  std::string bytes(kNpyMagic);
  bytes += static_cast<char>(version1 ? 1 : 2);
  bytes += '\0';
  for (std::size_t n = 0; n < length_bytes; ++n) bytes += static_cast<char>((text.size() >> (8 * n)) & 0xFF);
  return bytes + text;
}

}  // namespace

std::string to_npy(const Table& table) {
  std::string bytes = npy_head(dictionary(table));
  for (const std::uint64_t field : fields_of(table)) append_le(bytes, field);
  return bytes;
}

std::string to_npz(const Table& table) {
  std::vector<std::pair<std::string, std::string>> members;
  std::size_t column = 0;
  for (const Field& field : fields_for(table.columns())) {
    NpyArray array{{table.rows()}, empty_numbers(table.columns()[column].type(), table.rows() * field.elements)};
    if (!field.shape.empty()) array.shape.push_back(field.elements);
    std::visit(
        [&]<class Number>(std::vector<Number>& numbers) {
          for (std::size_t row = 0; row < table.rows(); ++row) {
            for (std::size_t element = 0; element < field.elements; ++element) {
              numbers.push_back(std::get<std::vector<Number>>(table.columns()[column + element].numbers)[row]);
            }
          }
        },
        array.numbers);
    members.emplace_back(field.name + ".npy", to_npy(array));
    column += field.elements;
  }
  return zip_of(members);
}

std::string to_npy(const NpyArray& array) {
  const bool is_real = std::holds_alternative<std::vector<double>>(array.numbers);
  const std::string shape = fmt::format("({}{})", fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  std::string bytes =
      npy_head(fmt::format("{{'descr': '<{}8', 'fortran_order': False, 'shape': {}, }}", is_real ? 'f' : 'i', shape));
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) append_le(bytes, value);
      },
      array.numbers);
  return bytes;
}

}  // namespace gdr::hostlib
