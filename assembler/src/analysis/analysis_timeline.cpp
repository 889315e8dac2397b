// The loop body as a timeline: a column for each line, a lane for each unit and port, a row for each operation, and a
// path from each operation to those that read its result.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis_source.h"
#include "gdr/base/html.h"

namespace gdr::assembler {
namespace {

using base::html;

// In pixels.
constexpr std::size_t kColumn = 16;
constexpr std::size_t kLane = 12;
constexpr std::size_t kRow = 16;
constexpr std::size_t kLabels = 150;
constexpr std::size_t kHeadHeight = 18;

constexpr std::size_t kClocksMarked = 4;  // lines between two marks with clocks

using LineUnit = std::pair<std::size_t, isa::Unit>;  // line and unit

std::string id_of(const LineUnit& operation) {
  return fmt::format("o{}-{}", operation.first, isa::name_of(operation.second));
}

class Timeline {
 public:
  Timeline(const Analysis& analysis, const SourceLines& lines) : analysis_(analysis), lines_(lines) {
    std::size_t row = 0;
    for (std::size_t line = 0; line < analysis.body.size(); ++line) {
      for (const HeldOperation& operation : analysis.body[line].operations) rows_[{line, operation.unit}] = row++;
    }
    for (const ChainStep& step : analysis.chain) chain_.insert({step.line, step.unit});
    for (const DependentOperation& dependence : analysis.dependences) {
      std::size_t& last = last_read_[{dependence.from.line, dependence.from.unit}];
      last = std::max(last, dependence.to.line);
    }
  }

  std::string run() {
    const std::size_t width = kLabels + kColumn * analysis_.body.size() + kColumn;
    const std::size_t height = top_of_rows() + kRow * rows_.size() + kRow;
    out_ += "<section class=time><h2>Timeline</h2>\n";
    out_ += fmt::format("<svg width={} height={} role=img aria-label=\"timeline of the loop body\">\n", width, height);
    add_grid(height);
    add_lanes();
    for (const DependentOperation& dependence : analysis_.dependences) add_way(dependence);
    for (std::size_t line = 0; line < analysis_.body.size(); ++line) {
      for (const HeldOperation& operation : analysis_.body[line].operations) add(line, operation);
    }
    out_ += "</svg></section>\n";
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::size_t x_of(std::size_t line) const { return kLabels + kColumn * line; }
  [[nodiscard]] std::size_t top_of_rows() const { return kHeadHeight + kLane * analysis_.ports.size() + kLane; }
  [[nodiscard]] std::size_t y_of(const LineUnit& operation) const { return top_of_rows() + kRow * rows_.at(operation); }

  void add_grid(std::size_t height) {
    for (std::size_t line = 0; line <= analysis_.body.size(); line += kClocksMarked) {
      out_ += fmt::format("<line class=grid x1={0} y1=0 x2={0} y2={1} /><text x={2} y=12>{3}</text>\n", x_of(line),
                          height, x_of(line) + 2, line * isa::kClocksPerLine);
    }
  }

  void add_lanes() {
    for (std::size_t port = 0; port < analysis_.ports.size(); ++port) {
      const std::size_t y = kHeadHeight + kLane * port;
      const PortUse& use = analysis_.ports[port];
      out_ += fmt::format("<text x=2 y={}>{} {:.0f} %</text>\n", y + kLane - 2, html(use.name), 100 * use.share());
      for (std::size_t line = 0; line < analysis_.body.size(); ++line) {
        const std::vector<std::size_t>& taken = analysis_.body[line].ports;
        if (!std::binary_search(taken.begin(), taken.end(), port)) continue;
        out_ += fmt::format("<rect class=lane x={} y={} width={} height={} />\n", x_of(line) + 1, y + 1, kColumn - 2,
                            kLane - 2);
      }
    }
  }

  void add_way(const DependentOperation& dependence) {
    const LineUnit from{dependence.from.line, dependence.from.unit};
    const LineUnit to{dependence.to.line, dependence.to.unit};
    const std::size_t x = x_of(from.first) + kColumn;
    const std::size_t end = x_of(to.first);
    out_ +=
        fmt::format("<path data-from=\"{}\" data-to=\"{}\" d=\"M{} {} C{} {} {} {} {} {}\"><title>{}</title></path>\n",
                    id_of(from), id_of(to), x, y_of(from) + kRow / 2, x + kColumn, y_of(from) + kRow / 2,
                    end - std::min(end, kColumn), y_of(to) + kRow / 2, end, y_of(to) + kRow / 2, html(dependence.what));
  }

  /// A bar in the operation's line, continued by a thinner one up to the last line that reads the result.
  void add(std::size_t line, const HeldOperation& held) {
    const LineUnit operation{line, held.unit};
    const std::size_t y = y_of(operation);
    out_ += fmt::format("<g class=\"op{}\" id=\"{}\" data-line={}><title>{}</title>",
                        chain_.contains(operation) ? " chain" : "", id_of(operation), line, html(title_of(line, held)));
    out_ += fmt::format("<text x=2 y={}>{:>4} {}</text>", y + kRow - 4, line, html(held.operation));
    if (const auto last = last_read_.find(operation); last != last_read_.end()) {
      out_ += fmt::format("<line x1={} y1={} x2={} y2={} />", x_of(line) + kColumn, y + kRow / 2, x_of(last->second),
                          y + kRow / 2);
    }
    out_ +=
        fmt::format("<rect x={} y={} width={} height={} /><text class=unit x={} y={}>{}</text></g>\n", x_of(line) + 1,
                    y + 2, kColumn - 2, kRow - 4, x_of(line) + 4, y + kRow - 5, letter_of(line, held.unit));
  }

  /// The letter of the unit in the listing.
  [[nodiscard]] char letter_of(std::size_t line, isa::Unit unit) const {
    constexpr std::size_t kBmLetter = 3;
    switch (unit) {
      case isa::Unit::adder:
        return 'A';
      case isa::Unit::multiplier:
        return 'M';
      case isa::Unit::alu:
        return 'I';
      case isa::Unit::bm:
      case isa::Unit::none:
        break;
    }
    return lines_.units(line)[kBmLetter];
  }

  [[nodiscard]] std::string title_of(std::size_t line, const HeldOperation& held) const {
    std::string title =
        fmt::format("line {}, clocks {} to {}: {}\n{}\n{}", line, line * isa::kClocksPerLine,
                    (line + 1) * isa::kClocksPerLine - 1, held.operation, held.text(), lines_.text(line));
    if (!lines_.expanded(line).empty()) title += "\n= " + lines_.expanded(line);
    for (const std::string& moved : lines_.moved(line)) title += "\n+ " + moved;
    return title;
  }

  const Analysis& analysis_;
  const SourceLines& lines_;
  std::map<LineUnit, std::size_t> rows_;
  std::map<LineUnit, std::size_t> last_read_;  // last line that reads the result
  std::set<LineUnit> chain_;
  std::string out_;
};

}  // namespace

std::string timeline(const Analysis& analysis, const SourceLines& lines) {
  return analysis.body.empty() ? std::string() : Timeline(analysis, lines).run();
}

}  // namespace gdr::assembler
