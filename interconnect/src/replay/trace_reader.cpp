// Reads time-independent traces of SimGrid.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/nearest.h"
#include "gdr/interconnect/trace.h"

namespace gdr::interconnect {
namespace {

using Fields = std::vector<std::string_view>;

/// Bytes of SMPI's data types by their numbers in traces (SimGrid 3.32, smpi_datatype.cpp); 0: none has the number.
constexpr std::uint8_t kTypeBytes[] = {
    8, 4, 1, 2,  8,  4,  1,  8, 1,  1,  2, 4,  8,  8, 16, 4, 1, 1,  // DOUBLE INT CHAR SHORT LONG FLOAT BYTE ... INT8_T
    2, 4, 8, 1,  2,  4,  8,  8, 16, 32,                             // INT16_T ... C_LONG_DOUBLE_COMPLEX
    8, 8, 8, 16, 16, 8,  8,  8, 16, 16,                             // AINT OFFSET, pairs
    4, 4, 8, 16, 8,  16, 32, 1, 2,  4,  8, 16, 32, 0, 0,  1};  // Fortran's REAL ... INTEGER16, LONG_DOUBLE_INT, PACKED
constexpr std::size_t kTypeOfBytes = 6;
constexpr std::size_t kTypeOfDoubles = 0;

class ActionReader {
 public:
  ActionReader(RankActions& into, Rank rank, Rank ranks) : into_(into), rank_(rank), ranks_(ranks) {}

  /// Takes the fields behind the rank.
  void take(base::LineReader& lines, const Fields& fields) {
    lines_ = &lines;
    fields_ = &fields;
    using Take = void (ActionReader::*)();
    static const std::map<std::string_view, Take> actions{{"init", &ActionReader::init},
                                                          {"finalize", &ActionReader::nothing},
                                                          {"comm_size", &ActionReader::nothing},
                                                          {"comm_split", &ActionReader::split},
                                                          {"comm_dup", &ActionReader::nothing},
                                                          {"location", &ActionReader::nothing},
                                                          {"compute", &ActionReader::compute},
                                                          {"sleep", &ActionReader::sleep},
                                                          {"send", &ActionReader::message<ActionKind::send>},
                                                          {"isend", &ActionReader::message<ActionKind::isend>},
                                                          {"recv", &ActionReader::message<ActionKind::receive>},
                                                          {"irecv", &ActionReader::message<ActionKind::ireceive>},
                                                          {"sendRecv", &ActionReader::exchange},
                                                          {"wait", &ActionReader::wait},
                                                          {"waitall", &ActionReader::wait_all},
                                                          {"test", &ActionReader::test},
                                                          {"unrecorded", &ActionReader::unrecorded},
                                                          {"barrier", &ActionReader::barrier},
                                                          {"bcast", &ActionReader::broadcast},
                                                          {"reduce", &ActionReader::reduce},
                                                          {"allreduce", &ActionReader::folded<ActionKind::all_reduce>},
                                                          {"scan", &ActionReader::folded<ActionKind::scan>},
                                                          {"exscan", &ActionReader::folded<ActionKind::exclusive_scan>},
                                                          {"alltoall", &ActionReader::all_to_all},
                                                          {"alltoallv", &ActionReader::all_to_all_v},
                                                          {"gather", &ActionReader::rooted<ActionKind::gather>},
                                                          {"scatter", &ActionReader::rooted<ActionKind::scatter>},
                                                          {"allgather", &ActionReader::all_gather},
                                                          {"gatherv", &ActionReader::gather_v},
                                                          {"scatterv", &ActionReader::scatter_v},
                                                          {"allgatherv", &ActionReader::all_gather_v},
                                                          {"reducescatter", &ActionReader::reduce_scatter}};
    const auto found = actions.find(fields[0]);
    if (found == actions.end()) {
      std::vector<std::string> names;
      for (const auto& [name, take] : actions) names.emplace_back(name);
      lines.refuse(fmt::format("'{}' is refused: it is no action of a time-independent trace{}", fields[0],
                               base::did_you_mean(fields[0], names)));
    }
    (this->*found->second)();
  }

