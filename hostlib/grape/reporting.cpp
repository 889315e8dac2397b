#include "reporting.h"

#include <cstdio>
#include <exception>

#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/json.h"
#include "process_file.h"

namespace gdr::grape {
namespace {

void say(std::string_view library, std::string_view text) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(library.size()), library.data(), static_cast<int>(text.size()),
               text.data());
}

}  // namespace

void Reporting::fail(std::string_view function, std::string_view why) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = failures_.try_emplace(std::string(function), 0);
    ++entry->second;
    if (is_new) say(library_, std::string(function) + ": " + std::string(why));
  } catch (const std::exception&) {
    say(library_, "memory is exhausted");
  }
}

void Reporting::note(std::string_view text) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (notes_.insert(std::string(text)).second) say(library_, text);
  } catch (const std::exception&) {
    say(library_, "memory is exhausted");
  }
}

void Reporting::count_force_call(std::uint64_t i_particles) noexcept {
  constexpr std::uint64_t kPlaces = emulator::kParticlesPerRun;
  const std::lock_guard lock(mutex_);
  ++force_calls_;
  i_particles_ += i_particles;
  places_ += (i_particles + kPlaces - 1) / kPlaces * kPlaces;
}

void Reporting::add(const BoardWork& work) noexcept {
  const std::lock_guard lock(mutex_);
  work_.interactions += work.interactions;
  work_.emulated_seconds += work.emulated_seconds;
}

void Reporting::write(const DeviceOptions& options, const BoardWork& open_boards, bool forked) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    const std::string path = foreign::file_of_process(foreign::setting_of_process("GDR_REPORT"), forked);
    if (path.empty() || force_calls_ == 0) return;
    base::Json json;
    json["library"] = library_;
    json["machine"] = options.machine;
    json["engine"] = options.engine;
    json["boards"] = options.boards;
    json["force_calls"] = force_calls_;
    json["i_particles"] = i_particles_;
    json["pipe_occupancy"] = places_ == 0 ? 0.0 : static_cast<double>(i_particles_) / static_cast<double>(places_);
    json["interactions"] = work_.interactions + open_boards.interactions;
    json["emulated_seconds"] = work_.emulated_seconds + open_boards.emulated_seconds;
    json["failures"] = base::Json::object();
    for (const auto& [function, count] : failures_) json["failures"][function] = count;
    base::refuse_compressed_name(path);
    base::write_file(path, json.text() + "\n");
  } catch (const std::exception& error) {
    say(library_, error.what());
  }
}

}  // namespace gdr::grape
