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
       text_field("role", "what the row is for"),
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
  static const std::vector<ReportShape> shapes{validate_shape()};
  return shapes;
}

}  // namespace gdr::validation
