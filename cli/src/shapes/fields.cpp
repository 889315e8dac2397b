#include "fields.h"

#include <utility>

#include "gdr/emulator/schedule.h"
#include "shapes.h"

namespace gdr::cli {

Field text_field(std::string key, std::string meaning) {
  return {std::move(key), base::FieldKind::text, "", std::move(meaning)};
}
Field flag_field(std::string key, std::string meaning) {
  return {std::move(key), base::FieldKind::flag, "", std::move(meaning)};
}
Field whole_field(std::string key, std::string meaning, std::string unit) {
  return {std::move(key), base::FieldKind::whole, std::move(unit), std::move(meaning)};
}
Field number_field(std::string key, std::string unit, std::string meaning) {
  return {std::move(key), base::FieldKind::number, std::move(unit), std::move(meaning)};
}
Field any_field(std::string key, std::string meaning) {
  return {std::move(key), base::FieldKind::any, "", std::move(meaning)};
}
Field list_field(std::string key, std::string meaning, std::vector<Field> of_entries, std::string unit) {
  return {std::move(key), base::FieldKind::list, std::move(unit), std::move(meaning), false, std::move(of_entries)};
}
Field object_field(std::string key, std::string meaning, std::vector<Field> members, std::string unit) {
  return {std::move(key), base::FieldKind::object, std::move(unit), std::move(meaning), false, std::move(members)};
}

Field or_null(Field field) {
  field.may_be_null = true;
  return field;
}
Field or_none(Field field) {
  field.may_lack = true;
  return field;
}
std::vector<Field> or_none(std::vector<Field> fields) {
  for (Field& field : fields) field.may_lack = true;
  return fields;
}

Field seconds_field(std::string key, std::string meaning, std::span<const std::pair<const char*, const char*>> parts) {
  Field field = object_field(std::move(key), std::move(meaning), {}, "s");
  for (const auto& [name, what] : parts) field.members.push_back(number_field(name, "s", what));
  return field;
}

std::vector<Field> joined(std::initializer_list<std::vector<Field>> lists) {
  std::vector<Field> all;
  for (const std::vector<Field>& fields : lists) all.insert(all.end(), fields.begin(), fields.end());
  return all;
}

std::vector<Field> digest_fields() {
  return {text_field("kernel_sha256", "SHA-256 of the kernel as `gdr objdump --raw` prints it below its comments"),
          text_field("machine_sha256", "SHA-256 of all parameters in the machine's file")};
}

std::vector<Field> device_fields() {
  std::vector<Field> stalls;
  for (std::size_t n = 0; n < emulator::kStallReasons; ++n) {
    const auto reason = static_cast<emulator::StallReason>(n);
    stalls.push_back(whole_field(std::string(key_of(reason)), "clocks of this reason"));
  }
  return joined(
      {digest_fields(),
       {object_field(
            "clocks_by_part", "`clocks` of the slowest chip by part; they add up to it",
            {whole_field("i_load", "i-data to the PEs"), whole_field("loop_initialization", "lines before the loop"),
             whole_field("first_record", "wait for the first j-record"), whole_field("loop_body", "lines of the loop"),
             whole_field("stall", "stalls"), whole_field("loop_termination", "lines after the loop"),
             whole_field("collection", "results through the reduction tree")},
            "1"),
        object_field("stall_clocks", "`stall` of `clocks_by_part` by reason", stalls, "1")}});
}

Field transfer_field() { return text_field("transfer", "transfers between host and board: `2009` or `ideal`"); }
Field clock_field() { return number_field("clock_mhz", "MHz", "clock of the chips"); }
Field boards_field() { return whole_field("boards", "boards"); }

Field compiled_field() {
  return or_null(
      object_field("compiled", "how the kernel was compiled; null for assembly and object files",
                   {whole_field("effort", "effort of the search (`-O`)"), whole_field("seed", "seed of the search"),
                    flag_field("fast", "whether functions have shorter forms (`--fast`)")}));
}

Field counters_field() {
  return or_null(object_field(
      "counters", "what all chips counted, added up",
      {whole_field("runs", "calls of the kernel on a chip"), whole_field("iterations", "iterations of loops"),
       whole_field("lines", "lines executed"),
       object_field("unit_lines", "lines in which a unit is busy",
                    {whole_field("adder", "floating-point adder"), whole_field("multiplier", "multiplier"),
                     whole_field("alu", "integer unit"), whole_field("bm", "broadcast memory")},
                    "1"),
       object_field("bytes", "bytes by path; a long word counts 9",
                    {whole_field("host_in", "from the host", "B"), whole_field("host_out", "to the host", "B"),
                     whole_field("em_written", "into external memory", "B"),
                     whole_field("em_read", "from external memory", "B"), whole_field("idp", "input ports", "B"),
                     whole_field("odp", "output ports", "B"), whole_field("ring", "ring between chips", "B")},
                    "B"),
       object_field("fp_lanes", "results of operations; they depend on this host, as compiled code does",
                    {whole_field("all", "that the engine formed"),
                     whole_field("slow", "those of them that it formed in integers")},
                    "1"),
       or_null(object_field("fp_events", "results that are not the rounded exact ones; null if nothing is computed",
                            {whole_field("invalid", "invalid operations"), whole_field("overflow", "overflows"),
                             whole_field("underflow", "underflows")},
                            "1")),
       or_null(object_field("conversion_events", "the same of conversions of i- and j-data",
                            {whole_field("overflow", "overflows"), whole_field("underflow", "underflows"),
                             whole_field("saturated", "saturated integers")},
                            "1"))},
      "1"));
}

const std::vector<Field>& fields_of_all_reports() {
  static const std::vector<Field> fields{
      text_field("tool", "`gdr` and the name of the command"),
      text_field("version", "version of gdr"),
      or_null(text_field("machine", "machine, network or clusters, with commas between several")),
      or_null(text_field("engine", "engine that computed; `model` or `timing` if nothing was")),
      or_null(flag_field("exact", "whether results have the bits of the machine")),
      or_null(number_field("emulated_seconds", "s", "emulated time; of rows: of the only one")),
      or_null(number_field("emulated_gflops", "Gflops", "flops divided by the emulated time")),
      or_null(number_field("host_seconds", "s", "wall clock of the whole command")),
      or_null(whole_field("clocks", "clocks of the slowest chip")),
      counters_field(),
      object_field(
          "options",
          "options and arguments that were given, by their long names, without outputs and without "
          "`--threads`, `--quiet` and `--progress`, on which no result depends; a flag is true, several values "
          "are a list")};
  return fields;
}

}  // namespace gdr::cli
