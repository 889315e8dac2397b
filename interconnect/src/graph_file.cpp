#include "graph_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <sstream>

#include "gdr/base/error.h"
#include "gdr/base/file.h"

namespace gdr::interconnect {
namespace {

constexpr double kGiga = 1e9;
constexpr double kMicro = 1e-6;

/// Lines of a table: fields by comma, without blanks at their ends; what follows a # is left out.
class Table {
 public:
  explicit Table(const std::filesystem::path& path) : name_(path.string()), text_(base::read_file(path)) {}

  /// False at the end of the file.
  bool next(std::vector<std::string>& fields) {
    std::string line;
    while (std::getline(text_, line)) {
      ++line_;
      line = line.substr(0, line.find('#'));
      fields.clear();
      std::istringstream content(line);
      std::string field;
      while (std::getline(content, field, ',')) fields.push_back(trimmed(field));
      if (!fields.empty() && !(fields.size() == 1 && fields[0].empty())) return true;
    }
    return false;
  }

  [[noreturn]] void refuse(const std::string& why) const { throw Error(fmt::format("{}:{}: {}", name_, line_, why)); }

 private:
  static std::string trimmed(const std::string& text) {
    constexpr const char* kBlank = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlank);
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kBlank) - first + 1);
  }

  std::string name_;
  std::istringstream text_;
  std::size_t line_ = 0;
};

class Reader {
 public:
  Reader(const std::string& name, NodeId nodes, const Cable& cable) : cable_(cable) {
    graph_.name = name;
    graph_.nodes = graph_.vertices = nodes;
  }

  void read_links(Table table) {
    std::vector<std::string> fields;
    const bool is_there = table.next(fields);
    const bool has_rates = is_there && fields == std::vector<std::string>{"from", "to", "bandwidth", "latency"};
    if (!is_there || (!has_rates && fields != std::vector<std::string>{"from", "to"}))
      table.refuse("the header must be 'from,to' or 'from,to,bandwidth,latency'");
    while (table.next(fields)) {
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

  void read_routes(Table table) {
    std::vector<std::string> fields;
    if (!table.next(fields) || fields != std::vector<std::string>{"from", "to", "over"})
      table.refuse("the header must be 'from,to,over'");
    while (table.next(fields)) {
      if (fields.size() == 2) fields.emplace_back();  // nothing between
      if (fields.size() != 3) table.refuse(fmt::format("{} fields are refused", fields.size()));
      const NodeId from = vertex(table, fields[0], false);
      const NodeId to = vertex(table, fields[1], false);
      if (from >= graph_.nodes || to >= graph_.nodes || from == to)
        table.refuse("a route is refused: its ends must be two nodes");
      std::vector<NodeId> passed;
      std::istringstream over(fields[2]);
      for (std::string name; over >> name;) passed.push_back(vertex(table, name, false));
      passed.push_back(to);
      if (!graph_.routes.emplace(std::pair(from, to), std::move(passed)).second)
        table.refuse(fmt::format("a second route from {} to {} is refused", from, to));
    }
  }

  [[nodiscard]] Graph take() && { return std::move(graph_); }

 private:
  static double number(const Table& table, const std::string& text) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value) || value < 0)
      table.refuse(fmt::format("'{}' is refused: it must be a number of at least 0", text));
    return value;
  }

  NodeId vertex(const Table& table, const std::string& name, bool may_be_new) {
    NodeId number = 0;
    const auto [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && stop == name.data() + name.size()) {
      if (number >= graph_.nodes)
        table.refuse(fmt::format("node {} is refused: it must be from 0 to {}", number, graph_.nodes - 1));
      return number;
    }
    if (name.empty()) table.refuse("a node or switch without a name is refused");
    const auto known = switches_.find(name);
    if (known != switches_.end()) return known->second;
    if (!may_be_new) table.refuse(fmt::format("switch '{}' is refused: it has no link", name));
    return switches_[name] = graph_.vertices++;
  }

  void add(NodeId from, NodeId to, const std::string& from_name, const std::string& to_name, const Cable& cable) {
    graph_.edges.push_back({from, to});
    graph_.links.push_back({from_name + ">" + to_name, cable.bytes_per_second, cable.latency_seconds});
  }

  Cable cable_;
  Graph graph_;
  std::map<std::string, NodeId> switches_;
};

}  // namespace

Graph read_graph(const std::string& name, NodeId nodes, const Cable& cable, const std::filesystem::path& links,
                 const std::optional<std::filesystem::path>& routes) {
  Reader reader(name, nodes, cable);
  reader.read_links(Table(links));
  if (routes) reader.read_routes(Table(*routes));
  return std::move(reader).take();
}

}  // namespace gdr::interconnect
