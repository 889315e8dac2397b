#include "goose_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/error.h"
#include "programs/c_string.h"

namespace gdr::compiler {
namespace {

/// Declarations of libgdr that the program needs. They are not included from its headers, which may not be installed.
/// The include guard is that of the header.
constexpr const char* kHead = R"(#ifndef GDR_HOSTLIB_GOOSE_H
#define GDR_HOSTLIB_GOOSE_H
#ifdef __cplusplus
extern "C" {
#endif
typedef union gdr_goose_word { double number; __INT64_TYPE__ integer; } gdr_goose_word;
typedef struct gdr_goose gdr_goose;
int gdr_goose_begin(gdr_goose**, const char*, const unsigned char*, __SIZE_TYPE__);
gdr_goose_word* gdr_goose_i(gdr_goose*);
gdr_goose_word* gdr_goose_j(gdr_goose*);
__SIZE_TYPE__ gdr_goose_count_i(const gdr_goose*);
__SIZE_TYPE__ gdr_goose_count_j(const gdr_goose*);
void gdr_goose_parameter(gdr_goose*, unsigned, double);
void gdr_goose_writes(gdr_goose*, const void*, __SIZE_TYPE__, const char*);
void gdr_goose_reads_i(gdr_goose*, const void*, __SIZE_TYPE__, const char*);
void gdr_goose_reads_j(gdr_goose*, const void*, __SIZE_TYPE__, const char*);
int gdr_goose_run(gdr_goose*);
double gdr_goose_seconds(const gdr_goose*);
const gdr_goose_word* gdr_goose_result(gdr_goose*);
const char* gdr_goose_message(void);
#ifdef __cplusplus
}
#endif
#endif
static void gdr_goose_stop(void);
)";

constexpr const char* kTail = R"(
#include <stdio.h>
#include <stdlib.h>
static void gdr_goose_stop(void) {
  fprintf(stderr, "%s\n", gdr_goose_message());
  exit(EXIT_FAILURE);
}
)";

class ProgramText {
 public:
  ProgramText(const std::string& text, const std::string& file, const std::string& after_run)
      : text_(text), file_(file), after_run_(after_run) {}

  std::string print(const std::vector<CompiledLoop>& loops) {
    out_ = kHead;
    for (std::size_t n = 0; n < loops.size(); ++n)
      out_ += fmt::format("static int gdr_goose_begin_{}(gdr_goose**);\n", n + 1);
    std::size_t at = 0;
    for (std::size_t n = 0; n < loops.size(); ++n) {
      slice({at, loops[n].loop.region.begin});
      loop(loops[n], n + 1);
      at = loops[n].loop.region.end;
    }
    slice({at, text_.size()});
    out_ += kTail;
    for (std::size_t n = 0; n < loops.size(); ++n) object(loops[n], n + 1);
    return std::move(out_);
  }

 private:
  /// Appends a part of the user's text with its line and column.
  void slice(Slice slice) {
    const auto begin = text_.begin() + static_cast<std::ptrdiff_t>(slice.begin);
    const auto line = std::count(text_.begin(), begin, '\n') + 1;
    const std::size_t before = slice.begin == 0 ? std::string::npos : text_.rfind('\n', slice.begin - 1);
    const std::size_t column = slice.begin - (before == std::string::npos ? 0 : before + 1);
    out_ += fmt::format("\n#line {} {}\n{}{}", line, c_string(file_), std::string(column, ' '),
                        text_.substr(slice.begin, slice.end - slice.begin));
  }

  void ours(const GooseLoop& loop) { out_ += fmt::format("\n#line {} {}\n", loop.place.line, c_string(file_)); }

  void reads(const HostWord& word, const char* which) {
    if (!word.in_memory) return;
    out_ += fmt::format("gdr_goose_reads_{0}(gdr_goose_loop, &({1}), sizeof({1}), {2}); ", which, word.text,
                        c_string(word.text));
  }

  void record(const std::vector<HostWord>& words, const char* which) {
    out_ += fmt::format("gdr_goose_word* gdr_goose_record = gdr_goose_{}(gdr_goose_loop);\n", which);
    for (std::size_t n = 0; n < words.size(); ++n) {
      out_ += fmt::format("gdr_goose_record[{}].{} = {}; ", n, words[n].integer ? "integer" : "number", words[n].text);
      reads(words[n], which);
      out_ += '\n';
    }
    if (words.empty()) out_ += "gdr_goose_record[0].integer = 0;\n";
  }

  void writes(const GooseLoop& loop) {
    const auto write = [&](const HostWord& word) {
      if (!word.in_memory) return;
      out_ +=
          fmt::format("gdr_goose_writes(gdr_goose_loop, &({0}), sizeof({0}), {1});\n", word.text, c_string(word.text));
    };
    for (const HostResult& result : loop.results) write(result.word);
    for (const HostWord& word : loop.written) write(word);
  }

