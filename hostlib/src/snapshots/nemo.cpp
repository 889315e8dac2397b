// NEMO's structured binary files: items of a magic number, the letter of a type, a tag, for arrays the extents with a
// 0 behind them, and data. "(" and ")" are the types that begin and end a set of items. A snapshot is a set "SnapShot"
// of a set "Parameters" (Nobj, Time) and a set "Particles" (Mass, Key, PhaseSpace or Position and Velocity). Masses and
// keys hold for later snapshots, too, until there are others: codes such as hackcode1 write them only once.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "formats/bytes.h"
#include "gdr/base/counted.h"
#include "gdr/base/quoted.h"
#include "kinds.h"

namespace gdr::hostlib {
namespace {

constexpr std::uint16_t kSingle = 0x0992;  // (011 << 8) + 0222
constexpr std::uint16_t kPlural = 0x0b92;  // (013 << 8) + 0222
constexpr std::size_t kLongestName = 64;
constexpr unsigned kDeepestSet = 16;

std::optional<std::endian> order_of(std::string_view content) {
  if (content.size() < sizeof(kSingle)) return std::nullopt;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    const auto magic = ByteReader::number_in<std::uint16_t>(content, order);
    if (magic == kSingle || magic == kPlural) return order;
  }
  return std::nullopt;
}

std::size_t bytes_of(char type) {
  switch (type) {
    case 'a':
    case 'c':
    case 'b':
      return 1;
    case 's':
    case 'h':
      return 2;
    case 'i':
    case 'f':
      return 4;
    case 'l':
    case 'd':
      return 8;
    default:  // refused by the caller with its letter
      return 0;
  }
}

class NemoReader {
 public:
  NemoReader(std::string_view content, const std::string& file)
      : order_(order_of(content).value()), in_(content, order_, file) {}

  /// The last snapshot with particles.
  LoadedSnapshot last() {
    while (in_.left() > 0) item(0);
    if (!last_) in_.refuse("no set SnapShot has positions and velocities");
    const std::size_t n = last_->particles();
    if (last_->mass->empty()) {
      in_.refuse(fmt::format("the snapshot at time {} has no masses, nor has one before it", last_->time));
    }
    if (last_->mass->size() != n) {
      in_.refuse(fmt::format("the snapshot at time {} has {} particles, and the last masses are of {}", last_->time, n,
                             last_->mass->size()));
    }
    LoadedSnapshot loaded = with_particles(*last_);
    if (snapshots_ > 1) loaded.notes.push_back(fmt::format("the last of {} snapshots is taken", snapshots_));
    if (sets_behind_ > 0) {
      loaded.notes.push_back(fmt::format("left out: {} without particles, up to time {}",
                                         base::counted(sets_behind_, "later snapshot"), parts_.time));
    }
    return loaded;
  }

 private:
  void item(unsigned depth) {
    const auto magic = in_.number<std::uint16_t>();
    if (magic != kSingle && magic != kPlural) in_.refuse(fmt::format("{:#06x} is no magic number of an item", magic));
    const std::string type = name();
    if (type == ")") {
      if (open_.empty()) in_.refuse("a set ends that did not begin");
      open_.pop_back();
      return;
    }
    const std::string tag = name();
    if (type == "(") return set(tag, depth);
    std::size_t count = 1;
    if (magic == kPlural) {
      while (const auto extent = in_.number<std::int32_t>()) {
        if (extent < 0 || static_cast<std::size_t>(extent) > in_.left()) {
          in_.refuse(fmt::format("item {} has an extent of {}", base::on_one_line(tag), extent));
        }
        count *= static_cast<std::size_t>(extent);
        if (count > in_.left()) in_.refuse(fmt::format("item {} is longer than the file", base::on_one_line(tag)));
      }
    }
    const std::size_t size = type.size() == 1 ? bytes_of(type[0]) : 0;
    if (size == 0)
      in_.refuse(fmt::format("item {} has the unknown type '{}'", base::on_one_line(tag), base::on_one_line(type)));
    data(tag, type[0], count, in_.take(count * size));
  }

