// Writes time-independent traces of SimGrid.
#include <fmt/format.h>

#include <iterator>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/interconnect/trace.h"

namespace gdr::interconnect {
namespace {

constexpr int kWrittenType = 6;  // SMPI's number of MPI_BYTE, SimGrid 3.32

/// An action as the words behind its rank.
std::string words(const Action& a, const std::string& file, Rank me) {
  const auto message = [&](std::string_view name) {
    return fmt::format("{} {} {} {:.0f} {}", name, a.peer, a.tag, a.amount, kWrittenType);
  };
  switch (a.kind) {
    case ActionKind::compute:
      return fmt::format("compute {:.17g}", a.amount);
    case ActionKind::sleep:
      return fmt::format("sleep {:.17g}", a.amount);
    case ActionKind::send:
      return message("send");
    case ActionKind::isend:
      return message("isend");
    case ActionKind::receive:
      return message("recv");
    case ActionKind::ireceive:
      return message("irecv");
    case ActionKind::wait_send:
      return fmt::format("wait {} {} {}", me, a.peer, a.tag);
    case ActionKind::wait_receive:
      return fmt::format("wait {} {} {}", a.peer, me, a.tag);
    case ActionKind::wait_all:
      return "waitall";
    case ActionKind::test:
    case ActionKind::exchange:
    case ActionKind::barrier:
    case ActionKind::broadcast:
    case ActionKind::reduce:
    case ActionKind::all_reduce:
    case ActionKind::all_to_all:
    case ActionKind::gather:
    case ActionKind::scatter:
    case ActionKind::all_gather:
    case ActionKind::reduce_scatter:
    case ActionKind::scan:
    case ActionKind::exclusive_scan:
      throw Error(fmt::format("{}: only sends, receives, waits and work are written to traces", file));
  }
  return {};
}

}  // namespace

std::vector<std::string> trace_files(const std::filesystem::path& folder, Rank ranks) {
  std::vector<std::string> files;
  for (Rank rank = 0; rank < ranks; ++rank) files.push_back(folder / fmt::format("{}.txt", rank));
  files.push_back(folder / "trace.txt");
  return files;
}

void write_trace(const Trace& trace, const std::filesystem::path& folder) {
  base::make_folder(folder);
  const std::vector<std::string> files = trace_files(folder, static_cast<Rank>(trace.ranks.size()));
  std::string index;
  for (Rank rank = 0; rank < trace.ranks.size(); ++rank) {
    const RankActions& actions = trace.ranks[rank];
    std::string text = fmt::format("{} init\n", rank);
    for (const Action& action : actions.actions)
      text += fmt::format("{} {}\n", rank, words(action, actions.file, rank));
    text += fmt::format("{} finalize\n", rank);
    base::write_file(files[rank], text);
    // smpirun looks for the files from where it runs.
    index += std::filesystem::absolute(files[rank]).string() + "\n";
  }
  base::write_file(files.back(), index);
}

}  // namespace gdr::interconnect
