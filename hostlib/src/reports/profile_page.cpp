// A profile as one self-contained page of HTML.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gdr/base/html.h"
#include "gdr/hostlib/profile.h"
#include "svg_plot.h"

namespace gdr::hostlib {
namespace {

using base::html;
using emulator::StallReason;

/// JSON text that is safe in a script element: "</script>" in a string must not end the element.
std::string in_script(std::string_view json) {
  std::string out;
  for (const char c : json) out += c == '<' ? "\\u003c" : std::string(1, c);
  return out;
}

/// A source line without its indentation and without the blanks that align its comment.
std::string narrow(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  return out;
}

std::string bar(double share, std::string_view kind = "") {
  return fmt::format("<span class=\"bar {}\" style=\"width:{:.1f}%\"></span>", kind, 100 * std::clamp(share, 0.0, 1.0));
}

/// Plot with logarithmic axes: for each path a slope with its name and rate, and the point of the run.
class Roofline {
 public:
  explicit Roofline(const Profile& profile) : profile_(profile) {
    for (const ProfileCeiling& c : profile.ceilings) {
      if (c.flops_per_byte > 0) paths_.push_back(c);
    }
  }

  [[nodiscard]] std::string svg() {
    if (paths_.empty()) return "<p>No flops are stated for this kernel.</p>";
    fit();
    std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"roofline\">", kWidth, kHeight);
    svg += axes();
    svg += line(kLeft, y(peak_), kRight, y(peak_), "peak");
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\">compute {:.0f} Gflops</text>", kLeft + 6, y(peak_) - 6, peak_);
    for (std::size_t n = 0; n < paths_.size(); ++n) svg += slope(n);
    return svg + "</svg>";
  }

 private:
  static constexpr double kWidth = 900, kHeight = 400, kLeft = 60, kRight = 880, kTop = 20, kBottom = 350;  // pixels

  [[nodiscard]] double x(double intensity) const {
    return kLeft + (std::log10(intensity) - x0_) * (kRight - kLeft) / (x1_ - x0_);
  }
  [[nodiscard]] double y(double gflops) const {
    return kBottom - (std::log10(std::max(gflops, 1e-9)) - y0_) * (kBottom - kTop) / (y1_ - y0_);
  }
  static std::string line(double x1, double y1, double x2, double y2, std::string_view kind) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>", x1, y1, x2, y2,
                       kind);
  }

  void fit() {
    const auto by_intensity = [](const ProfileCeiling& a, const ProfileCeiling& b) {
      return a.flops_per_byte < b.flops_per_byte;
    };
    const auto [least, most] = std::ranges::minmax_element(paths_, by_intensity);
    peak_ = profile_.ceilings.front().gflops;
    x0_ = std::floor(std::log10(least->flops_per_byte)) - 1;
    x1_ = std::ceil(std::log10(most->flops_per_byte));
    y0_ = std::floor(std::log10(std::max(1e-6, std::min(profile_.gflops, peak_)))) - 0.5;
    y1_ = std::log10(peak_) + 0.3;
  }

  [[nodiscard]] std::string axes() const {
    std::string svg = line(kLeft, kBottom, kRight, kBottom, "axis") + line(kLeft, kBottom, kLeft, kTop, "axis");
    for (double d = std::ceil(x0_); d <= x1_; d += 1) {
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:g}</text>", x(std::pow(10, d)),
                         kBottom + 16, std::pow(10, d));
    }
    for (double d = std::ceil(y0_); d <= y1_; d += 1) {
      svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:g}</text>", kLeft - 5,
                         y(std::pow(10, d)) + 4, std::pow(10, d));
    }
    return svg + fmt::format(
                     "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">flops per byte on the path</text>"
                     "<text x=\"4\" y=\"12\">Gflops</text>",
                     (kLeft + kRight) / 2, kBottom + 36);
  }

  /// The slope of path n, with its point. Labels are at different heights, so that those of close slopes stay apart.
  [[nodiscard]] std::string slope(std::size_t n) const {
    static constexpr std::array kColours{"#2a9d5c", "#d98200", "#7a3fa0", "#aa3333", "#1f4e79"};
    const ProfileCeiling& c = paths_[n];
    const double rate = c.gflops / c.flops_per_byte;  // GB/s
    const double from = std::max(std::pow(10, x0_), std::pow(10, y0_) / rate);
    const double height = 0.12 + 0.72 * static_cast<double>(n) / static_cast<double>(paths_.size());
    const double label = std::pow(10, std::log10(from * rate) + height * std::log10(peak_ / (from * rate)));
    return fmt::format(
        "<g style=\"color:{}\">{}<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{} {:.3g} GB/s</text>"
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"><title>{}: {:.4g} flops per byte</title></circle></g>",
        kColours[n % kColours.size()], line(x(from), y(from * rate), x(peak_ / rate), y(peak_), "slope"),
        x(label / rate) - 6, y(label), html(c.name), rate, x(c.flops_per_byte), y(profile_.gflops), html(c.name),
        c.flops_per_byte);
  }

  const Profile& profile_;
  std::vector<ProfileCeiling> paths_;
  double peak_ = 0;                           // Gflops
  double x0_ = 0, x1_ = 0, y0_ = 0, y1_ = 0;  // of the plot, log10
};

