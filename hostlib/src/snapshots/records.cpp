// Files of Fortran records: Gadget, and the seven numbers a record of NBODY codes. A record is its length as a 4-byte
// integer, its bytes, and the length again.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "formats/bytes.h"
#include "formats/gadget.h"
#include "gdr/base/quoted.h"
#include "kinds.h"

namespace gdr::hostlib {
namespace {

constexpr std::size_t kMark = sizeof(std::int32_t);
constexpr std::size_t kGadgetHeader = 256;  // Springel 2005, Gadget-2 users' guide, table 4
constexpr std::size_t kGadgetTypes = 6;
// Bytes of the header at which its fields begin.
constexpr std::size_t kMasses = 24;
constexpr std::size_t kTime = 72;
constexpr std::size_t kRedshift = 80;
constexpr std::size_t kTotals = 96;
constexpr std::size_t kFiles = 124;
constexpr std::size_t kOmega0 = 136;
constexpr std::size_t kHubble = 152;
constexpr std::size_t kNbodyNumbers = 7;  // m, x, y, z, vx, vy, vz

/// The byte order in which the first record has `length` bytes between two equal marks.
std::optional<std::endian> order_of(std::string_view content, std::size_t length) {
  if (content.size() < length + 2 * kMark) return std::nullopt;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto before = ByteReader::number_in<std::int32_t>(content, order);
    const auto behind = ByteReader::number_in<std::int32_t>(content.substr(kMark + length), order);
    if (before == static_cast<std::int64_t>(length) && behind == before) return order;
  }
  return std::nullopt;
}

class RecordReader {
 public:
  RecordReader(std::string_view content, std::endian order, const std::string& file)
      : bytes_(content, order, file), order_(order), file_(file) {}

  [[nodiscard]] bool ends() const { return bytes_.left() == 0; }
  [[nodiscard]] std::string_view next(std::string_view what) {
    const auto length = bytes_.number<std::int32_t>();
    if (length < 0 || static_cast<std::size_t>(length) + kMark > bytes_.left()) {
      bytes_.refuse(fmt::format("the record of {} has {} bytes, and the file ends before", what, length));
    }
    const std::string_view record = bytes_.take(static_cast<std::size_t>(length));
    if (bytes_.number<std::int32_t>() != length) bytes_.refuse(fmt::format("the record of {} has two lengths", what));
    return record;
  }
  [[noreturn]] void refuse(std::string_view why) const { bytes_.refuse(why); }
  template <class Number>
  [[nodiscard]] Number number(std::string_view record, std::size_t index) const {
    return ByteReader::number_in<Number>(record.substr(index * sizeof(Number)), order_);
  }
  [[nodiscard]] ByteReader reader_of(std::string_view record) const { return {record, order_, file_}; }

 private:
  ByteReader bytes_;
  std::endian order_;
  std::string file_;
};

/// Three numbers a particle, in single or double precision, as the record's length tells.
class Vectors {
 public:
  Vectors(const RecordReader& in, std::string_view record, std::size_t particles, std::string_view what)
      : in_(in), record_(record), is_double_(record.size() == 3 * particles * sizeof(double)) {
    if (!is_double_ && record.size() != 3 * particles * sizeof(float)) {
      in.refuse(
          fmt::format("{} bytes of {} are not three numbers for each of {} particles", record.size(), what, particles));
    }
  }
  [[nodiscard]] Vec3 operator[](std::size_t i) const { return {one(3 * i), one(3 * i + 1), one(3 * i + 2)}; }

 private:
  [[nodiscard]] double one(std::size_t k) const {
    return is_double_ ? in_.number<double>(record_, k) : in_.number<float>(record_, k);
  }

  const RecordReader& in_;
  std::string_view record_;
  bool is_double_;
};

GadgetHeader gadget_header(const RecordReader& in, std::string_view head) {
  const auto at = [&]<class Number>(std::size_t byte, Number /*type*/) {
    return in.number<Number>(head.substr(byte), 0);
  };
  GadgetHeader header;
  for (std::size_t type = 0; type < kGadgetTypes; ++type) {
    const auto number = in.number<std::int32_t>(head, type);
    if (number < 0) in.refuse(fmt::format("the header has {} particles of a type", number));
    header.here.push_back(static_cast<std::uint64_t>(number));
    header.everywhere.push_back(in.number<std::uint32_t>(head.substr(kTotals), type));
  }
  header.files = at(kFiles, std::int32_t{});
  header.time = at(kTime, double{});
  header.redshift = at(kRedshift, double{});
  header.omega0 = at(kOmega0, double{});
  header.hubble = at(kHubble, double{});
  return header;
}

/// The blocks of a Gadget file: in format 1 one after the other, in format 2 under names, in any order among others.
class GadgetBlocks {
 public:
  GadgetBlocks(RecordReader& in, bool has_names) : in_(in), has_names_(has_names) {
    if (!has_names) return;
    constexpr std::size_t kName = 4;  // and the length of the next record
    while (!in.ends()) {
      const std::string_view record = in.next("a block's name");
      if (record.size() != 2 * kName) in.refuse(fmt::format("a block's name has {} bytes instead of 8", record.size()));
      std::string_view name = record.substr(0, kName);
      while (!name.empty() && (name.back() == ' ' || name.back() == '\0')) name.remove_suffix(1);
      const std::string what = fmt::format("block {}", base::on_one_line(name));
      if (!by_name_.emplace(name, in.next(what)).second) in.refuse(fmt::format("{} is there twice", what));
    }
  }

