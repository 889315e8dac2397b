// Tipsy's binary files: time (double), five counts (int: all, dimensions, gas, dark matter, stars), a padding word in
// most, then single-precision records of gas (12 numbers), dark matter (9) and stars (11), each beginning with m, x, y,
// z, vx, vy, vz.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>

#include "formats/bytes.h"
#include "kinds.h"

namespace gdr::hostlib {
namespace {

constexpr std::array<std::size_t, 3> kNumbers{12, 9, 11};  // of a record of gas, dark matter, stars
constexpr std::size_t kShortHeader = sizeof(double) + 5 * sizeof(std::int32_t);
constexpr std::size_t kPaddedHeader = kShortHeader + sizeof(std::int32_t);

struct TipsyHeader {
  std::endian order = std::endian::little;
  std::size_t bytes = 0;
  double time = 0;
  std::array<std::size_t, 3> counts{};
};

std::optional<TipsyHeader> header_of(std::string_view content) {
  if (content.size() < kPaddedHeader) return std::nullopt;
  for (const std::endian order : {std::endian::little, std::endian::big}) {
    ByteReader in(content, order, "");
    TipsyHeader header;
    header.order = order;
    header.time = in.number<double>();
    std::array<std::int32_t, 5> numbers{};
    for (std::int32_t& number : numbers) number = in.number<std::int32_t>();
    const auto [all, dimensions, gas, dark, stars] = numbers;
    if (all < 1 || dimensions != 3 || gas < 0 || dark < 0 || stars < 0 || !std::isfinite(header.time)) continue;
    if (std::int64_t{gas} + dark + stars != all) continue;
    header.counts = {static_cast<std::size_t>(gas), static_cast<std::size_t>(dark), static_cast<std::size_t>(stars)};
    std::size_t records = 0;
    for (std::size_t type = 0; type < kNumbers.size(); ++type) {
      records += header.counts.at(type) * kNumbers.at(type) * sizeof(float);
    }
    for (const std::size_t bytes : {kPaddedHeader, kShortHeader}) {
      header.bytes = bytes;
      // A padded file that lost its last word has the size of one without padding, whose first word is a mass.
      const bool is_short = bytes == kShortHeader;
      if (is_short && ByteReader::number_in<std::int32_t>(content.substr(kShortHeader), order) == 0) continue;
      if (content.size() == bytes + records) return header;
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_tipsy(std::string_view content) { return header_of(content).has_value(); }

LoadedSnapshot read_tipsy(std::string_view content, const std::string& file) {
  const TipsyHeader header = header_of(content).value();
  LoadedSnapshot loaded;
  loaded.snapshot.time = header.time;
  ByteReader in(content, header.order, file);
  in.go_to(header.bytes);
  for (std::size_t type = 0; type < kNumbers.size(); ++type) {
    for (std::size_t k = 0; k < header.counts.at(type); ++k) {
      std::array<double, kNumbers[0]> v{};
      for (std::size_t n = 0; n < kNumbers.at(type); ++n) v.at(n) = in.number<float>();
      const auto id = static_cast<std::int64_t>(loaded.snapshot.particles.size());
      loaded.snapshot.particles.push_back(id, v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6]});
    }
  }
  if (header.counts[0] > 0) {
    loaded.notes.push_back(fmt::format("{} of {} particles are gas, and are taken as point masses", header.counts[0],
                                       loaded.snapshot.particles.size()));
  }
  return loaded;
}

}  // namespace gdr::hostlib
