#include "run_follower.h"

#include <algorithm>

#include "gdr/hostlib/recording.h"

namespace gdr::hostlib {

void RunFollower::begin() {
  starts_ = boards_.counters().runs / boards_.chips();
  run_.starts.clear();
  followed_.of_last_run.clear();
  counted_ = boards_.counters().fp;
}

emulator::FpEvents RunFollower::new_events() {
  const emulator::FpEvents now = boards_.counters().fp;
  const emulator::FpEvents more{now.invalid - counted_.invalid, now.overflow - counted_.overflow,
                                now.underflow - counted_.underflow};
  counted_ = now;
  return more;
}

void RunFollower::end_start(unsigned collected) { run_.starts.push_back({new_events(), collected}); }

void RunFollower::fail() {
  end_start(0);
  for (const CountedRun::Start& start : run_.starts) followed_.unfollowed += start.counted;
  if (any(followed_.unfollowed)) followed_.why = "the run ended with a fault";
  add_first({});
}

FollowedEvents RunFollower::found(const isa::Program& program, const DeviceOptions& options,
                                  const ParameterValues& values, std::span<const std::uint64_t> i_fields,
                                  std::size_t nj, const emulator::Inspector& inspector) {
  // All runs together may take some times as long for this as they take by themselves.
  constexpr std::uint64_t kPerLine = 10;
  const std::uint64_t most = most_lines_of_run_ + kPerLine * boards_.counters().lines;
  const std::uint64_t most_of_run = std::min(most_lines_of_run_, most - std::min(most, work_));
  try {
    Recording recording;
    DeviceOptions recorded = options;
    recorded.timing = false;
    recorded.threads = 1;
    Device recorder(recorded, make_recorder(recording));
    recorder.load(program);
    for (const auto& [name, value] : values) recorder.set_parameter(name, value);
    static_cast<void>(recorder.run(i_fields, nj));
    // The boards' inspector is their session.
    const auto& session = dynamic_cast<const emulator::Session&>(inspector);
    for (unsigned chip = 0; chip < recording.chips; ++chip) {
      recording.memory[chip] = session.read_memory(chip, 0, recording.memory[chip].size());
    }
    if (!words_) words_ = std::make_unique<KernelWords>(program);
    return followed_events(recording, *words_, run_, most_of_run);
  } catch (const emulator::Fault&) {  // of words that the run did not begin with
    FollowedEvents none;
    none.unknown_runs.assign(run_.starts.size(), true);
    for (const CountedRun::Start& start : run_.starts) none.unfollowed += start.counted;
    return none;
  }
}

void RunFollower::end(const isa::Program& program, const DeviceOptions& options, const ParameterValues& values,
                      std::span<const std::uint64_t> i_fields, std::size_t nj, const emulator::Inspector& inspector) {
  if (std::ranges::none_of(run_.starts, [](const auto& start) { return any(start.counted); })) return;
  run_.junctions = !boards_.first_junction_events().empty();
  const FollowedEvents events = found(program, options, values, i_fields, nj, inspector);
  work_ += events.work;
  followed_.untaken += events.untaken;
  followed_.unfollowed += events.unfollowed;
  if (any(events.unfollowed)) {
    followed_.why = events.end ? "the run is too large" : "the run began with words that earlier runs had left";
  }
  add_first(events);
}

void RunFollower::add_first(const FollowedEvents& events) {
  emulator::FirstEvents of_run;
  for (emulator::PlacedEvent event : events.first.events()) {
    event.place.run += starts_;
    of_run.add(event);
  }
  for (const emulator::PlacedEvent& event : boards_.first_events()) {
    if (starts_ > 0 && event.place.run <= starts_) continue;
    emulator::PePlace in_run = event.place;
    in_run.run -= starts_;
    if (!events.has_followed(in_run)) of_run.add(event);
  }
  followed_.of_last_run.assign(of_run.events().begin(), of_run.events().end());
  emulator::FirstEvents all;
  for (const emulator::PlacedEvent& event : followed_.first) all.add(event);
  for (const emulator::PlacedEvent& event : followed_.of_last_run) all.add(event);
  followed_.first.assign(all.events().begin(), all.events().end());
}

}  // namespace gdr::hostlib
