#include "gdr/hostlib/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "gdr/assembler/report_shapes.h"
#include "gdr/base/digest.h"
#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/json.h"
#include "gdr/base/json_value.h"
#include "gdr/base/units.h"
#include "gdr/emulator/chip.h"
#include "line_texts.h"

namespace gdr::hostlib {
namespace {

using emulator::BoardTime;
using emulator::StallReason;
using isa::Section;

constexpr double kPortWordBytes = 9;

constexpr const char* kTool = "gdr profile";
constexpr int kFormat = 2;  // 1 had neither this number nor a digest
constexpr std::string_view kDigestKey = ",\n \"sha256\": \"";
constexpr std::string_view kEnd = "\n}\n";
constexpr std::size_t kDigestDigits = 64;

std::string digest_of(std::string_view text) { return base::sha256_hex(std::as_bytes(std::span(text))); }

std::uint64_t stall_of(const emulator::RunClocks& clocks, StallReason reason) {
  return clocks.stalls[static_cast<std::size_t>(reason)];
}

std::vector<ProfileLimit> limits_of(const BoardTime& board) {
  const emulator::RunClocks& clocks = board.clocks();
  const emulator::StageSeconds& stages = board.seconds();
  const double all = stages.total();
  const double clock = board.machine().clock_mhz * kMega;
  const auto chip = [&](std::uint64_t n) { return static_cast<double>(n) / clock; };
  // An iteration takes at least as long as the next record takes through IDP. Lines limit a run only beyond that time.
  const emulator::Pass& body = board.pass(Section::loop_body);
  const double lines = chip(clocks.loop_body);
  const double beyond_idp =
      body.clocks == 0 || body.beside.idp_words == 0
          ? lines
          : lines * (1 - std::min(1.0, static_cast<double>(body.idp_end) / static_cast<double>(body.clocks)));
  const double input = chip(stall_of(clocks, StallReason::idp) + stall_of(clocks, StallReason::em));
  const double start = stages.compute - chip(clocks.total() - clocks.i_load);
  std::vector<ProfileLimit> limits{
      {"lines of the loop body", beyond_idp, 0, "pack more operations into a line (gdr as --schedule)"},
      {"input port: the next record", input, 0, "shorter j-records, or more i-particles per PE"},
      {"output port: results of turns", chip(stall_of(clocks, StallReason::odp)), 0, "collect fewer words in a turn"},
      {"BM port", chip(stall_of(clocks, StallReason::bm_port_idp) + stall_of(clocks, StallReason::bm_port_tree)), 0,
       "read each BM word once and keep it in T or registers"},
      {"unexplained stall of the loop", chip(stall_of(clocks, StallReason::unexplained)), 0,
       "measured on the board; longer loop bodies hide it"},
      {"refresh of external memory", chip(stall_of(clocks, StallReason::refresh)), 0, "none from a program"},
      {"first record", chip(clocks.first_record), 0, "more j-particles per run"},
      {"collection of results", chip(clocks.collection), 0, "fewer result fields, more j-particles per run"},
      {"start of runs and result DMA", start, 0, "more j-particles per run; --transfer ideal shows what was planned"},
      {"sending i-particles", stages.i_send, 0, "fill runs of 128; --transfer ideal shows what was planned"},
      {"sending j-particles", stages.j_send, 0, "send what changed alone; --transfer ideal shows what was planned"},
      {"sum over chips on the host", stages.add, 0, "the ring between the chips"},
      {"integration on the host", stages.host, 0, "larger steps or a faster host"},
  };
  for (ProfileLimit& limit : limits) {
    limit.seconds = std::max(0.0, limit.seconds);
    limit.share = all > 0 ? limit.seconds / all : 0;
  }
  std::ranges::stable_sort(limits, std::greater<>(), &ProfileLimit::seconds);
  std::erase_if(limits, [](const ProfileLimit& limit) { return limit.share < 1e-6; });
  return limits;
}

std::vector<ProfileLine> lines_of(const BoardTime& board, const isa::Program& program) {
  LineTexts texts(program);
  std::vector<ProfileLine> lines;
  for (const Section section : {Section::loop_initialization, Section::loop_body, Section::loop_termination}) {
    const emulator::Pass& pass = board.pass(section);
    const std::vector<isa::ProgramLine> code = program.lines(section);
    const std::uint64_t times = section == Section::loop_body ? board.iterations() : board.runs();
    for (std::size_t n = 0; n < pass.lines.size(); ++n) {
      const isa::ProgramLine& coded = code[n];
      const emulator::ScheduledLine& scheduled = pass.lines[n];
      ProfileLine line;
      line.section = isa::name_of(section);
      line.source_line = coded.position.line;
      for (const isa::SourcePosition& at : program.source_lines_of(section, n)) {
        if (at.file != coded.position.file) continue;
        line.source_lines += fmt::format("{}{}", line.source_lines.empty() ? "" : ", ", at.line);
      }
      line.sources = assembler::sources_of(program, section, n);
      line.text = texts.text(section, n);
      line.adder = scheduled.adder;
      line.multiplier = scheduled.multiplier;
      line.alu = scheduled.alu;
      line.bm_words = scheduled.bm_reads + scheduled.bm_writes;
      line.clocks = times * scheduled.clocks;
      line.stall = times * scheduled.stall();
      lines.push_back(line);
    }
  }
  return lines;
}

std::vector<ProfileCeiling> ceilings_of(const BoardTime& board, double flops) {
  const emulator::MachineDescription& machine = board.machine();
  const double chips = board.chips();
  const double clock = machine.clock_mhz * kMega;
  const emulator::Counters& counters = board.counters();
  std::vector<ProfileCeiling> ceilings;
  constexpr double kUnits = 2;  // adder and multiplier, one operation a clock each; Koike et al. 2009, section 1
  ceilings.push_back({"compute", kUnits * emulator::kBlocks * emulator::kPesPerBlock * chips * clock / kGiga, 0});
  const auto path = [&](std::string name, double bytes, double bytes_per_second) {
    if (bytes <= 0 || flops <= 0) return;
    ceilings.push_back({std::move(name), flops / bytes * bytes_per_second / kGiga, flops / bytes});
  };
  const auto word_count = [](std::uint64_t n) { return static_cast<double>(n); };
  double port_words = 0;  // words through the port of one BM in all runs
  port_words += word_count(board.iterations()) * static_cast<double>(board.pass(Section::loop_body).port_busy);
  path("BM", port_words * kPortWordBytes, kPortWordBytes * clock);
  path("IDP", word_count(counters.idp_words) * kPortWordBytes, kPortWordBytes * chips * clock / machine.idp_clocks);
  path("ODP", word_count(counters.odp_words) * kPortWordBytes, kPortWordBytes * chips * clock / machine.odp_clocks);
  path("host link", word_count(counters.host_bytes_in + counters.host_bytes_out), chips * machine.pio_mb * kMega);
  return ceilings;
}

}  // namespace

std::string Profile::verdict() const {
  if (limits.empty()) return "Nothing was run.";
  const ProfileLimit& first = limits.front();
  return fmt::format(
      "The run is limited by: {}. It takes {:.1f} % of {:.4g} s; without it the run would be {:.2f} times as fast. "
      "Advice: {}.",
      first.what, 100 * first.share, seconds, 1 / (1 - std::min(0.999, first.share)), first.advice);
}

Profile make_profile(const BoardTime& board, const isa::Program& program, std::string engine,
                     std::optional<emulator::FpEvents> events) {
  Profile profile;
  profile.kernel = program.kernel;
  profile.machine = board.machine().title;
  profile.engine = std::move(engine);
  profile.clock_mhz = board.machine().clock_mhz;
  profile.stages = board.seconds();
  profile.seconds = profile.stages.total();
  profile.clocks = board.clocks();
  const double flops = program.flops * static_cast<double>(board.interactions());
  profile.gflops = profile.seconds > 0 ? flops / profile.seconds / kGiga : 0;
  profile.limits = limits_of(board);
  profile.lines = lines_of(board, program);
  profile.ceilings = ceilings_of(board, flops);
  profile.events = events;
  return profile;
}

std::string profile_json(const Profile& p) {
  using base::Json;
  Json json{{"tool", kTool},
            {"format", kFormat},
            {"kernel", p.kernel},
            {"machine", p.machine},
            {"engine", p.engine},
            {"clock_mhz", p.clock_mhz},
            {"emulated_seconds", p.seconds},
            {"emulated_gflops", p.gflops},
            {"verdict", p.verdict()}};
  json["stages"] = {{"i_send", p.stages.i_send},
                    {"j_send", p.stages.j_send},
                    {"compute", p.stages.compute},
                    {"add", p.stages.add},
                    {"host", p.stages.host}};
  json["clocks"] = {{"total", p.clocks.total()},
                    {"i_load", p.clocks.i_load},
                    {"loop_initialization", p.clocks.loop_initialization},
                    {"first_record", p.clocks.first_record},
                    {"loop_body", p.clocks.loop_body},
                    {"stall", p.clocks.stall},
                    {"loop_termination", p.clocks.loop_termination},
                    {"collection", p.clocks.collection}};
  for (std::size_t n = 0; n < emulator::kStallReasons; ++n) {
    json["stall_clocks"][std::string(key_of(static_cast<StallReason>(n)))] = p.clocks.stalls[n];
  }
  json["limits"] = Json::array();
  for (const ProfileLimit& l : p.limits) {
    json["limits"].push_back({{"what", l.what}, {"seconds", l.seconds}, {"share", l.share}, {"advice", l.advice}});
  }
  json["ceilings"] = Json::array();
  for (const ProfileCeiling& c : p.ceilings) {
    json["ceilings"].push_back({{"name", c.name}, {"gflops", c.gflops}, {"flops_per_byte", c.flops_per_byte}});
  }
  json["lines"] = Json::array();
  for (const ProfileLine& l : p.lines) {
    json["lines"].push_back({{"section", l.section},
                             {"line", l.source_line},
                             {"sources", l.sources},
                             {"text", l.text},
                             {"adder", l.adder},
                             {"multiplier", l.multiplier},
                             {"alu", l.alu},
                             {"bm_words", l.bm_words},
                             {"clocks", l.clocks},
                             {"stall", l.stall}});
  }
  json["fp_events"] = nullptr;
  if (p.events) {
    json["fp_events"] = {
        {"invalid", p.events->invalid}, {"overflow", p.events->overflow}, {"underflow", p.events->underflow}};
  }
  const std::string text = json.text(1) + "\n";
  const std::string digest = fmt::format("{}{}\"", kDigestKey, digest_of(text));
  return text.substr(0, text.size() - kEnd.size()) + digest + std::string(kEnd);
}

void require_profile(std::string_view text, std::string_view name) {
  const std::size_t from_end = kDigestKey.size() + kDigestDigits + 1 + kEnd.size();
  const std::size_t at = text.size() < from_end ? std::string_view::npos : text.size() - from_end;
  if (!text.starts_with("{") || at == std::string_view::npos || text.substr(at, kDigestKey.size()) != kDigestKey) {
    throw Error(fmt::format("{}: no profile of gdr that ends in its digest", name));
  }
  const std::string without = std::string(text.substr(0, at)) + std::string(kEnd);
  if (text.substr(at + kDigestKey.size(), kDigestDigits) != digest_of(without) || !text.ends_with(kEnd)) {
    throw Error(fmt::format("{}: its digest does not match: the profile was changed or is damaged", name));
  }
}

ComparedProfiles compared_profiles(const std::pair<std::string, std::string>& a,
                                   const std::pair<std::string, std::string>& b) {
  const auto read = [](const std::pair<std::string, std::string>& file) {
    require_profile(file.second, file.first);
    return base::parse_json(file.second);
  };
  const base::JsonValue left = read(a);
  const base::JsonValue right = read(b);
  ComparedProfiles compared{base::Json::array(), fmt::format("{:<32} {:>16} {:>16} {:>8}\n", "", "A", "B", "B / A")};
  const auto add = [&](const std::string& name, double x, double y) {
    const base::Json ratio = x != 0 ? base::Json(y / x) : base::Json(nullptr);
    compared.rows.push_back({{"name", name}, {"a", x}, {"b", y}, {"ratio", ratio}});
    compared.text += fmt::format("{:<32} {:>16.9g} {:>16.9g} {:>8}\n", name, x, y,
                                 ratio.is_null() ? "-" : fmt::format("{:.3f}", ratio.number()));
  };
  try {
    for (const char* key : {"emulated_seconds", "emulated_gflops"}) {
      add(key, left.at(key).number(), right.at(key).number());
    }
    for (const char* group : {"stages", "clocks", "stall_clocks"}) {
      for (const auto& [key, value] : left.at(group).members()) {
        add(fmt::format("{}.{}", group, key), value.number(), right.at(group).at(key).number());
      }
    }
    compared.text += fmt::format("A: {}\nB: {}\n", left.at("verdict").text(), right.at("verdict").text());
  } catch (const base::JsonError& error) {
    throw Error(fmt::format("{} and {}: {}", a.first, b.first, error.what()));
  }
  return compared;
}

std::string profile_summary(const Profile& p) {
  std::string text = fmt::format("profile of {}: {:.6g} s emulated, {:.4g} Gflops\n  {}\n", p.kernel, p.seconds,
                                 p.gflops, p.verdict());
  for (std::size_t n = 0; n < std::min<std::size_t>(5, p.limits.size()); ++n) {
    text += fmt::format("  {:5.1f} %  {}\n", 100 * p.limits[n].share, p.limits[n].what);
  }
  return text;
}

}  // namespace gdr::hostlib
