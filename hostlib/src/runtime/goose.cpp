// Marked loops of host programs: records, one run, results. Overlaps in memory are found before anything is computed.
#include "gdr/hostlib/goose.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "event_telling.h"
#include "gdr/base/environment.h"
#include "gdr/base/error.h"
#include "gdr/hostlib/runtime.h"
#include "gdr/isa/program.h"

namespace {

thread_local std::string goose_message;

struct CloseRuntime {
  void operator()(gdr_runtime* runtime) const { gdr_runtime_close(runtime); }
};

/// A range of bytes from which a record was read, or to which its results go.
struct Bytes {
  std::uintptr_t begin;
  std::uintptr_t end;
  std::size_t record;
  const char* name;
};

constexpr std::size_t kEveryRecord = ~std::size_t{0};

}  // namespace

struct gdr_goose {
  std::string place;
  std::unique_ptr<gdr_runtime, CloseRuntime> runtime;
  std::vector<std::string> parameters;
  std::size_t i_width = 0;
  std::size_t j_width = 0;
  std::size_t result_width = 0;
  std::vector<gdr_goose_word> i;
  std::vector<gdr_goose_word> j;
  std::vector<gdr_goose_word> results;
  std::size_t i_count = 0;
  std::size_t j_count = 0;
  std::size_t next = 0;     // index of the next result
  double seconds = 0;       // emulated, of all runs
  double last_seconds = 0;  // of the latest
  std::vector<Bytes> written;
  std::vector<Bytes> read;
  std::vector<gdr_goose_word> sink;  // receives the records that are written after a failure
  bool failed = false;
};

namespace {

int fail(gdr_goose& loop, const std::string& why) {
  try {
    goose_message = loop.place + ": " + why;
  } catch (const std::bad_alloc&) {
    goose_message.clear();
  }
  loop.failed = true;
  return 1;
}

/// Whether a call of the runtime's C interface succeeded. If not, the loop fails.
bool good(gdr_goose& loop, int status) {
  if (status == GDR_OK) return true;
  const std::string why = gdr_runtime_message();
  fail(loop, why.empty() ? gdr_runtime_strerror(status) : why);
  return false;
}

template <class Body>
void guarded(gdr_goose& loop, Body body) {
  try {
    if (!loop.failed) body();
  } catch (const std::exception& error) {
    fail(loop, error.what());
  }
}

void open(gdr_goose& loop, const unsigned char* object, std::size_t bytes) {
  const std::span code(reinterpret_cast<const std::byte*>(object), bytes);
  const gdr::isa::Program program = gdr::isa::deserialize(code, loop.place);
  const auto words = [&](gdr::isa::Transfer transfer) {
    std::size_t count = 0;
    for (const gdr::isa::Variable& variable : program.variables) {
      if (variable.transfer == transfer) count += variable.elements;
    }
    return count;
  };
  loop.i_width = words(gdr::isa::Transfer::hlt);
  loop.j_width = words(gdr::isa::Transfer::elt);
  loop.result_width = words(gdr::isa::Transfer::rrn);
  for (const gdr::isa::Parameter& parameter : program.parameters) loop.parameters.push_back(parameter.name);
  loop.sink.resize(std::max({loop.i_width, loop.j_width, loop.result_width, std::size_t{1}}));
  gdr_runtime* runtime = nullptr;
  if (!good(loop, gdr_runtime_open(object, bytes, &runtime))) return;
  loop.runtime.reset(runtime);
  gdr::hostlib::tell_events_by_default(*runtime, loop.place);
}

gdr_goose_word* append(gdr_goose& loop, std::vector<gdr_goose_word>& records, std::size_t width, std::size_t& count) {
  guarded(loop, [&] {
    records.resize(records.size() + width);
    ++count;
  });
  return loop.failed ? loop.sink.data() : records.data() + records.size() - width;
}

void note(gdr_goose& loop, std::vector<Bytes>& list, const void* address, std::size_t bytes, std::size_t record,
          const char* name) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  guarded(loop, [&] { list.push_back({begin, begin + bytes, record, name}); });
}

/// Fails the loop if two i write the same word, or if data are results of another i.
void refuse_overlaps(gdr_goose& loop) {
  std::vector<Bytes>& written = loop.written;
  std::sort(written.begin(), written.end(), [](const Bytes& a, const Bytes& b) { return a.begin < b.begin; });
  for (std::size_t n = 1; n < written.size(); ++n) {
    const Bytes& before = written[n - 1];
    if (before.end > written[n].begin && before.record != written[n].record) {
      fail(loop, std::string("two turns of the loop over i write one word of '") + written[n].name +
                     "': results of different i must not overlap");
      return;
    }
  }
  // Written words have one size and do not overlap, except for a word that is named twice. The search goes backwards
  // from the last one that begins before the end of the word read.
  for (const Bytes& read : loop.read) {
    auto behind = std::lower_bound(written.begin(), written.end(), read.end,
                                   [](const Bytes& one, std::uintptr_t end) { return one.begin < end; });
    while (behind != written.begin()) {
      --behind;
      if (behind->end <= read.begin) break;
      if (behind->record == read.record) continue;
      fail(loop,
           std::string("'") + read.name + "' and '" + behind->name +
               "' overlap in memory: the loop reads what it has written, so that its result depends on the order of "
               "i; write to another array");
      return;
    }
  }
}

}  // namespace