  void set(const std::string& tag, unsigned depth) {
    if (depth == kDeepestSet) in_.refuse(fmt::format("sets are nested more than {} deep", kDeepestSet));
    const bool is_snapshot = tag == "SnapShot";
    if (is_snapshot) parts_ = {0, {}, {}, {}, parts_.mass, parts_.keys};
    open_.push_back(tag);
    const std::size_t outside = open_.size() - 1;
    while (open_.size() > outside) item(depth + 1);
    if (is_snapshot) finish();
  }

  std::string name() {
    std::string text;
    while (true) {
      const char letter = in_.take(1)[0];
      if (letter == '\0') return text;
      if (text.size() == kLongestName) in_.refuse("a name does not end");
      text += letter;
    }
  }

  void data(const std::string& tag, char type, std::size_t count, std::string_view bytes) {
    const auto reals = [&] {
      std::vector<double> values(count);
      for (std::size_t k = 0; k < count; ++k) {
        const std::string_view at = bytes.substr(k * bytes_of(type));
        if (type == 'd') {
          values[k] = ByteReader::number_in<double>(at, order_);
        } else if (type == 'f') {
          values[k] = ByteReader::number_in<float>(at, order_);
        } else if (type == 'i') {
          values[k] = ByteReader::number_in<std::int32_t>(at, order_);
        } else {
          in_.refuse(fmt::format("item {} has the type '{}', which is none of numbers", tag, type));
        }
      }
      return values;
    };
    if (tag == "Time" && count == 1) parts_.time = reals()[0];
    if (tag == "Mass") parts_.mass = std::make_shared<const std::vector<double>>(reals());
    if (tag == "Key" && (type == 'i' || type == 'l')) {
      std::vector<std::int64_t> keys(count);
      for (std::size_t k = 0; k < count; ++k) {
        const std::string_view at = bytes.substr(k * bytes_of(type));
        keys[k] = type == 'i' ? ByteReader::number_in<std::int32_t>(at, order_)
                              : ByteReader::number_in<std::int64_t>(at, order_);
      }
      parts_.keys = std::make_shared<const std::vector<std::int64_t>>(std::move(keys));
    }
    if (tag == "PhaseSpace") parts_.phases = reals();
    if (tag == "Position") parts_.positions = reals();
    if (tag == "Velocity") parts_.velocities = reals();
  }

  void finish() {
    if (!parts_.has_particles()) {  // diagnostics or masses alone
      ++sets_behind_;
      return;
    }
    sets_behind_ = 0;
    ++snapshots_;
    const std::size_t n = parts_.particles();
    const bool fits = parts_.phases.empty() ? parts_.positions.size() == 3 * n && parts_.velocities.size() == 3 * n
                                            : parts_.phases.size() == 6 * n;
    if (!fits) {
      in_.refuse(fmt::format("a snapshot has {} positions, and another number of velocities", n));
    }
    last_ = parts_;
  }

  struct Parts {
    double time = 0;
    std::vector<double> phases, positions, velocities;
    // Of this snapshot or one before it. Shared, as thousands of small snapshots may follow one with many masses.
    std::shared_ptr<const std::vector<double>> mass = std::make_shared<std::vector<double>>();
    std::shared_ptr<const std::vector<std::int64_t>> keys = std::make_shared<std::vector<std::int64_t>>();
    [[nodiscard]] bool has_particles() const { return !phases.empty() || !positions.empty() || !velocities.empty(); }
    [[nodiscard]] std::size_t particles() const { return phases.empty() ? positions.size() / 3 : phases.size() / 6; }
  };

