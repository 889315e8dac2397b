#include "command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "gdr/base/data_file.h"
#include "gdr/base/file.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/nearest.h"
#include "gdr/base/units.h"
#include "gdr/hostlib/nbody_run.h"
#include "kernel_source.h"
#include "report_shapes.h"

namespace gdr::cli {

Check known_engine(DirectEngine direct) {
  const bool takes_direct = direct == DirectEngine::taken;
  std::vector<std::string> names = emulator::engine_names();
  if (takes_direct) names.emplace_back(hostlib::kDirectEngine);
  names.insert(names.end(), {"opencl:DEVICE", "lockstep:A,B"});
  return {[=](const std::string& text) {
            if (emulator::is_engine(text) || (takes_direct && text == hostlib::kDirectEngine)) return std::string();
            if (text == hostlib::kDirectEngine) {
              return fmt::format(
                  "{} is refused: it runs no kernel; gdr nbody takes it, to compute forces without a board", text);
            }
            std::vector<std::string> known = emulator::engine_names();
            if (takes_direct) known.emplace_back(hostlib::kDirectEngine);
            return fmt::format("{} is refused: it must be one of {}, opencl:DEVICE, or lockstep:A,B with two of them{}",
                               text, fmt::join(known, ", "), base::did_you_mean(text, known));
          },
          "", names};
}

std::vector<Option> add_boards(Command command, std::string& machine, unsigned& boards) {
  return {
      command.add_option("--machine=NAME", machine, "machine description: a name (see gdr machine list) or FILE.toml"),
      command.add_option("--boards", boards, "number of boards", whole_in_range(1, 64))};
}

std::vector<Option> BoardOptions::add_to(Command command, DirectEngine direct) {
  command.heading("Board");
  using emulator::TransferMode;
  of_machine = add_boards(command, machine, boards);
  std::vector<Option> of_board = of_machine;
  of_board.push_back(command.add_option("--clock", clock_mhz, "chip clock; default: that of the machine",
                                        in_range(1, 10000, ValueUnit::megahertz)));
  of_board.push_back(command.add_choice("--transfer", transfer, {TransferMode::as_of_2009, TransferMode::ideal},
                                        "transfers between host and board: as measured in 2009, or as planned then"));
  const std::string what =
      "engine: reference = one PE at a time, simd = PEs in host vectors (both bit exact); native = doubles of the host "
      "(not bit exact); lockstep = reference and simd compared; opencl = a device (bit exact; see gdr machine devices)";
  const Option of_engine = command.add_option(
      "--engine", engine,
      direct == DirectEngine::taken ? what + "; direct = a loop of the host in doubles, without a board" : what,
      known_engine(direct));
  const Option timing_only =
      command.add_flag_for("--timing-only", engine, "timing", "report only the emulated time: no results are computed");
  timing_only.excludes(of_engine);
  command.keep_old_value(of_engine, "timing", timing_only);
  of_computing.push_back(command.add_option("--threads", threads, "host threads; 0: all", whole_in_range(0, 1024)));
  command.heading(kUsualHeading);
  return of_board;
}

std::string BoardOptions::why_nothing_is_computed() const {
  return timing() ? "with --timing-only: nothing is computed" : "";
}

bool BoardOptions::direct() const { return engine == hostlib::kDirectEngine; }

DeviceOptions BoardOptions::device_options() const {
  require_known(machine, emulator::machine_names(), "--machine");
  DeviceOptions options;
  options.machine = machine;
  options.boards = boards;
  options.clock_mhz = clock_mhz;
  options.transfer = transfer;
  options.engine = engine;
  options.threads = threads;
  return options;
}

void require_known(const std::string& name_or_file, const std::vector<std::string>& known, std::string_view argument) {
  if (name_or_file.ends_with(".toml") || std::ranges::find(known, name_or_file) != known.end()) return;
  if (known.empty()) {
    throw UsageError(fmt::format(
        "{}: '{}' is refused: no descriptions are installed where gdr looks (gdr doctor shows the folders); "
        "it must be a file that ends in .toml",
        argument, name_or_file));
  }
  throw UsageError(fmt::format("{}: '{}' is refused: it must be one of {}, or a file that ends in .toml{}", argument,
                               name_or_file, fmt::join(known, ", "), base::did_you_mean(name_or_file, known)));
}

void require_memory(double bytes, std::string_view what) {
  const double host = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= host) return;
  throw Error(
      fmt::format("{} would take {:.0f} GB of memory, and this host has {:.0f}", what, bytes / kGiga, host / kGiga));
}