 private:
  void nothing() {}
  /// The recorder's word for a call whose messages it does not know.
  void unrecorded() {
    const std::vector<std::string_view> name(fields_->begin() + 1, fields_->end());
    lines_->refuse(fmt::format("this call is refused: the messages of a {} are not recorded", fmt::join(name, " ")));
  }
  /// The actions that follow have neither their communicator nor, in it, the ranks of all.
  void split() { split_line_ = lines_->line(); }
  void init() { default_type_ = fields_->size() > 1 ? kTypeOfDoubles : kTypeOfBytes; }
  void compute() { add({.kind = ActionKind::compute, .amount = number(1, "flops")}); }
  void sleep() { add({.kind = ActionKind::sleep, .amount = number(1, "seconds")}); }

  template <ActionKind kind>
  void message() {
    add({.kind = kind, .peer = rank(1), .tag = tag(2), .amount = number(3, "size") * type(4)});
  }

  void exchange() {
    add({.kind = ActionKind::exchange,
         .peer = rank(2),
         .root = rank(4),
         .amount = number(1, "size") * type(5),
         .extra = number(3, "size") * type(6)});
  }

  void wait() {
    const Rank from = rank(1);
    const Rank to = rank(2);
    if (from != rank_ && to != rank_)
      lines_->refuse(fmt::format("a wait of rank {} for a message from {} to {} is refused", rank_, from, to));
    const bool sends = from == rank_;
    add({.kind = sends ? ActionKind::wait_send : ActionKind::wait_receive, .peer = sends ? to : from, .tag = tag(3)});
  }
  void wait_all() { add({.kind = ActionKind::wait_all}); }
  void test() { add({.kind = ActionKind::test}); }

  void barrier() { add({.kind = ActionKind::barrier}); }
  void broadcast() { add({.kind = ActionKind::broadcast, .root = root(2), .amount = number(1, "size") * type(3)}); }
  void reduce() {
    add({.kind = ActionKind::reduce,
         .root = root(3),
         .amount = number(1, "size") * type(4),
         .extra = number(2, "flops")});
  }
  template <ActionKind kind>
  void folded() {
    add({.kind = kind, .amount = number(1, "size") * type(3), .extra = number(2, "flops")});
  }
  void all_to_all() {
    add({.kind = ActionKind::all_to_all, .amount = number(1, "size") * type(3), .extra = number(2, "size") * type(4)});
  }
  void all_to_all_v() {
    const std::size_t received = 3 + std::size_t{ranks_};
    const std::size_t types = received + ranks_;
    const std::uint32_t both = sizes(2, type(types));
    std::vector<std::uint64_t>& sent = into_.sizes.back();
    const std::vector<std::uint64_t> back = sizes_in(received, type(types + 1));
    sent.insert(sent.end(), back.begin(), back.end());
    add({.kind = ActionKind::all_to_all, .sizes = both});
  }
  template <ActionKind kind>
  void rooted() {
    add({.kind = kind, .root = root(3), .amount = number(1, "size") * type(4), .extra = number(2, "size") * type(5)});
  }
  void all_gather() {
    add({.kind = ActionKind::all_gather, .amount = number(1, "size") * type(3), .extra = number(2, "size") * type(4)});
  }
  void gather_v() {
    const std::uint32_t received = sizes(2, type(4 + ranks_));
    add({.kind = ActionKind::gather,
         .root = root(2 + ranks_),
         .sizes = received,
         .amount = number(1, "size") * type(3 + ranks_)});
  }
  void scatter_v() {
    const std::uint32_t sent = sizes(1, type(3 + ranks_));
    add({.kind = ActionKind::scatter,
         .root = root(2 + ranks_),
         .sizes = sent,
         .amount = number(1 + ranks_, "size") * type(4 + ranks_)});
  }
  void all_gather_v() {
    const std::uint32_t received = sizes(2, type(3 + ranks_));
    add({.kind = ActionKind::all_gather, .sizes = received, .amount = number(1, "size") * type(2 + ranks_)});
  }
  void reduce_scatter() {
    add({.kind = ActionKind::reduce_scatter,
         .sizes = sizes(1, type(2 + ranks_)),
         .extra = number(1 + ranks_, "flops")});
  }

