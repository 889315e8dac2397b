// Published numbers and ours: the rows of docs/validation.toml, what our models give for them, and the verdict.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gdr::cli {

/// What decides whether ours is near enough; docs/validation.toml says what each kind means.
struct Bar {
  enum class Kind { none, holds, exact, printed, relative, at_least, at_most, within };
  Kind kind = Kind::none;
  double limit = 0;
  double low = 0;
  double high = 0;
  int decimals = 0;
};

struct ValidationRow {
  std::string id;
  std::string quantity;
  std::string source;    // key of ValidationData::sources
  std::string citation;  // as a reader cites it: "Koike et al. 2009, section 3.2"
  std::optional<double> published;
  std::string statement;  // where the published thing is no number
  double n = 0;           // size at which a published fit is taken
  std::string unit;
  std::string role;
  Bar bar;
  std::string goal;
  std::string note;
  bool verified = true;
  bool misprint = false;  // the source contradicts itself; ours is its own arithmetic
};

struct ValidationSource {
  std::string name;  // short
  std::string full;
};

struct ValidationData {
  std::vector<ValidationRow> rows;  // in the file's order, parts after one another
  std::map<std::string, ValidationSource> sources;
  std::map<std::string, std::string> roles;   // what each means
  std::map<std::string, std::string> titles;  // of the rows whose ids begin so
};

/// docs/validation.toml of the first data directory that has it. Throws gdr::Error with file, line and what is wrong.
[[nodiscard]] ValidationData read_validation();

/// What a model gives: a number, whether a statement holds, or nothing as long as there is no model.
using Ours = std::variant<std::monostate, double, bool>;

/// What computes ours for one row, or for all parts of one.
struct Model {
  std::string id;  // with a trailing '.': of all parts
  std::function<Ours(const ValidationRow&)> compute;
};

// One function a system; each system's models stand in a file of their own. What they read (kernels, machine
// descriptions) is read when first needed and kept.
[[nodiscard]] std::vector<Model> grape_dr_models();
[[nodiscard]] std::vector<Model> blas_models();
[[nodiscard]] std::vector<Model> tca_models();
[[nodiscard]] std::vector<Model> mapping_models();
[[nodiscard]] std::vector<Model> urino_models();

/// The models of all systems.
class Models {
 public:
  Models();
  /// Throws gdr::Error if a kernel or machine description is missing.
  [[nodiscard]] Ours ours(const ValidationRow& row);

 private:
  std::vector<Model> models_;
};

struct Verdict {
  std::optional<double> error;  // ours / published - 1
  std::optional<bool> pass;     // nothing: no model, no bar, a misprint, or a number that nobody could verify
};
[[nodiscard]] Verdict judge(const ValidationRow& row, const Ours& ours);

/// As docs/validation.toml spells it.
[[nodiscard]] std::string_view name_of(Bar::Kind kind);
/// True for the kinds that have a limit.
[[nodiscard]] bool has_limit(Bar::Kind kind);

/// "3 %", ">= 720 Gflops".
[[nodiscard]] std::string text_of(const Bar& bar);

}  // namespace gdr::cli