  /// The block of this name, or the next one: blocks are asked for in the order of format 1.
  [[nodiscard]] std::string_view next(std::string_view name, std::string_view what) {
    if (!has_names_) return in_.next(what);
    const auto found = by_name_.find(name);
    if (found != by_name_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [one, record] : by_name_) names.push_back(base::on_one_line(one));
    in_.refuse(fmt::format("there is no block {} with {}; there are {}", name, what, fmt::join(names, ", ")));
  }

 private:
  RecordReader& in_;
  bool has_names_;
  std::map<std::string_view, std::string_view> by_name_;
};

LoadedSnapshot read_gadget(std::string_view content, const std::string& file, std::endian order, bool has_names) {
  RecordReader in(content, order, file);
  GadgetBlocks blocks(in, has_names);
  const std::string_view head = blocks.next("HEAD", "the header");
  if (head.size() != kGadgetHeader) in.refuse(fmt::format("the header has {} bytes instead of 256", head.size()));
  LoadedSnapshot loaded;
  const GadgetHeader header = gadget_header(in, head);
  if (const auto why = why_refused(header)) throw Error(fmt::format("{}: {}", file, *why));
  const std::vector<std::uint64_t>& counts = header.here;
  const std::size_t particles = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::array<double, kGadgetTypes> masses{};
  for (std::size_t type = 0; type < kGadgetTypes; ++type)
    masses.at(type) = in.number<double>(head.substr(kMasses), type);
  loaded.snapshot.time = header.time;
  if (particles * 3 * sizeof(float) > content.size()) {
    in.refuse(fmt::format("the header has {} particles, for which the file is too short", particles));
  }

  const Vectors positions(in, blocks.next("POS", "the positions"), particles, "positions");
  const Vectors velocities(in, blocks.next("VEL", "the velocities"), particles, "velocities");
  const std::string_view ids = blocks.next("ID", "the ids");
  const bool long_ids = ids.size() == particles * sizeof(std::uint64_t);
  if (!long_ids && ids.size() != particles * sizeof(std::uint32_t)) {
    in.refuse(fmt::format("{} bytes of ids are none of {} particles", ids.size(), particles));
  }
  std::size_t own = 0;  // particles with a mass of their own
  for (std::size_t type = 0; type < kGadgetTypes; ++type) own += masses.at(type) == 0 ? counts.at(type) : 0;
  const std::string_view mass_record = own > 0 ? blocks.next("MASS", "the masses") : std::string_view();
  const bool double_masses = mass_record.size() == own * sizeof(double) && own > 0;
  if (!double_masses && mass_record.size() != own * sizeof(float)) {
    in.refuse(fmt::format("{} bytes of masses are none of {} particles", mass_record.size(), own));
  }

  std::size_t i = 0;
  std::size_t massive = 0;
  loaded.snapshot.particles.reserve(particles);
  for (std::size_t type = 0; type < kGadgetTypes; ++type) {
    for (std::size_t k = 0; k < counts.at(type); ++k, ++i) {
      double mass = masses.at(type);
      if (mass == 0) {
        mass = double_masses ? in.number<double>(mass_record, massive) : in.number<float>(mass_record, massive);
        ++massive;
      }
      const std::uint64_t id = long_ids ? in.number<std::uint64_t>(ids, i) : in.number<std::uint32_t>(ids, i);
      loaded.snapshot.particles.push_back(static_cast<std::int64_t>(id), mass, positions[i], velocities[i]);
    }
  }
  if (counts[0] > 0) {
    loaded.notes.push_back(
        fmt::format("{} of {} particles are gas, and are taken as point masses", counts[0], particles));
  }
  loaded.notes.push_back(note_without_units(header));
  return loaded;
}

std::optional<std::endian> gadget2_order(std::string_view content) {
  constexpr std::size_t kName = 8;  // "HEAD" and the next block's length
  if (content.substr(0, kMark + 4).ends_with("HEAD")) return order_of(content, kName);
  return std::nullopt;
}

std::optional<std::size_t> bytes_of_unformatted(std::string_view content) {
  for (const std::size_t size : {sizeof(double), sizeof(float)}) {
    if (order_of(content, kNbodyNumbers * size)) return size;
  }
  return std::nullopt;
}

}  // namespace

bool is_gadget1(std::string_view content) { return order_of(content, kGadgetHeader).has_value(); }
bool is_gadget2(std::string_view content) { return gadget2_order(content).has_value(); }
bool is_unformatted(std::string_view content) { return bytes_of_unformatted(content).has_value(); }

LoadedSnapshot read_gadget1(std::string_view content, const std::string& file) {
  return read_gadget(content, file, order_of(content, kGadgetHeader).value(), false);
}
LoadedSnapshot read_gadget2(std::string_view content, const std::string& file) {
  return read_gadget(content, file, gadget2_order(content).value(), true);
}

LoadedSnapshot read_unformatted(std::string_view content, const std::string& file) {
  const std::size_t size = bytes_of_unformatted(content).value();
  RecordReader in(content, order_of(content, kNbodyNumbers * size).value(), file);
  LoadedSnapshot loaded;
  while (!in.ends()) {
    const std::string_view record = in.next("a particle");
    if (record.size() != kNbodyNumbers * size) {
      in.refuse(fmt::format("a record has {} bytes, the first one {}", record.size(), kNbodyNumbers * size));
    }
    std::array<double, kNbodyNumbers> v{};
    for (std::size_t k = 0; k < v.size(); ++k) {
      v.at(k) = size == sizeof(double) ? in.number<double>(record, k) : in.number<float>(record, k);
    }
    const auto id = static_cast<std::int64_t>(loaded.snapshot.particles.size());
    loaded.snapshot.particles.push_back(id, v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6]});
  }
  return loaded;
}

}  // namespace gdr::hostlib
