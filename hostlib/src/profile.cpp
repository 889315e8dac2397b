#include "gdr/hostlib/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/emulator/chip.h"

namespace gdr::hostlib {
namespace {

using emulator::BoardTime;
using emulator::StallReason;
using isa::Section;

constexpr double kGiga = 1e9;
constexpr double kMega = 1e6;
constexpr double kWordBytes = 9;

std::uint64_t stall_of(const emulator::RunClocks& clocks, StallReason reason) {
  return clocks.stalls[static_cast<std::size_t>(reason)];
}

std::vector<ProfileLimit> limits_of(const BoardTime& board) {
  const emulator::RunClocks& clocks = board.clocks();
  const emulator::StageSeconds& stages = board.seconds();
  const double all = stages.total();
  const double clock = board.machine().clock_mhz * kMega;
  const auto chip = [&](std::uint64_t n) { return static_cast<double>(n) / clock; };
  // An iteration is no shorter than the next record's way in: lines matter beyond that alone.
  const emulator::Pass& body = board.schedule().pass(Section::loop_body);
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

/// Lines of a source file, or none if it cannot be read.
std::vector<std::string> source_lines(const std::string& file) {
  std::vector<std::string> lines;
  if (!std::filesystem::is_regular_file(file)) return lines;
  std::istringstream stream(base::read_file(file));
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<ProfileLine> lines_of(const BoardTime& board, const isa::Program& program) {
  std::map<std::uint32_t, std::vector<std::string>> sources;
  std::vector<ProfileLine> lines;
  for (const Section section : {Section::loop_initialization, Section::loop_body, Section::loop_termination}) {
    const emulator::Pass& pass = board.schedule().pass(section);
    const std::uint64_t times = section == Section::loop_body ? board.iterations() : board.runs();
    for (std::size_t n = 0; n < pass.lines.size(); ++n) {
      const isa::ProgramLine& coded = program.code(section)[n];
      const emulator::ScheduledLine& scheduled = pass.lines[n];
      const std::uint32_t file = coded.position.file;
      if (file < program.files.size() && !sources.contains(file)) sources[file] = source_lines(program.files[file]);
      const std::vector<std::string>& source = sources[file];
      ProfileLine line;
      line.section = isa::name_of(section);
      line.source_line = coded.position.line;
      line.text = line.source_line >= 1 && line.source_line <= source.size()
                      ? source[line.source_line - 1]
                      : isa::print(*isa::decode(coded.word).line);
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
  const emulator::Schedule& schedule = board.schedule();
  std::vector<ProfileCeiling> ceilings;
  constexpr double kUnits = 2;  // adder and multiplier, one operation a clock each; Koike et al. 2009, section 1
  ceilings.push_back({"compute", kUnits * emulator::kBlocks * emulator::kPesPerBlock * chips * clock / kGiga, 0});
  const auto path = [&](std::string name, double bytes, double bytes_per_second) {
    if (bytes <= 0 || flops <= 0) return;
    ceilings.push_back({std::move(name), flops / bytes * bytes_per_second / kGiga, flops / bytes});
  };
  const auto word_count = [](std::uint64_t n) { return static_cast<double>(n); };
  double port_words = 0;  // through the port of one BM in all runs
  port_words += word_count(board.iterations()) * static_cast<double>(schedule.pass(Section::loop_body).port_busy);
  path("BM", port_words * kWordBytes, kWordBytes * clock);
  path("IDP", word_count(counters.idp_words) * kWordBytes, kWordBytes * chips * clock / machine.idp_clocks);
  path("ODP", word_count(counters.odp_words) * kWordBytes, kWordBytes * chips * clock / machine.odp_clocks);
  path("host link", word_count(counters.host_bytes_in + counters.host_bytes_out), chips * machine.pio_mb * kMega);
  return ceilings;
}

std::string escaped(std::string_view text, bool html) {
  std::string out;
  for (const char c : text) {
    if (html && (c == '<' || c == '>' || c == '&')) {
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    } else if (!html && (c == '"' || c == '\\')) {
      out += std::string("\\") + c;
    } else if (!html && static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (!html && c == '<') {
      out += "\\u003c";  // the page holds this text in a script
    } else {
      out += c;
    }
  }
  return out;
}
std::string html(std::string_view text) { return escaped(text, true); }
std::string json_text(std::string_view text) { return '"' + escaped(text, false) + '"'; }

std::string bar(double share, std::string_view kind = "") {
  return fmt::format("<span class=\"bar {}\" style=\"width:{:.1f}%\"></span>", kind, 100 * std::clamp(share, 0.0, 1.0));
}

/// Log-log: a slope per path, the run's point on each.
std::string roofline(const Profile& profile) {
  constexpr double kWidth = 660, kHeight = 300, kLeft = 60, kBottom = 260, kDecade = 75;
  double least = 1e300;
  double most = 0;
  for (const ProfileCeiling& c : profile.ceilings) {
    if (c.flops_per_byte > 0) least = std::min(least, c.flops_per_byte), most = std::max(most, c.flops_per_byte);
  }
  if (most == 0) return "<p>No flops are stated for this kernel.</p>";
  const double peak = profile.ceilings.front().gflops;
  const double x0 = std::floor(std::log10(least)) - 1;
  const double decades = std::ceil(std::log10(most)) + 1 - x0;
  const double y0 = std::floor(std::log10(std::max(1e-6, std::min(profile.gflops, peak)))) - 0.5;
  const double y_decade = std::min(kDecade, (kBottom - 20) / (std::log10(peak) + 0.3 - y0));
  const auto x = [&](double intensity) {
    return kLeft + (std::log10(intensity) - x0) * (kWidth - kLeft - 90) / decades;
  };
  const auto y = [&](double gflops) { return kBottom - (std::log10(std::max(gflops, 1e-9)) - y0) * y_decade; };
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"roofline\">", kWidth, kHeight);
  svg += fmt::format(
      "<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\" class=\"axis\"/><line x1=\"{0}\" y1=\"{1}\" x2=\"{0}\" "
      "y2=\"10\" class=\"axis\"/>",
      kLeft, kBottom, kWidth - 80);
  svg += fmt::format(
      "<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" class=\"peak\"/><text x=\"{}\" y=\"{:.1f}\">compute "
      "{:.0f}</text>",
      kLeft, y(peak), kWidth - 80, y(peak), kLeft + 6, y(peak) - 5, peak);
  for (double d = std::ceil(x0); d <= x0 + decades; d += 1) {
    svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">1e{:.0f}</text>", x(std::pow(10, d)),
                       kBottom + 16, d);
  }
  for (double d = std::ceil(y0); y(std::pow(10, d)) > 10; d += 1) {
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">1e{:.0f}</text>", kLeft - 5,
                       y(std::pow(10, d)) + 4, d);
  }
  svg += fmt::format("<text x=\"{}\" y=\"{}\">flops per byte on the path</text><text x=\"4\" y=\"12\">Gflops</text>",
                     kLeft + 180, kBottom + 34);
  double label = y(profile.gflops);
  for (const ProfileCeiling& c : profile.ceilings) {
    if (c.flops_per_byte <= 0) continue;
    label += 13;                                      // labels stand below one another
    const double rate = c.gflops / c.flops_per_byte;  // GB/s
    const double knee = peak / rate;
    const double from = std::max(std::pow(10, x0), std::pow(10, y0) / rate);
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"slope\"/>", x(from),
                       y(from * rate), x(knee), y(peak));
    svg += fmt::format(
        "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"4\"/><text x=\"{2:.1f}\" y=\"{3:.1f}\">{4}: {5:.0f}</text>",
        x(c.flops_per_byte), y(profile.gflops), x(c.flops_per_byte) + 7, label, html(c.name), c.gflops);
  }
  return svg + "</svg>";
}

constexpr std::string_view kStyle =
    R"(body{font:14px/1.45 sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:1.6em}.verdict{background:#eef4fa;border-left:4px solid #1f4e79;padding:.7em 1em}
table{border-collapse:collapse;width:100%}td,th{padding:.15em .5em;text-align:left;border-bottom:1px solid #e4e4e4;vertical-align:top}
td.n{text-align:right;white-space:nowrap}code{font:12px monospace;white-space:pre}.bar{display:inline-block;height:.8em;background:#1f4e79;min-width:1px}
.bar.s{background:#a33}td.b{width:12em}.on{color:#1f4e79;font-weight:bold}.off{color:#ccc}svg{max-width:46em;width:100%;font-size:11px}
.axis{stroke:#444}.peak{stroke:#1f4e79;stroke-width:2}.slope{stroke:#999}circle{fill:#a33})";

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
  std::string text = fmt::format(
      "{{\n\"tool\": \"gdr profile\", \"kernel\": {}, \"machine\": {}, \"engine\": {}, \"clock_mhz\": {},\n"
      "\"emulated_seconds\": {}, \"emulated_gflops\": {}, \"verdict\": {},\n"
      "\"stages\": {{\"i_send\": {}, \"j_send\": {}, \"compute\": {}, \"add\": {}, \"host\": {}}},\n",
      json_text(p.kernel), json_text(p.machine), json_text(p.engine), p.clock_mhz, p.seconds, p.gflops,
      json_text(p.verdict()), p.stages.i_send, p.stages.j_send, p.stages.compute, p.stages.add, p.stages.host);
  text += fmt::format(
      "\"clocks\": {{\"total\": {}, \"i_load\": {}, \"loop_initialization\": {}, \"first_record\": {}, \"loop_body\": "
      "{}, "
      "\"stall\": {}, \"loop_termination\": {}, \"collection\": {}}},\n\"stall_clocks\": {{",
      p.clocks.total(), p.clocks.i_load, p.clocks.loop_initialization, p.clocks.first_record, p.clocks.loop_body,
      p.clocks.stall, p.clocks.loop_termination, p.clocks.collection);
  for (std::size_t n = 0; n < emulator::kStallReasons; ++n) {
    text += fmt::format("{}\"{}\": {}", n > 0 ? ", " : "", key_of(static_cast<StallReason>(n)), p.clocks.stalls[n]);
  }
  text += "},\n\"limits\": [";
  for (std::size_t n = 0; n < p.limits.size(); ++n) {
    text +=
        fmt::format("{}\n {{\"what\": {}, \"seconds\": {}, \"share\": {}, \"advice\": {}}}", n > 0 ? "," : "",
                    json_text(p.limits[n].what), p.limits[n].seconds, p.limits[n].share, json_text(p.limits[n].advice));
  }
  text += "],\n\"ceilings\": [";
  for (std::size_t n = 0; n < p.ceilings.size(); ++n) {
    text += fmt::format("{}\n {{\"name\": {}, \"gflops\": {}, \"flops_per_byte\": {}}}", n > 0 ? "," : "",
                        json_text(p.ceilings[n].name), p.ceilings[n].gflops, p.ceilings[n].flops_per_byte);
  }
  text += "],\n\"lines\": [";
  for (std::size_t n = 0; n < p.lines.size(); ++n) {
    const ProfileLine& l = p.lines[n];
    text += fmt::format(
        "{}\n {{\"section\": {}, \"line\": {}, \"text\": {}, \"adder\": {}, \"multiplier\": {}, \"alu\": {}, "
        "\"bm_words\": {}, "
        "\"clocks\": {}, \"stall\": {}}}",
        n > 0 ? "," : "", json_text(l.section), l.source_line, json_text(l.text), l.adder, l.multiplier, l.alu,
        l.bm_words, l.clocks, l.stall);
  }
  text += "],\n\"fp_events\": ";
  text += p.events ? fmt::format("{{\"invalid\": {}, \"overflow\": {}, \"underflow\": {}}}", p.events->invalid,
                                 p.events->overflow, p.events->underflow)
                   : "null";
  return text + "\n}\n";
}

std::string profile_page(const Profile& p) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}: "
      "profile</title><style>{1}</style></head><body>\n"
      "<h1>{0} on {2} at {3} MHz, engine {4}</h1>\n<p class=\"verdict\" id=\"verdict\">{5}</p>\n"
      "<p id=\"figures\">{6:.6g} s emulated, {7:.4g} Gflops, {8} chip clocks.</p>\n",
      html(p.kernel), kStyle, html(p.machine), p.clock_mhz, html(p.engine), html(p.verdict()), p.seconds, p.gflops,
      p.clocks.total());
  const auto row = [&](std::string_view name, double seconds) {
    const double share = p.seconds > 0 ? seconds / p.seconds : 0;
    page += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{:.6g} s</td><td class=\"n\">{:.1f} %</td><td class=\"b\">{}</td></tr>\n",
        html(name), seconds, 100 * share, bar(share));
  };
  page += "<h2>Time by stage</h2><table id=\"stages\">\n";
  row("i send", p.stages.i_send);
  row("j send", p.stages.j_send);
  row("compute and collect", p.stages.compute);
  row("add on the host", p.stages.add);
  row("integration on the host", p.stages.host);
  page += "</table>\n<h2>What would be gained</h2><table id=\"limits\">\n";
  for (const ProfileLimit& limit : p.limits) row(limit.what + ": " + limit.advice, limit.seconds);
  page +=
      "</table>\n<h2>Roofline</h2><p>Slopes are the paths at full rate; points are this run, labelled with the speed "
      "at which "
      "the path would be the limit, in Gflops.</p>\n" +
      roofline(p) +
      "\n<h2>Lines</h2><table id=\"lines\"><tr><th>section</th><th>line</th><th>source</th><th>units</th><th>BM "
      "words</th><th>clocks</th><th>stalled</th><th></th></tr>\n";
  std::uint64_t most = 1;
  for (const ProfileLine& l : p.lines) most = std::max(most, l.clocks);
  const auto unit = [](bool on, std::string_view name) {
    return fmt::format("<span class=\"{}\">{}</span>", on ? "on" : "off", name);
  };
  for (const ProfileLine& l : p.lines) {
    page += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td><code>{}</code></td><td>{} {} {}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"b\">{}{}</td></tr>\n",
        l.section, l.source_line, html(l.text), unit(l.adder, "add"), unit(l.multiplier, "mul"), unit(l.alu, "ALU"),
        l.bm_words, l.clocks, l.stall, bar(0.8 * static_cast<double>(l.clocks - l.stall) / static_cast<double>(most)),
        l.stall > 0 ? bar(0.8 * static_cast<double>(l.stall) / static_cast<double>(most), "s") : "");
  }
  page += "</table>\n<h2>Stalls of the loop</h2><table id=\"stalls\">\n";
  for (std::size_t n = 0; n < emulator::kStallReasons; ++n) {
    page += fmt::format("<tr><td>{}</td><td class=\"n\">{} clocks</td></tr>\n", name_of(static_cast<StallReason>(n)),
                        p.clocks.stalls[n]);
  }
  page += "</table>\n<h2>Floating-point events</h2><p id=\"events\">";
  page += p.events ? fmt::format("invalid {}, overflow {}, underflow {}", p.events->invalid, p.events->overflow,
                                 p.events->underflow)
                   : "nothing was computed";
  page += "</p>\n<script type=\"application/json\" id=\"profile\">" + profile_json(p) + "</script>\n</body></html>\n";
  return page;
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
