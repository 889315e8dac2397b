#include "pragma.h"

#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Pragma.h>

#include <memory>

namespace gdr::compiler {
namespace {

constexpr const char* kForm = "#pragma goose parallel for loopcounter(i, j) precision(\"double\") result(...)";

class GoosePragma : public clang::PragmaHandler {
 public:
  GoosePragma(std::vector<Directive>& found, Refuse refuse)
      : clang::PragmaHandler("goose"), found_(found), refuse_(std::move(refuse)) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer /*introducer*/,
                    clang::Token& first) override {
    Directive directive;
    directive.where = first.getLocation();
    if (!preprocessor.getSourceManager().isInMainFile(directive.where)) return;
    std::vector<clang::Token> tokens;
    clang::Token token;
    for (preprocessor.LexUnexpandedToken(token); token.isNot(clang::tok::eod); preprocessor.LexUnexpandedToken(token))
      tokens.push_back(token);
    directive.end = token.getLocation();
    preprocessor_ = &preprocessor;
    tokens_ = &tokens;
    at_ = 0;
    if (word() == "func")
      return;  // marks a function of the package's; here every function that is inlined may be called
    read(directive);
    found_.push_back(directive);
  }

 private:
  std::string word(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_->size() ? preprocessor_->getSpelling((*tokens_)[at_ + ahead]) : std::string();
  }

  void refuse(Directive& directive, const std::string& text) {
    const bool at_end = at_ >= tokens_->size();
    if (!directive.wrong) refuse_(at_end ? directive.where : (*tokens_)[at_].getLocation(), text);
    directive.wrong = true;
  }

  bool take(Directive& directive, const std::string& wanted) {
    if (word() == wanted) {
      ++at_;
      return true;
    }
    refuse(directive,
           "'" + wanted + "' is expected" + (at_ < tokens_->size() ? " before '" + word() + "'" : "") + ": " + kForm);
    return false;
  }

  void read(Directive& directive) {
    if (!take(directive, "parallel") || !take(directive, "for")) return;
    while (at_ < tokens_->size() && !directive.wrong) clause(directive);
    if (!directive.wrong && directive.j.empty()) {
      at_ = tokens_->size();
      refuse(directive, "the clause loopcounter(i, j) is missing: it names the counters of the two loops");
    }
  }

  void clause(Directive& directive) {
    const std::string name = word();
    if (name != "loopcounter" && name != "precision" && name != "result" && name != "private" && name != "nip_pack") {
      return refuse(directive, "the clause '" + name +
                                   "' is not known; known are loopcounter, precision, result, "
                                   "private and nip_pack");
    }
    ++at_;
    if (!take(directive, "(")) return;
    if (name == "loopcounter") {
      counters(directive);
    } else if (name == "precision") {
      precision(directive);
    } else if (name == "result") {
      directive.names_results = true;
      variables(directive.results);
      if (directive.results.empty()) refuse(directive, "result() names nothing: name what the loops write");
    } else if (name == "private") {
      variables(directive.privates);
    } else {
      ++at_;  // how many i-particles a PE holds is the machine's: always as many as a vector has elements
    }
    if (!directive.wrong) take(directive, ")");
  }

  void counters(Directive& directive) {
    directive.i = word();
    ++at_;
    if (word() == ")") {
      return refuse(directive, "one counter alone: pairs take two loops, loopcounter(i, j)");
    }
    if (!take(directive, ",")) return;
    directive.j = word();
    if (directive.i == directive.j) return refuse(directive, "loopcounter names '" + directive.i + "' twice");
    ++at_;
  }

  void precision(Directive& directive) {
    const std::string name = word();
    if (name == "\"double\"") {
      directive.precision = Precision::in_double;
    } else if (name == "\"single\"") {
      directive.precision = Precision::in_single;
    } else if (name == "\"mixed\"") {
      directive.precision = Precision::mixed;
    } else {
      return refuse(directive, "precision(" + name + ") is refused: it is \"double\", \"single\" or \"mixed\"");
    }
    ++at_;
  }

  void variables(std::vector<NamedVariable>& found) {
    unsigned depth = 0;
    bool fresh = true;
    for (; at_ < tokens_->size(); ++at_) {
      const std::string next = word();
      if (depth == 0 && next == ")") break;
      if (depth == 0 && next == ",") {
        fresh = true;
        continue;
      }
      if (fresh) found.push_back({(*tokens_)[at_].getLocation(), {}, {}});
      fresh = false;
      if (next == "[" || next == "(") ++depth;
      if (next == "]" || next == ")") --depth;
      found.back().words.push_back(next);
      found.back().text += next;
    }
  }

  std::vector<Directive>& found_;
  Refuse refuse_;
  clang::Preprocessor* preprocessor_ = nullptr;
  std::vector<clang::Token>* tokens_ = nullptr;
  std::size_t at_ = 0;
};

}  // namespace

void watch_directives(clang::Preprocessor& preprocessor, std::vector<Directive>& found, const Refuse& refuse) {
  preprocessor.AddPragmaHandler(new GoosePragma(found, refuse));  // the preprocessor owns it
}

}  // namespace gdr::compiler
