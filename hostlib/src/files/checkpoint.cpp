#include "gdr/hostlib/checkpoint.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "formats/little_endian.h"
#include "gdr/base/digest.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/own_files.h"

namespace gdr::hostlib {
namespace {

constexpr std::string_view kCheckpointMagic = "gdrnbody";
constexpr std::uint64_t kVersion =
    5;  // 1 had no context, 2 no potentials, 3 no noise_limited_steps, 4 the motion of the whole in its energy
constexpr std::uint64_t kVersionWithPairs = 6;  // of runs that regularise binaries: pairs behind the particles
constexpr std::size_t kHeaderBytes = kCheckpointMagic.size() + kWordBytes;
constexpr std::size_t kChecksumBytes = 64;            // SHA-256 in hex digits
constexpr std::size_t kWordsPerBody = 4 + 5 * 3 + 1;  // id, mass, t, dt; x, v, a, jerk, snap; pot

std::string checksum(std::string_view bytes) { return base::sha256_hex(std::as_bytes(std::span(bytes))); }

void append_counters(std::string& bytes, const HermiteCounters& c) {
  for (const std::uint64_t count : {c.steps, c.block_steps, c.interactions, c.smallest_steps, c.noise_limited_steps}) {
    append_le(bytes, count);
  }
  for (const std::uint64_t count : c.block_sizes) append_le(bytes, count);
}

void append_body(std::string& bytes, const HermiteBody& b) {
  append_le(bytes, b.id);
  append_le(bytes, b.mass);
  append_le(bytes, b.t);
  append_le(bytes, b.dt);
  for (const Vec3& vector : {b.x, b.v, b.a, b.jerk, b.snap}) append_le(bytes, vector);
  append_le(bytes, b.pot);
}

void append_pairs(std::string& bytes, const HermiteState& state) {
  append_le(bytes, state.close_axis);
  append_le(bytes, std::uint64_t{state.pairs.size()});
  for (const RegularisedPair& pair : state.pairs) {
    append_le(bytes, std::uint64_t{pair.centre});
    append_le(bytes, std::uint64_t{pair.ghost});
    append_le(bytes, pair.first_mass);
    append_le(bytes, pair.second_mass);
    append_le(bytes, pair.t);
    append_le(bytes, pair.r);
    append_le(bytes, pair.v);
    append_le(bytes, pair.binding);
    append_le(bytes, pair.size);
    append_le(bytes, pair.listed_until);
    append_le(bytes, std::uint64_t{pair.neighbours.size()});
    for (const std::size_t k : pair.neighbours) append_le(bytes, std::uint64_t{k});
  }
}

// Reads words from the front. The caller has checked that there are enough.
class WordReader {
 public:
  explicit WordReader(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::size_t words_left() const { return rest_.size() / kWordBytes; }

  std::uint64_t word() {
    GDR_ASSERT(rest_.size() >= kWordBytes, "the length of a checkpoint is checked before its words are read");
    const std::uint64_t value = read_le(rest_);
    rest_.remove_prefix(kWordBytes);
    return value;
  }
  std::int64_t integer() { return static_cast<std::int64_t>(word()); }
  double real() { return std::bit_cast<double>(word()); }
  Vec3 vector() {
    Vec3 v;
    v.x = real();
    v.y = real();
    v.z = real();
    return v;
  }

 private:
  std::string_view rest_;
};

HermiteCounters read_counters(WordReader& in, std::size_t n) {
  HermiteCounters c;
  c.steps = in.word();
  c.block_steps = in.word();
  c.interactions = in.word();
  c.smallest_steps = in.word();
  c.noise_limited_steps = in.word();
  c.block_sizes.resize(n + 1);
  for (std::uint64_t& count : c.block_sizes) count = in.word();
  return c;
}

HermiteBody read_body(WordReader& in) {
  HermiteBody b;
  b.id = in.integer();
  b.mass = in.real();
  b.t = in.integer();
  b.dt = in.integer();
  for (Vec3* vector : {&b.x, &b.v, &b.a, &b.jerk, &b.snap}) *vector = in.vector();
  b.pot = in.real();
  return b;
}

std::vector<RegularisedPair> read_pairs(WordReader& in) {
  constexpr std::size_t kWordsPerPair = 5 + 2 * 3 + 4;  // without the neighbours
  const auto take = [&](std::uint64_t count, std::size_t words) {
    if (count > in.words_left() / words) throw Error("its length does not fit its pairs");
    return static_cast<std::size_t>(count);
  };
  std::vector<RegularisedPair> pairs(take(in.word(), kWordsPerPair));
  for (RegularisedPair& pair : pairs) {
    take(1, kWordsPerPair);
    pair.centre = static_cast<std::size_t>(in.word());
    pair.ghost = static_cast<std::size_t>(in.word());
    pair.first_mass = in.real();
    pair.second_mass = in.real();
    pair.t = in.integer();
    pair.r = in.vector();
    pair.v = in.vector();
    pair.binding = in.real();
    pair.size = in.real();
    pair.listed_until = in.integer();
    pair.neighbours.resize(take(in.word(), 1));
    for (std::size_t& k : pair.neighbours) k = static_cast<std::size_t>(in.word());
  }
  return pairs;
}

/// Number of bytes that fill up the last word of the context.
std::size_t padding_of(std::size_t bytes) { return (kWordBytes - bytes % kWordBytes) % kWordBytes; }

// Reads the part between header and checksum. Throws gdr::Error without the file's name.
Checkpoint read_payload(std::string_view payload, bool has_pairs) {
  constexpr std::size_t kFixedWords = 5 + 5 + 1;  // scalars, counters, block_sizes[0]
  if (payload.size() < kWordBytes) throw Error("its length fits no state");
  const std::uint64_t context_bytes = read_le(payload);
  payload.remove_prefix(kWordBytes);
  if (context_bytes > payload.size() || context_bytes + padding_of(context_bytes) > payload.size()) {
    throw Error(fmt::format("its length does not fit a context of {} bytes", context_bytes));
  }
  const std::string_view context = payload.substr(0, context_bytes);
  payload.remove_prefix(context_bytes + padding_of(context_bytes));
  WordReader in(payload);
  if (payload.size() % kWordBytes != 0 || in.words_left() < kFixedWords) throw Error("its length fits no state");
  const std::uint64_t n = in.word();
  const std::uint64_t body_words = payload.size() / kWordBytes - kFixedWords;
  const bool fits = has_pairs ? n <= body_words / (kWordsPerBody + 1)
                              : body_words % (kWordsPerBody + 1) == 0 && n == body_words / (kWordsPerBody + 1);
  if (!fits) {
    throw Error(fmt::format("its length does not fit {} particles", n));
  }
  Checkpoint c;
  c.context = context;
  c.initial_energy = in.real();
  if (!std::isfinite(c.initial_energy)) throw Error(fmt::format("its initial energy is {}", c.initial_energy));
  c.state.options.eta = in.real();
  c.state.options.eps = in.real();
  c.state.time = in.integer();
  c.state.counters = read_counters(in, static_cast<std::size_t>(n));
  c.state.bodies.reserve(static_cast<std::size_t>(n));
  for (std::uint64_t k = 0; k < n; ++k) c.state.bodies.push_back(read_body(in));
  if (has_pairs) {
    c.state.options.regularise = true;
    if (in.words_left() < 2) throw Error("its length does not fit its pairs");
    c.state.close_axis = in.real();
    if (!(c.state.close_axis >= 0)) throw Error(fmt::format("its largest axis of pairs is {}", c.state.close_axis));
    c.state.pairs = read_pairs(in);
    if (in.words_left() > 0) throw Error("its length does not fit its pairs");
  }
  validate(c.state);
  return c;
}

Checkpoint decode(std::string_view bytes) {
  if (bytes.substr(0, kCheckpointMagic.size()) != kCheckpointMagic) throw Error("it is no checkpoint of gdr nbody");
  if (bytes.size() < kHeaderBytes + kChecksumBytes) throw Error("it is truncated");
  const std::uint64_t version = read_le(bytes.substr(kCheckpointMagic.size()));
  if (version != kVersion && version != kVersionWithPairs) {
    throw Error(fmt::format("its version {} is not {} or {}", version, kVersion, kVersionWithPairs));
  }
  const std::string_view signed_part = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (checksum(signed_part) != bytes.substr(signed_part.size())) {
    throw Error("its checksum does not match: it is truncated or damaged");
  }
  return read_payload(signed_part.substr(kHeaderBytes), version == kVersionWithPairs);
}

/// True if nothing but a checkpoint is there, which the next one may replace.
bool may_replace(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::file_status status = std::filesystem::symlink_status(path, none);
  if (!std::filesystem::exists(status)) return true;
  if (!std::filesystem::is_regular_file(status)) return false;
  std::string begin(kCheckpointMagic.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return kCheckpointMagic.starts_with(begin);  // a copy may have been cut off
}

/// The previous checkpoint keeps its file under another name, so that a checkpoint exists at every moment. A symbolic
/// link may lead to another file system, and some have no links: there it is copied, if there is room.
void keep_previous(const std::filesystem::path& path) {
  const std::filesystem::path before = previous_checkpoint(path);
  std::error_code none;
  const std::filesystem::path kept = std::filesystem::canonical(path, none);
  if (!may_replace(kept) || !may_replace(before)) return;
  std::filesystem::remove(before, none);
  std::error_code failed;
  std::filesystem::create_hard_link(kept, before, failed);
  if (failed) std::filesystem::copy_file(path, before, none);  // its checksum tells if the copy was not completed
}

}  // namespace

std::filesystem::path previous_checkpoint(const std::filesystem::path& path) { return path.string() + "~"; }

void require_room_for_previous(const std::filesystem::path& path) {
  const std::filesystem::path before = previous_checkpoint(path);
  if (may_replace(before)) return;
  throw Error(
      fmt::format("{}: the checkpoint before the last would replace it, and it is no checkpoint: move it, or "
                  "choose another name for the checkpoint",
                  before.string()));
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  const HermiteState& state = checkpoint.state;
  std::string bytes(kCheckpointMagic);
  append_le(bytes, state.options.regularise ? kVersionWithPairs : kVersion);
  append_le(bytes, std::uint64_t{checkpoint.context.size()});
  bytes += checkpoint.context;
  bytes.append(padding_of(checkpoint.context.size()), '\0');
  append_le(bytes, std::uint64_t{state.bodies.size()});
  append_le(bytes, checkpoint.initial_energy);
  append_le(bytes, state.options.eta);
  append_le(bytes, state.options.eps);
  append_le(bytes, state.time);
  append_counters(bytes, state.counters);
  for (const HermiteBody& b : state.bodies) append_body(bytes, b);
  if (state.options.regularise) append_pairs(bytes, state);
  bytes += checksum(bytes);
  base::write_file(path, bytes, [&] { keep_previous(path); });
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  const std::string bytes = base::read_file(path);
  try {
    return decode(bytes);
  } catch (const Error& reason) {
    throw Error(fmt::format("{}: checkpoint refused: {}", path.string(), reason.what()));
  }
}

}  // namespace gdr::hostlib
