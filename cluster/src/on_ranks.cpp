#include "gdr/cluster/on_ranks.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <thread>

#include "gdr/base/error.h"

namespace gdr::cluster {
namespace {

/// A rank's state before the run: the exit status and text of an exception, and the facts that must be equal on all
/// ranks.
struct Prepared {
  std::string error;
  int status = 0;
  std::string facts;
};

Prepared prepared(const RankedProgram& program, Communicator& communicator,
                  const std::function<std::string(Communicator&)>& prepare) {
  try {
    return {"", 0, prepare(communicator)};
  } catch (const std::bad_alloc& error) {
    return {"the host's memory is exhausted", program.status_of(error), ""};
  } catch (const std::exception& error) {
    return {error.what(), program.status_of(error), ""};
  }
}

/// The exit status of all ranks if one of them cannot run; the first such rank has printed its error by then. mpirun
/// ends all ranks when one ends with an error, so no rank may end before the error is printed.
std::optional<int> agreed(const RankedProgram& program, Communicator& communicator, const Prepared& mine) {
  const std::vector<std::string> all = all_texts(communicator, std::string(1, static_cast<char>(mine.status)));
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    if (all[rank][0] == 0) continue;
    if (rank == communicator.rank()) fmt::print(stderr, "{}: {}\n", program.name, mine.error);
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

/// Description of the first difference between a rank and rank 0; empty if there is none.
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

/// Ends all ranks, because the others may wait for messages that will never come. If all ranks have the same error,
/// only rank 0 prints it: the other ranks wait this long for it to end them.
[[noreturn]] void end_all(const RankedProgram& program, Communicator& communicator, const std::exception& error) {
  constexpr std::chrono::seconds kForRankZero{2};
  if (communicator.rank() > 0) std::this_thread::sleep_for(kForRankZero);
  fmt::print(stderr, "{}: rank {}: {}\n", program.command, communicator.rank(), error.what());
  const int status = program.status_of(error);
  communicator.abort(status);
  std::_Exit(status);  // compilers cannot know that the virtual function does not return
}

}  // namespace

int on_ranks(const RankedProgram& program, const std::function<std::string(Communicator&)>& prepare,
             const std::function<int(Communicator&)>& run) {
  const std::unique_ptr<Communicator> communicator = start_communicator();
  const Prepared mine = prepared(program, *communicator, prepare);
  if (const std::optional<int> status = agreed(program, *communicator, mine)) return *status;
  if (const std::string differs = difference(all_texts(*communicator, mine.facts)); !differs.empty()) {
    if (communicator->rank() == 0) fmt::print(stderr, "{}: {}\n", program.command, differs);
    communicator->barrier();
    return program.status_of(Error(differs));
  }
  try {
    return run(*communicator);
  } catch (const std::exception& error) {
    end_all(program, *communicator, error);
  }
}

}  // namespace gdr::cluster
