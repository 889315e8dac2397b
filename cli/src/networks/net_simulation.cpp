// How the subcommands of gdr net simulate, and the files with the loads of links that they write.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "gdr/base/description.h"
#include "gdr/base/file.h"
#include "gdr/hostlib/table.h"
#include "gdr/interconnect/flow_factors.h"
#include "gdr/interconnect/link_picture.h"
#include "gdr/interconnect/network.h"
#include "gdr/interconnect/picture_file.h"
#include "net.h"

namespace gdr::cli {
namespace {

using interconnect::FlowModel;

const std::map<std::string, FlowModel> kModels{
    {"cm02", FlowModel::cm02}, {"lv08", FlowModel::lv08}, {"smpi", FlowModel::smpi}};

}  // namespace

void refuse_long_run(std::string_view what, double seconds, bool long_run, std::string_view instead) {
  constexpr double kMostSeconds = 60;
  if (seconds <= kMostSeconds || long_run) return;
  throw UsageError(
      fmt::format("{} is refused: it would take about {:.0f} s; --long takes the time, {}", what, seconds, instead));
}

void SimulationArguments::add_to(Command command) {
  command.heading("Simulation");
  command.add_option(
      "--executor", executor,
      "executor of the schedule: SimGrid's flows (s4u), MPI calls on SimGrid (smpi), or the sum over steps "
      "of latency, busiest link and arithmetic (closed-form)",
      one_of({"s4u", "smpi", "closed-form"}));
  const Option flow_model =
      command.add_option("--model", model, "SimGrid's flow model", one_of({"cm02", "lv08", "smpi"}));
  const Option cross = command.add_flag("--crosstraffic", crosstraffic,
                                        "every flow also uses 5 % of its bandwidth in the opposite direction");
  const Option of_messages = command.add_option("--factors", factors);
  command.add_output("--links", links, "write messages and bytes of every link to this CSV file");
  command.add_output("--picture", picture);
  command.refuse_if({flow_model, cross, of_messages}, [this] {
    return executor == "closed-form" ? "with --executor closed-form, which simulates nothing" : "";
  });
  command.refuse_if({of_messages}, [this] {
    return model == "cm02" ? "" : fmt::format("with --model {}, which has factors of its own", model);
  });
  command.heading(kUsualHeading);
}

interconnect::Executor SimulationArguments::make_executor(const ReportOptions& report, double flops_per_second) const {
  from_command_line("--links", [&] { hostlib::require_csv_ending(links); });
  interconnect::Executor made{executor, {}, !links.empty() || !picture.empty()};
  made.simulation.flops_per_second = flops_per_second;
  if (made.is_closed_form()) return made;
  made.simulation.model = kModels.at(model);
  made.simulation.crosstraffic = crosstraffic;
  if (model == "cm02") made.simulation.factors = flow_factors(factors);
  const auto progress = std::make_shared<Progress>("simulating", report.progress_shown());
  made.simulation.progress = [progress](double done) { progress->show(done); };
  return made;
}

std::string SimulationArguments::text() const {
  if (executor == "closed-form") return "closed form: sum over steps of latency, busiest link and arithmetic";
  return fmt::format("{}, flow model {}, factors {}, crosstraffic {}", executor, model, used_factors(),
                     crosstraffic ? "on" : "off");
}

Json SimulationArguments::json() const {
  if (executor == "closed-form") return {{"executor", executor}};
  return {{"executor", executor}, {"flow_model", model}, {"factors", used_factors()}, {"crosstraffic", crosstraffic}};
}

void SimulationArguments::write_links(const std::vector<interconnect::LinkLoad>& loads,
                                      const interconnect::Platform& platform, const std::string& title) const {
  if (!picture.empty()) {
    interconnect::write_picture(picture,
                                interconnect::link_picture(platform, loads, title + " on " + platform.topology.name()));
  }
  if (!links.empty()) base::write_file(links, interconnect::links_csv(loads, platform.topology));
}

}  // namespace gdr::cli