void ReportOptions::add_to(Command to) {
  command = to;
  to.heading("Reports");
  to.add_output_or_stdout("--json", json, "write the result as JSON to FILE, or - for standard output");
  const base::ReportShape* const shape = report_shape(to.path());
  if (shape != nullptr && !shape->row.empty()) {
    of_rows = {
        to.add_output_or_stdout("--csv", csv, "write the rows of the result as CSV to FILE, or - for standard output")};
  }
  const Option quietly =
      to.add_flag("--quiet", quiet, "print nothing but warnings, errors and the outputs that are asked for");
  to.add_flag("--progress", progress, "show progress even if standard error is not a terminal").excludes(quietly);
  to.heading(kUsualHeading);
}

namespace {

/// Options that change nothing in a report but the host's time.
constexpr std::string_view kWithoutEffect[] = {"--threads", "--quiet", "--progress"};

/// A number where the text is one.
Json value_of(const std::string& text) {
  if (text == "true") return true;
  if (const auto whole = base::number_in<std::uint64_t>(text)) return *whole;
  if (const auto number = base::number_in<double>(text)) return *number;
  return text;
}

Json options_json(const Command& command) {
  Json options = Json::object();
  for (const auto& [name, values] : command.given()) {
    if (std::ranges::find(kWithoutEffect, name) != std::end(kWithoutEffect)) continue;
    Json& option = options[name.substr(name.find_first_not_of('-'))];
    if (values.size() == 1) {
      option = value_of(values.front());
      continue;
    }
    option = Json::array();
    for (const std::string& value : values) option.push_back(value_of(value));
  }
  return options;
}

}  // namespace

ProgressShown ReportOptions::progress_shown() const {
  return quiet ? ProgressShown::never : progress ? ProgressShown::always : ProgressShown::on_terminal;
}

void write_text(const std::string& file, std::string_view text) {
  if (file == "-") {
    std::cout << text << std::flush;
  } else {
    base::write_file(file, text);
  }
}

const base::ReportShape& ReportOptions::shape() const {
  const base::ReportShape* const shape = report_shape(command->path());
  GDR_ASSERT(shape != nullptr, "a command with a report has the shape of it");
  return *shape;
}

Json ReportOptions::begin(const Json& machine, const Json& engine, const Json& exact) const {
  if (!shape().is_of_a_run) return {{"tool", "gdr " + command->path()}, {"version", GDR_VERSION}};
  return envelope(command->path(), machine, engine, exact);
}

void ReportOptions::end(Json& report) const {
  if (!shape().is_of_a_run) return;
  Json& seconds = report["host_seconds"];
  if (seconds.is_null()) seconds = clock.seconds();
}

void ReportOptions::write(Json report) const {
  if (json.empty() && csv.empty()) return;
  end(report);
  report["schema"] = shape().schema_name();
  report["options"] = options_json(*command);
  if (!json.empty()) write_text(json, report.text() + "\n");
  if (!csv.empty()) write_text(csv, base::csv_of(shape(), report));
}

void ReportOptions::show(Json report, const Json& words) const {
  end(report);
  if (speaks()) write_text("-", base::text_of(shape().text, report, words));
  write(std::move(report));
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

double Stopwatch::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

Json envelope(const std::string& tool, const Json& machine, const Json& engine, const Json& exact) {
  return {{"tool", "gdr " + tool},      {"version", GDR_VERSION},  {"machine", machine},
          {"engine", engine},           {"exact", exact},          {"emulated_seconds", nullptr},
          {"emulated_gflops", nullptr}, {"host_seconds", nullptr}, {"clocks", nullptr},
          {"counters", nullptr}};
}

bool BoardOptions::exact() const { return emulator::make_engine(engine)->traits().exact; }

DeviceOptions BoardOptions::options_of_model() const {
  DeviceOptions options = device_options();
  if (timing()) options.engine = "simd";
  return options;
}

emulator::MachineDescription BoardOptions::description() const {
  emulator::MachineDescription description = emulator::load_machine(device_options().machine);
  if (clock_mhz) description.clock_mhz = *clock_mhz;
  return description;
}

Json BoardOptions::inexactness() const { return exact() || timing() ? Json(nullptr) : Json(exactness()); }

std::string BoardOptions::exactness() const { return exact() ? "bit exact" : "host double, not bit exact"; }

isa::Program load_kernel(const std::string& name) {
  return load_kernel_file(base::data_file("kernels/" + name + ".vsm").string()).program;
}

}  // namespace gdr::cli
