#include "graph_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "gdr/base/error.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/units.h"

namespace gdr::interconnect {
namespace {

using Fields = std::vector<std::string_view>;

/// The lines of a table.
class Table {
 public:
  explicit Table(const std::filesystem::path& path) : text_(base::read_file(path)), lines_(text_, path.string()) {}
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  /// Fields of the next line; nothing at the end of the file.
  std::optional<Fields> next() {
    const std::optional<std::string_view> line = lines_.next();
    return line ? std::optional(base::comma_fields(*line)) : std::nullopt;
  }
  [[noreturn]] void refuse(std::string_view why) const { lines_.refuse(why); }

 private:
  std::string text_;
  base::LineReader lines_;
};

class Reader {
 public:
  Reader(const std::string& name, NodeId nodes, const Cable& cable) : cable_(cable) {
    graph_.name = name;
    graph_.nodes = graph_.vertices = nodes;
  }

  void read_links(const std::filesystem::path& path) {
    Table table(path);
    const std::optional<Fields> header = table.next();
    const bool has_rates = header == Fields{"from", "to", "bandwidth", "latency"};
    if (!has_rates && header != Fields{"from", "to"})
      table.refuse("the header must be 'from,to' or 'from,to,bandwidth,latency'");
    while (const std::optional<Fields> line = table.next()) {
      const Fields& fields = *line;
      if (fields.size() != (has_rates ? 4U : 2U)) table.refuse(fmt::format("{} fields are refused", fields.size()));
      Cable cable = cable_;
      if (has_rates) cable = {number(table, fields[2]) * kGiga, number(table, fields[3]) * kMicro};
      if (!(cable.bytes_per_second > 0))
        table.refuse(fmt::format("bandwidth {} is refused: it must be more than 0", fields[2]));
      const NodeId from = vertex(table, fields[0], true);
      const NodeId to = vertex(table, fields[1], true);
      if (from == to) table.refuse(fmt::format("a link from {} to itself is refused", fields[0]));
      add(from, to, fields[0], fields[1], cable);
      add(to, from, fields[1], fields[0], cable);
    }
  }

  void read_routes(const std::filesystem::path& path) {
    Table table(path);
    if (table.next() != Fields{"from", "to", "over"}) table.refuse("the header must be 'from,to,over'");
    while (std::optional<Fields> line = table.next()) {
      Fields& fields = *line;
      if (fields.size() == 2) fields.emplace_back();  // no vertices between
      if (fields.size() != 3) table.refuse(fmt::format("{} fields are refused", fields.size()));
      const NodeId from = vertex(table, fields[0], false);
      const NodeId to = vertex(table, fields[1], false);
      if (from >= graph_.nodes || to >= graph_.nodes || from == to)
        table.refuse("a route is refused: its ends must be two nodes");
      std::vector<NodeId> passed;
      for (const std::string_view name : base::blank_fields(fields[2])) passed.push_back(vertex(table, name, false));
      passed.push_back(to);
      if (!graph_.routes.emplace(std::pair(from, to), std::move(passed)).second)
        table.refuse(fmt::format("a second route from {} to {} is refused", from, to));
    }
  }

  [[nodiscard]] Graph take() && { return std::move(graph_); }

 private:
  static double number(const Table& table, std::string_view text) {
    const double value = base::number_in<double>(text).value_or(-1);
    if (!std::isfinite(value) || value < 0)
      table.refuse(fmt::format("'{}' is refused: it must be a number of at least 0", text));
    return value;
  }

  NodeId vertex(const Table& table, std::string_view name, bool may_be_new) {
    if (const auto number = base::number_in<NodeId>(name)) {
      if (*number >= graph_.nodes)
        table.refuse(fmt::format("node {} is refused: it must be from 0 to {}", *number, graph_.nodes - 1));
      return *number;
    }
    if (name.empty()) table.refuse("a node or switch without a name is refused");
    const auto known = switches_.find(std::string(name));
    if (known != switches_.end()) return known->second;
    if (!may_be_new) table.refuse(fmt::format("switch '{}' is refused: it has no link", name));
    return switches_[std::string(name)] = graph_.vertices++;
  }

  void add(NodeId from, NodeId to, std::string_view from_name, std::string_view to_name, const Cable& cable) {
    graph_.edges.push_back({from, to});
    graph_.links.push_back(
        {new_name(fmt::format("{}>{}", from_name, to_name)), cable.bytes_per_second, cable.latency_seconds});
  }

  /// The second of parallel cables is called A>B:2.
  std::string new_name(const std::string& name) {
    std::string different = name;
    for (std::size_t& count = cables_[name]; !names_.insert(different).second;) {
      count = std::max<std::size_t>(count, 1) + 1;
      different = fmt::format("{}:{}", name, count);
    }
    return different;
  }

  Cable cable_;
  Graph graph_;
  std::map<std::string, NodeId> switches_;
  std::unordered_map<std::string, std::size_t> cables_;  // the highest number of a cable of this name
  std::unordered_set<std::string> names_;                // of links
};

}  // namespace

Graph read_graph(const std::string& name, NodeId nodes, const Cable& cable, const std::filesystem::path& links,
                 const std::optional<std::filesystem::path>& routes) {
  Reader reader(name, nodes, cable);
  reader.read_links(links);
  if (routes) reader.read_routes(*routes);
  return std::move(reader).take();
}

}  // namespace gdr::interconnect