  static LoadedSnapshot with_particles(const Parts& parts) {
    LoadedSnapshot loaded;
    loaded.snapshot.time = parts.time;
    const auto vector = [](const std::vector<double>& values, std::size_t first) {
      return Vec3{values[first], values[first + 1], values[first + 2]};
    };
    const bool in_phases = !parts.phases.empty();
    for (std::size_t i = 0; i < parts.particles(); ++i) {
      loaded.snapshot.particles.push_back(
          static_cast<std::int64_t>(i), (*parts.mass)[i],
          in_phases ? vector(parts.phases, 6 * i) : vector(parts.positions, 3 * i),
          in_phases ? vector(parts.phases, 6 * i + 3) : vector(parts.velocities, 3 * i));
    }
    if (parts.keys->empty()) return loaded;
    std::vector<std::int64_t> sorted = *parts.keys;
    std::ranges::sort(sorted);
    if (sorted.size() == parts.particles() && std::ranges::adjacent_find(sorted) == sorted.end()) {
      loaded.snapshot.particles.id = *parts.keys;
    } else {
      loaded.notes.emplace_back("the file's keys are not one for each particle; particles are numbered");
    }
    return loaded;
  }

  std::endian order_;
  ByteReader in_;
  std::vector<std::string> open_;
  Parts parts_;
  std::optional<Parts> last_;
  std::size_t snapshots_ = 0;
  std::size_t sets_behind_ = 0;  // without particles, behind the last snapshot with them
};

class NemoWriter {
 public:
  void begin(std::string_view tag) { item(kSingle, "(", tag); }
  void end() {
    append_number(bytes_, kSingle);
    name(")");
  }
  void whole(std::string_view tag, std::int32_t value) {
    item(kSingle, "i", tag);
    append_number(bytes_, value);
  }
  void real(std::string_view tag, double value) {
    item(kSingle, "d", tag);
    append_number(bytes_, value);
  }
  void array(std::string_view tag, std::initializer_list<std::size_t> extents, std::string_view type = "d") {
    item(kPlural, type, tag);
    for (const std::size_t extent : extents) append_number(bytes_, static_cast<std::int32_t>(extent));
    append_number(bytes_, std::int32_t{0});
  }
  template <class Number>
  void value(Number number) {
    append_number(bytes_, number);
  }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  void item(std::uint16_t magic, std::string_view type, std::string_view tag) {
    append_number(bytes_, magic);
    name(type);
    name(tag);
  }
  void name(std::string_view text) {
    bytes_ += text;
    bytes_ += '\0';
  }

  std::string bytes_;
};

}  // namespace

bool is_nemo(std::string_view content) { return order_of(content).has_value(); }

LoadedSnapshot read_nemo(std::string_view content, const std::string& file) { return NemoReader(content, file).last(); }

std::string nemo_image(const Snapshot& snapshot) {
  constexpr std::int32_t kCartesian = 0x10302;  // CSCode(Cartesian, 3, 2): 3 dimensions of position and velocity
  const Particles& p = snapshot.particles;
  NemoWriter out;
  out.begin("SnapShot");
  out.begin("Parameters");
  out.whole("Nobj", static_cast<std::int32_t>(p.size()));
  out.real("Time", snapshot.time);
  out.end();
  out.begin("Particles");
  out.whole("CoordSystem", kCartesian);
  out.array("Mass", {p.size()});
  for (const double mass : p.mass) out.value(mass);
  out.array("PhaseSpace", {p.size(), 2, 3});
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (const Vec3& of : {p.position[i], p.velocity[i]}) {
      for (const double value : {of.x, of.y, of.z}) out.value(value);
    }
  }
  // NEMO's programs read keys of 32 bits, and refuse others by their type.
  const bool fit = std::ranges::all_of(p.id, [](std::int64_t id) { return std::in_range<std::int32_t>(id); });
  out.array("Key", {p.size()}, fit ? "i" : "l");
  for (const std::int64_t id : p.id) {
    if (fit) {
      out.value(static_cast<std::int32_t>(id));
    } else {
      out.value(id);
    }
  }
  out.end();
  out.end();
  return out.take();
}

}  // namespace gdr::hostlib