constexpr std::string_view kProfileStyle =
    R"(body{font:14px/1.45 sans-serif;margin:2em auto;max-width:78em;padding:0 1em;color:#222}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:1.6em}.verdict{background:#eef4fa;border-left:4px solid #1f4e79;padding:.7em 1em}
table{border-collapse:collapse;width:100%}td,th{padding:.15em .5em;text-align:left;border-bottom:1px solid #e4e4e4;vertical-align:top}
td.n,td.w{white-space:nowrap}td.n{text-align:right}code{font:12px monospace}.bar{display:inline-block;height:.8em;background:#1f4e79;min-width:1px}
.bar.s{background:#a33}td.b{width:9em}.on{color:#1f4e79;font-weight:bold}.off{color:#ccc}svg{width:100%;font-size:12px}
.axis{stroke:#444}.peak{stroke:#1f4e79;stroke-width:2}g text,circle{fill:currentColor}.slope{stroke:currentColor})";

}  // namespace

std::string profile_page(const Profile& p) {
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">{9}<title>{0}: "
      "profile</title><style>{1}</style></head><body>\n"
      "<h1>{0} on {2} at {3} MHz, engine {4}</h1>\n<p class=\"verdict\" id=\"verdict\">{5}</p>\n"
      "<p id=\"figures\">{6:.6g} s emulated, {7:.4g} Gflops, {8} chip clocks.</p>\n",
      html(p.kernel), kProfileStyle, html(p.machine), p.clock_mhz, html(p.engine), html(p.verdict()), p.seconds,
      p.gflops, p.clocks.total(), base::content_policy());
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
      "</table>\n<h2>Roofline</h2><p>Slopes are the paths at full rate; the points are this run, at its flops per "
      "byte of each path: the nearer a point to its slope, the nearer the path to its limit.</p>\n" +
      Roofline(p).svg() + "<table id=\"ceilings\"><tr><th>path</th><th>flops per byte</th><th>limit</th></tr>\n";
  for (const ProfileCeiling& c : p.ceilings) {
    page += fmt::format("<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{:.0f} Gflops</td></tr>\n", html(c.name),
                        c.flops_per_byte > 0 ? fmt::format("{:.4g}", c.flops_per_byte) : "", c.gflops);
  }
  page +=
      "</table>\n<h2>Lines</h2><table "
      "id=\"lines\"><tr><th>section</th><th>line</th><th>source</th><th>units</th><th>BM "
      "words</th><th>clocks</th><th>stalled</th><th></th></tr>\n";
  std::uint64_t most = 1;
  for (const ProfileLine& l : p.lines) most = std::max(most, l.clocks);
  const auto unit = [](bool on, std::string_view name) {
    return fmt::format("<span class=\"{}\">{}</span>", on ? "on" : "off", name);
  };
  for (const ProfileLine& l : p.lines) {
    page += fmt::format(
        "<tr><td class=\"w\">{}</td><td class=\"n\">{}</td><td><code>{}</code></td><td class=\"w\">{} {} {}</td><td "
        "class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td "
        "class=\"n\">{}</td><td class=\"b\">{}{}</td></tr>\n",
        l.section, l.source_lines, html(narrow(l.text)), unit(l.adder, "add"), unit(l.multiplier, "mul"),
        unit(l.alu, "ALU"), l.bm_words, l.clocks, l.stall,
        bar(0.8 * static_cast<double>(l.clocks - l.stall) / static_cast<double>(most)),
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
  page += "</p>\n<script type=\"application/json\" id=\"profile\">" + in_script(profile_json(p)) +
          "</script>\n</body></html>\n";
  return page;
}

}  // namespace gdr::hostlib