int gdr_goose_begin(gdr_goose** loop, const char* place, const unsigned char* object, size_t bytes) {
  goose_message.clear();
  try {
    const std::string where = gdr::base::environment("GDR_GOOSE");
    if (where == "host") return GDR_GOOSE_HOST;
    if (!where.empty() && where != "board") {
      goose_message = std::string(place) + ": GDR_GOOSE = '" + where + "' is refused: it must be board or host";
      return GDR_GOOSE_FAILED;
    }
    if (*loop == nullptr) {
      auto fresh = std::make_unique<gdr_goose>();
      fresh->place = place;
      guarded(*fresh, [&] { open(*fresh, object, bytes); });
      if (fresh->failed) return GDR_GOOSE_FAILED;
      *loop = fresh.release();
    }
  } catch (const std::exception& error) {
    goose_message = error.what();
    return GDR_GOOSE_FAILED;
  }
  gdr_goose& one = **loop;
  one.i.clear();
  one.j.clear();
  one.results.clear();
  one.written.clear();
  one.read.clear();
  one.i_count = one.j_count = one.next = 0;
  one.failed = false;
  return GDR_GOOSE_BOARD;
}

gdr_goose_word* gdr_goose_i(gdr_goose* loop) { return append(*loop, loop->i, loop->i_width, loop->i_count); }
gdr_goose_word* gdr_goose_j(gdr_goose* loop) { return append(*loop, loop->j, loop->j_width, loop->j_count); }
size_t gdr_goose_count_i(const gdr_goose* loop) { return loop->i_count; }
size_t gdr_goose_count_j(const gdr_goose* loop) { return loop->j_count; }

void gdr_goose_parameter(gdr_goose* loop, unsigned number, double value) {
  guarded(*loop, [&] {
    if (number >= loop->parameters.size()) {
      fail(*loop, "parameter " + std::to_string(number) + " is not one of the kernel's");
      return;
    }
    good(*loop, gdr_runtime_set_parameter(loop->runtime.get(), loop->parameters[number].c_str(), value));
  });
}

void gdr_goose_writes(gdr_goose* loop, const void* address, size_t bytes, const char* name) {
  note(*loop, loop->written, address, bytes, loop->i_count, name);
}

void gdr_goose_reads_i(gdr_goose* loop, const void* address, size_t bytes, const char* name) {
  note(*loop, loop->read, address, bytes, loop->i_count, name);
}

void gdr_goose_reads_j(gdr_goose* loop, const void* address, size_t bytes, const char* name) {
  note(*loop, loop->read, address, bytes, kEveryRecord, name);
}

int gdr_goose_run(gdr_goose* loop) {
  loop->last_seconds = 0;
  guarded(*loop, [&] {
    gdr_runtime* runtime = loop->runtime.get();
    constexpr std::size_t kMost = 0x7fffffff;
    if (loop->i_count > kMost || loop->j_count > kMost) {
      fail(*loop, "more than 2147483647 turns of a loop");
      return;
    }
    refuse_overlaps(*loop);
    if (loop->failed || loop->i_count == 0 || loop->j_count == 0) return;
    const int ni = static_cast<int>(loop->i_count);
    const int nj = static_cast<int>(loop->j_count);
    loop->results.resize(loop->i_count * loop->result_width);
    if (good(*loop, gdr_runtime_send_j(runtime, 0, loop->j.data(), nj)) &&
        good(*loop, gdr_runtime_send_i(runtime, loop->i.data(), ni)) && good(*loop, gdr_runtime_start(runtime, nj)) &&
        good(*loop, gdr_runtime_wait(runtime)) &&
        good(*loop, gdr_runtime_get_result(runtime, loop->results.data(), ni))) {
      double seconds = loop->seconds;
      good(*loop, gdr_runtime_emulated_seconds(runtime, &seconds));
      loop->last_seconds = seconds - std::exchange(loop->seconds, seconds);
      good(*loop, gdr_runtime_finish(runtime));
    }
  });
  return loop->failed ? 1 : 0;
}

double gdr_goose_seconds(const gdr_goose* loop) { return loop->last_seconds; }

const gdr_goose_word* gdr_goose_result(gdr_goose* loop) {
  const std::size_t at = loop->next++ * loop->result_width;
  if (loop->failed || at + loop->result_width > loop->results.size()) {
    if (!loop->failed) fail(*loop, "the loop over i takes more turns the second time");
    return nullptr;
  }
  return loop->results.data() + at;
}

const char* gdr_goose_message(void) { return goose_message.c_str(); }
