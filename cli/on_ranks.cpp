#include "on_ranks.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <thread>

#include "command_line.h"

namespace gdr::cli {
namespace {

using cluster::Communicator;

/// A rank's state before the run: what it threw, as its exit status and words, and what must be the same everywhere.
struct Prepared {
  std::string error;
  int status = kSuccess;
  std::string facts;
};

Prepared prepared(Communicator& communicator, const std::function<std::string(Communicator&)>& prepare) {
  Prepared result;
  try {
    result.facts = prepare(communicator);
  } catch (const UsageError& error) {
    result = {error.what(), kUsage, ""};
  } catch (const std::bad_alloc&) {
    result = {"the host's memory is exhausted", kFailure, ""};
  } catch (const std::exception& error) {
    result = {error.what(), kFailure, ""};
  }
  return result;
}

/// Status of all ranks if one of them cannot run; the first such rank has told its error by then. mpirun ends all ranks
/// once one has ended with an error: none may end before.
std::optional<int> agreed(Communicator& communicator, const Prepared& mine) {
  const std::vector<std::string> all = cluster::all_texts(communicator, std::string(1, static_cast<char>(mine.status)));
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    if (all[rank][0] == kSuccess) continue;
    if (rank == communicator.rank()) fmt::print(stderr, "gdr: {}\n", mine.error);
    communicator.barrier();
    return all[rank][0];
  }
  return std::nullopt;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

/// The first difference between a rank and rank 0, in words; empty if there is none.
std::string difference(const std::vector<std::string>& facts) {
  const std::vector<std::string> first = lines_of(facts.front());
  for (std::size_t rank = 1; rank < facts.size(); ++rank) {
    const std::vector<std::string> other = lines_of(facts[rank]);
    for (std::size_t n = 0; n < first.size() && n < other.size(); ++n) {
      if (first[n] != other[n]) {
        return fmt::format("rank {} has {} where rank 0 has {}: all ranks must do the same run", rank, other[n],
                           first[n]);
      }
    }
  }
  return "";
}

/// The other ranks may wait for messages that will never come. An error of them all is told by rank 0 alone: the others
/// give it this long to end them.
[[noreturn]] void end_all(const std::string& command, Communicator& communicator, const char* why) {
  constexpr std::chrono::seconds kForRankZero{2};
  if (communicator.rank() > 0) std::this_thread::sleep_for(kForRankZero);
  fmt::print(stderr, "gdr {}: rank {}: {}\n", command, communicator.rank(), why);
  communicator.abort(kFailure);
  std::_Exit(kFailure);  // what compilers cannot know of a virtual function
}

}  // namespace

int on_ranks(const std::string& command, const std::function<std::string(Communicator&)>& prepare,
             const std::function<int(Communicator&)>& run) {
  const std::unique_ptr<Communicator> communicator = cluster::start_communicator();
  const Prepared mine = prepared(*communicator, prepare);
  if (const std::optional<int> status = agreed(*communicator, mine)) return *status;
  if (const std::string differs = difference(cluster::all_texts(*communicator, mine.facts)); !differs.empty()) {
    if (communicator->rank() == 0) fmt::print(stderr, "gdr {}: {}\n", command, differs);
    communicator->barrier();
    return kFailure;
  }
  try {
    return run(*communicator);
  } catch (const std::exception& error) {
    end_all(command, *communicator, error.what());
  }
}

}  // namespace gdr::cli