  void add(Action action) {
    if (split_line_ > 0 && action.kind != ActionKind::compute && action.kind != ActionKind::sleep) {
      lines_->refuse(fmt::format(
          "'{}' after the comm_split in line {} is refused: SimGrid's traces do not say in which communicator it is; "
          "the recorder of GDR writes every message with its ranks of MPI_COMM_WORLD",
          (*fields_)[0], split_line_));
    }
    action.line = static_cast<std::uint32_t>(lines_->line());
    into_.actions.push_back(action);
  }

  double number(std::size_t field, std::string_view what) const {
    if (field >= fields_->size()) lines_->refuse(fmt::format("{} of '{}' is missing", what, (*fields_)[0]));
    const auto value = base::number_in<double>((*fields_)[field]);
    if (!value || !(*value >= 0) || *value > kMostAmount)
      lines_->refuse(
          fmt::format("{} '{}' is refused: it must be from 0 to {:g}", what, (*fields_)[field], kMostAmount));
    return *value;
  }

  Rank rank(std::size_t field) const {
    if (field >= fields_->size()) lines_->refuse(fmt::format("a rank of '{}' is missing", (*fields_)[0]));
    const auto value = base::number_in<std::int64_t>((*fields_)[field]);
    if (!value || *value < 0 || *value >= ranks_)
      lines_->refuse(fmt::format("rank '{}' is refused: it must be from 0 to {}; a trace names every partner",
                                 (*fields_)[field], ranks_ - 1));
    return static_cast<Rank>(*value);
  }
  /// The field of a root may be left out; then it is rank 0.
  Rank root(std::size_t field) const { return field < fields_->size() ? rank(field) : 0; }

  std::int32_t tag(std::size_t field) const {
    const auto value =
        field < fields_->size() ? base::number_in<std::int32_t>((*fields_)[field]) : std::optional<std::int32_t>();
    if (!value || *value < 0)
      lines_->refuse(fmt::format("the tag of '{}' is missing or no whole number from 0", (*fields_)[0]));
    return *value;
  }

  /// Bytes of an element of the type in this field.
  double type(std::size_t field) const {
    std::size_t number = default_type_;
    if (field < fields_->size() && (*fields_)[field] != "-1") {  // -1: derived, whose size SMPI gives in bytes
      number = base::number_in<std::size_t>((*fields_)[field]).value_or(std::size(kTypeBytes));
      if (number >= std::size(kTypeBytes) || kTypeBytes[number] == 0)
        lines_->refuse(fmt::format("data type '{}' is refused: it must be a number from 0 to {}", (*fields_)[field],
                                   std::size(kTypeBytes) - 1));
    } else if (field < fields_->size()) {
      number = kTypeOfBytes;
    }
    return kTypeBytes[number];
  }

  /// Keeps the sizes of all ranks from this field on. Returns their number for Action::sizes.
  std::uint32_t sizes(std::size_t field, double element_bytes) {
    into_.sizes.push_back(sizes_in(field, element_bytes));
    return static_cast<std::uint32_t>(into_.sizes.size());
  }
  [[nodiscard]] std::vector<std::uint64_t> sizes_in(std::size_t field, double element_bytes) const {
    std::vector<std::uint64_t> all;
    for (Rank rank = 0; rank < ranks_; ++rank)
      all.push_back(static_cast<std::uint64_t>(number(field + rank, "size") * element_bytes));
    return all;
  }

  static constexpr double kMostAmount = 1e18;  // bytes, flops or seconds: the largest that a count of bytes may reach

