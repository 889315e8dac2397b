#include "observe.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/base/file.h"
#include "gdr/base/file_kind.h"
#include "gdr/commandline/terminal.h"
#include "gdr/hostlib/profile.h"

namespace gdr::cli {

std::vector<Option> ObserveOptions::add_to(Command command) {
  command.heading("Traces and profiles");
  const Option option = command.add_output("--trace", trace);
  command.add_option("--trace-chips", what.chips, "chips to show line by line").delimiter(',').needs(option);
  command.add_option("--trace-blocks", what.blocks, "blocks for which the transfer of records is shown")
      .delimiter(',')
      .needs(option);
  command.add_option("--trace-run", what.run, "first run of 128 i-particles to show lines of").needs(option);
  command.add_option("--trace-from", what.first_clock, "first chip clock of a run to show").needs(option);
  command.add_option("--trace-to", what.last_clock, "last chip clock of a run to show; default: the last")
      .needs(option);
  command.add_option("--trace-limit", limit_mb, "largest size of the trace", in_range(0.01, 1000, ValueUnit::megabytes))
      .needs(option);
  const Option profiled =
      command.add_output("--profile", profile, "write an analysis of what limits the run, as a page or as JSON")
          .check({[](const std::string& name) {
                    const bool known = base::ending_of(name) == ".html" || base::ending_of(name) == ".json";
                    return known ? std::string() : fmt::format("{} is refused: it must end in .html or .json", name);
                  },
                  ".html or .json"});
  command.heading(kUsualHeading);
  return {option, profiled};
}

void ObserveOptions::begin(Device& device) const {
  if (trace.empty()) return;
  from_command_line("--trace-chips, --trace-blocks, --trace-from, --trace-to",
                    [&] { hostlib::validate(what, device.chips()); });
  device.keep_calls();
}

void ObserveOptions::finish(const Device& device, const std::string& engine, const ReportOptions& report) const {
  if (!trace.empty()) {
    hostlib::TraceOptions options = what;
    options.most_bytes = static_cast<std::uint64_t>(limit_mb * 1e6);
    const hostlib::Trace made = hostlib::make_trace(device.emulated(), device.program(), options);
    if (!report.quiet) {
      commandline::print_message(
          fmt::format("trace: {} events, {:.2f} MB to {}{}\n", made.events, static_cast<double>(made.json.size()) / 1e6,
                      trace, made.complete ? "" : "; cut off at the limit (--trace-limit, --trace-from, --trace-to)"));
    }
    if (!made.no_lines.empty()) {
      commandline::print_message(fmt::format("trace: no lines in {}: {}\n", trace, made.no_lines));
    }
    base::write_file(trace, made.json);
  }
  if (!profile.empty()) {
    const auto events = device.computes() ? std::optional(device.events().counts) : std::nullopt;
    const hostlib::Profile made = hostlib::make_profile(device.emulated(), device.program(), engine, events);
    base::write_file(profile,
                     base::ending_of(profile) == ".json" ? hostlib::profile_json(made) : hostlib::profile_page(made));
    if (report.speaks()) commandline::print_text(hostlib::profile_summary(made));
  }
}

}  // namespace gdr::cli
