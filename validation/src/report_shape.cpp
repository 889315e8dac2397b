#include "gdr/validation/report_shape.h"

#include "gdr/base/report_fields.h"

namespace gdr::validation {
namespace {

using base::any_field;
using base::flag_field;
using base::number_field;
using base::object_field;
using base::or_none;
using base::or_null;
using base::ReportShape;
using base::text_field;
using base::whole_field;

ReportShape validate_shape() {
  return {
      "validate",
      1,
      {},
      {text_field("id", "name of the row"), text_field("quantity", "quantity"),
       text_field("source", "publication and place"),
       any_field("published", "published number or statement; null if there is none"),
       any_field("ours", "our number, or whether the statement holds; null if the system is not built"),
       text_field("unit", "unit of both"), or_null(number_field("error", "1", "relative error, or as the bar has it")),
       text_field("role", "purpose of the row"),
       object_field(
           "bar", "what passes",
           {text_field("kind", "kind of the bar"), or_none(number_field("limit", "", "largest error")),
            or_none(number_field("low", "", "least value")), or_none(number_field("high", "", "largest value")),
            or_none(whole_field("decimals", "decimals of the published number"))}),
       or_null(flag_field("pass", "whether the row passes; null if there is no number of ours")),
       flag_field("verified", "whether the published number could be verified"),
       flag_field("misprint", "whether the publication contradicts itself"),
       flag_field("derived", "whether the publication prints another number, from which this one follows"),
       or_null(
           number_field("sigma", "", "standard error of the published number, in its unit; null if none is given"))}};
}

}  // namespace

std::span<const ReportShape> report_shapes() {
  static const std::vector<ReportShape> shapes = base::with_texts({validate_shape()}, ":validate\n{@text}\n");
  return shapes;
}

namespace {

base::Json json_of(const Bar& bar) {
  base::Json json{{"kind", name_of(bar.kind)}};
  if (has_limit(bar.kind)) json["limit"] = bar.limit;
  if (bar.kind == Bar::Kind::within) json["low"] = bar.low, json["high"] = bar.high;
  if (bar.kind == Bar::Kind::printed) json["decimals"] = bar.decimals;
  return json;
}

template <class Value>
base::Json value_or_null(const std::optional<Value>& value) {
  return value ? base::Json(*value) : base::Json(nullptr);
}

base::Json json_of(const Judged& judged) {
  const Row& row = judged.row;
  base::Json ours(nullptr);
  if (const double* number = std::get_if<double>(&judged.ours)) ours = *number;
  if (const bool* holds = std::get_if<bool>(&judged.ours)) ours = *holds;
  return {{"id", row.id.text()},
          {"quantity", row.quantity},
          {"source", row.citation},
          {"published", row.statement.empty() ? value_or_null(row.published) : base::Json(row.statement)},
          {"ours", ours},
          {"unit", row.unit},
          {"error", value_or_null(judged.verdict.error)},
          {"role", name_of(row.role)},
          {"bar", json_of(row.bar)},
          {"pass", value_or_null(judged.verdict.pass)},
          {"verified", row.verified},
          {"misprint", row.misprint},
          {"derived", row.derived},
          {"sigma", value_or_null(row.sigma)}};
}

}  // namespace

base::Json rows_json(const std::vector<Judged>& rows) {
  base::Json json = base::Json::array();
  for (const Judged& judged : rows) json.push_back(json_of(judged));
  return json;
}

}  // namespace gdr::validation