  RankActions& into_;
  Rank rank_;
  Rank ranks_;
  base::LineReader* lines_ = nullptr;
  const Fields* fields_ = nullptr;
  std::size_t default_type_ = kTypeOfBytes;
  std::size_t split_line_ = 0;  // of the last comm_split; 0: there is none yet
};

/// The rank that a line begins with, `3` or `p3`.
std::optional<std::uint64_t> leading_rank(std::string_view field) {
  if (field.starts_with('p')) field.remove_prefix(1);
  return base::number_in<std::uint64_t>(field);
}

/// Removes and checks the rank in front of an action.
Rank take_rank(base::LineReader& lines, Fields& fields) {
  const auto rank = leading_rank(fields[0]);
  if (!rank || fields.size() < 2) lines.refuse("this must be a rank and an action");
  fields.erase(fields.begin());
  return static_cast<Rank>(std::min<std::uint64_t>(*rank, UINT32_MAX));
}

void require_ranks(base::LineReader& lines, std::size_t ranks, Rank most_ranks) {
  if (ranks > most_ranks)
    lines.refuse(fmt::format("{} ranks are refused: there are {} places for them", ranks, most_ranks));
}

/// All ranks in one file.
Trace read_single(const std::string& name, const std::string& text, Rank most_ranks) {
  std::size_t ranks = 0;
  base::LineReader first(text, name);
  while (const auto line = first.next()) {
    Fields fields = base::blank_fields(*line);
    ranks = std::max(ranks, std::size_t{take_rank(first, fields)} + 1);
    require_ranks(first, ranks, most_ranks);
  }
  Trace trace{name, std::vector<RankActions>(ranks)};
  std::vector<ActionReader> readers;
  for (Rank rank = 0; rank < ranks; ++rank) {
    trace.ranks[rank].file = name;
    readers.emplace_back(trace.ranks[rank], rank, static_cast<Rank>(ranks));
  }
  base::LineReader lines(text, name);
  while (const auto line = lines.next()) {
    Fields fields = base::blank_fields(*line);
    const Rank rank = take_rank(lines, fields);
    readers[rank].take(lines, fields);
  }
  return trace;
}

}  // namespace

Trace read_trace(const std::filesystem::path& path, Rank most_ranks) {
  const std::string text = base::read_file(path);
  std::vector<std::filesystem::path> files;
  base::LineReader index(text, path.string());
  while (const auto line = index.next()) {
    if (files.empty() && base::blank_fields(*line).size() > 1 && leading_rank(base::blank_fields(*line)[0]))
      return read_single(path.string(), text, most_ranks);
    std::filesystem::path file(*line);
    std::error_code none;
    if (!std::filesystem::exists(file, none)) file = path.parent_path() / file;
    if (!std::filesystem::exists(file, none)) file = path.parent_path() / file.filename();
    if (!std::filesystem::exists(file, none))
      index.refuse(fmt::format("there is no file '{}', neither as it is named nor beside the index", *line));
    // A device may have no end, and a pipe no writer.
    if (!std::filesystem::is_regular_file(file, none)) index.refuse(fmt::format("'{}' is no regular file", *line));
    files.push_back(std::move(file));
    require_ranks(index, files.size(), most_ranks);
  }
  if (files.empty()) index.refuse("there are no ranks");
  Trace trace{path.string(), std::vector<RankActions>(files.size())};
  for (Rank rank = 0; rank < files.size(); ++rank) {
    RankActions& actions = trace.ranks[rank];
    actions.file = files[rank].string();
    const std::string content = base::read_file(files[rank]);
    base::LineReader lines(content, actions.file);
    ActionReader reader(actions, rank, static_cast<Rank>(files.size()));
    while (const auto line = lines.next()) {
      Fields fields = base::blank_fields(*line);
      const Rank named = take_rank(lines, fields);
      if (named != rank) lines.refuse(fmt::format("rank {} is refused: this is the file of rank {}", named, rank));
      reader.take(lines, fields);
    }
  }
  return trace;
}

}  // namespace gdr::interconnect
