#include "gdr/selftest/report_shape.h"

#include "gdr/base/report_fields.h"

namespace gdr::selftest {
namespace {

using base::Field;
using base::list_field;
using base::or_none;
using base::ReportShape;
using base::text_field;
using base::whole_field;

ReportShape selftest_shape() {
  return {
      "selftest",
      1,
      or_none(
          std::vector<Field>{whole_field("programs", "random programs"), whole_field("histories", "random histories"),
                             list_field("kernels", "files of kernels whose histories these are"),
                             text_field("history", "file of a history"), whole_field("seed", "seed of the first"),
                             list_field("engines", "engines that were compared with the reference engine"),
                             whole_field("chips", "most chips of a program"), whole_field("threads", "host threads"),
                             whole_field("differ", "histories that differ")}),
      {or_none(whole_field("seed", "seed of the program")), or_none(text_field("engine", "engine")),
       or_none(whole_field("command", "command of the history, from 0 on")),
       or_none(text_field("place", "what differs")), or_none(text_field("expected", "word of the reference engine")),
       or_none(text_field("found", "word of the engine")),
       or_none(text_field("program", "smallest program that shows it")),
       or_none(text_field("history", "smallest history"))},
      {},
      "differences"};
}

// clang-format off
constexpr std::string_view kTexts = R"(:selftest
engine {engine}: {@outcome}
{programs:#program} from seed {seed} on up to {chips:#chip}, engine reference and {@engines}: {@found} differ
{histories} {@noun} from seed {seed}, engines {@engines}: {differ} differ
{@counts}
{*@findings}{.}
)";
// clang-format on

}  // namespace

std::span<const ReportShape> report_shapes() {
  static const std::vector<ReportShape> shapes = base::with_texts({selftest_shape()}, kTexts);
  return shapes;
}

}  // namespace gdr::selftest