  /// Combines a result with the program's value, in the way that the chips combine theirs.
  static std::string join(const HostResult& result, std::size_t word, const std::optional<isa::Op>& reduction) {
    if (!reduction) return {};
    const std::string value = result_word(word, result.word.integer);
    const std::string& target = result.word.text;
    using isa::Op;
    const Op op = *reduction;
    if (op == Op::FADD || op == Op::UADD) return fmt::format("{} += ({}){};\n", target, result.type, value);
    if (op == Op::UAND) return fmt::format("{} &= ({}){};\n", target, result.type, value);
    if (op == Op::UOR) return fmt::format("{} |= ({}){};\n", target, result.type, value);
    if (op == Op::UXOR) return fmt::format("{} ^= ({}){};\n", target, result.type, value);
    if (op == Op::FMIN || op == Op::UMIN)
      return fmt::format("if ({1} < {0}) {0} = ({2}){1};\n", target, value, result.type);
    if (op == Op::FMAX || op == Op::UMAX)
      return fmt::format("if ({1} > {0}) {0} = ({2}){1};\n", target, value, result.type);
    throw Error(fmt::format("goose: results joined by {} are not known", isa::info_of(op).mnemonic));
  }

  static std::string result_word(std::size_t word, bool integer) {
    return fmt::format("gdr_goose_results[{}].{}", word, integer ? "integer" : "number");
  }

  /// Takes the number whose key is better than the program's.
  static std::string join_number(const CompiledLoop& compiled, const NumberedResult& one) {
    const HostResult& number = compiled.loop.results[one.word];
    const HostResult& key = compiled.loop.results[one.key_word];
    return fmt::format("if ({} {} {}) {} = ({}){};\n", result_word(one.key_word, key.word.integer),
                       one.least ? "<" : ">", key.word.text, number.word.text, number.type,
                       result_word(one.word, true));
  }

  void results(const CompiledLoop& compiled) {
    std::vector<std::optional<isa::Op>> reductions;
    for (const isa::Variable& variable : compiled.program.variables) {
      if (variable.transfer != isa::Transfer::rrn) continue;
      reductions.insert(reductions.end(), variable.elements, variable.reduction);
    }
    if (reductions.size() != compiled.loop.results.size())
      throw Error("goose: kernel and program differ in their results: this is a fault of the compiler");
    out_ +=
        "const gdr_goose_word* gdr_goose_results = gdr_goose_result(gdr_goose_loop);\n"
        "if (!gdr_goose_results) gdr_goose_stop();\n";
    for (const NumberedResult& one : compiled.numbered) {  // before their keys change
      out_ += join_number(compiled, one);
      reductions[one.word].reset();
    }
    for (std::size_t n = 0; n < reductions.size(); ++n) out_ += join(compiled.loop.results[n], n, reductions[n]);
  }

  void loop(const CompiledLoop& compiled, std::size_t number) {
    const GooseLoop& loop = compiled.loop;
    ours(loop);
    out_ += fmt::format("{{ static __thread gdr_goose* gdr_goose_loop;\nif (gdr_goose_begin_{}(&gdr_goose_loop)) {{\n",
                        number);
    slice(loop.i_header);
    out_ += "{";
    slice(loop.before);
    ours(loop);
    out_ += "{ ";
    record(loop.i, "i");
    writes(loop);
    out_ += "} }\nif (gdr_goose_count_i(gdr_goose_loop)) {\n";
    slice(loop.j_header);
    ours(loop);
    out_ += "{ ";
    record(loop.j, "j");
    out_ += "} }\n";
    if (!loop.parameters.empty()) {
      out_ += "if (gdr_goose_count_j(gdr_goose_loop)) {\n";
      for (std::size_t n = 0; n < loop.parameters.size(); ++n) {
        const HostWord& word = loop.parameters[n];
        out_ += fmt::format("gdr_goose_parameter(gdr_goose_loop, {}, (double)({}));\n", n, word.text);
      }
      out_ += "}\n";
    }
    out_ += "if (gdr_goose_run(gdr_goose_loop)) gdr_goose_stop();\n" + after_run_;
    slice(loop.i_header);
    out_ += "{";
    slice(loop.before);
    ours(loop);
    out_ += "if (gdr_goose_count_j(gdr_goose_loop)) { ";
    results(compiled);
    out_ += "}\n";
    slice(loop.after);
    ours(loop);
    out_ += "} } else {\n";
    slice({loop.i_header.begin, loop.region.end});
    ours(loop);
    out_ += "} }\n";
  }

  void object(const CompiledLoop& compiled, std::size_t number) {
    out_ += fmt::format("static const unsigned char gdr_goose_object_{}[] = {{", number);
    const std::vector<std::byte> bytes = isa::serialize(compiled.program);
    for (std::size_t n = 0; n < bytes.size(); ++n)
      out_ += fmt::format("{}{}", n == 0 ? "" : n % 32 == 0 ? ",\n" : ",", static_cast<unsigned>(bytes[n]));
    out_ += fmt::format(
        "}};\nstatic int gdr_goose_begin_{0}(gdr_goose** loop) {{\n"
        "  const int where = gdr_goose_begin(loop, {1}, gdr_goose_object_{0}, "
        "sizeof gdr_goose_object_{0});\n  if (where == 2) gdr_goose_stop();\n  return where;\n}}\n",
        number, c_string(fmt::format("{}:{}", file_, compiled.loop.place.line)));
  }

  const std::string& text_;
  const std::string& file_;
  const std::string& after_run_;
  std::string out_;
};

}  // namespace

std::string program_with_calls(const std::string& text, const std::string& file, const std::vector<CompiledLoop>& loops,
                               const std::string& after_run) {
  return ProgramText(text, file, after_run).print(loops);
}

}  // namespace gdr::compiler
