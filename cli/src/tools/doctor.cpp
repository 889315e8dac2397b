#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <thread>

#include "command/command.h"
#include "gdr/base/description.h"
#include "gdr/base/host.h"
#include "gdr/base/plugin.h"
#include "gdr/base/quoted.h"
#include "gdr/emulator/host_isa.h"
#include "gdr/emulator/loop_cache.h"
#include "gdr/emulator/opencl.h"

namespace gdr::cli {
namespace {

/// A library that is loaded at its first use, and what is missing without it.
struct Plugin {
  const char* file;
  std::string_view serves;
  std::string_view needs;    // of Debian 12
  std::string_view package;  // of gdr, that holds it
};
constexpr std::array<Plugin, 10> kPlugins{{
    {"libgdr_jit.so", "compiled loops of the engines simd and native", "libllvm19", "gdr-plugin-llvm"},
    {"libgdr_opencl.so", "engine opencl", "ocl-icd-libopencl1", "gdr-plugin-opencl"},
    {"libgdr_import.so", "gdr cc of C++ and of LLVM's code", "libllvm19", "gdr-plugin-llvm"},
    {"libgdr_goose.so", "gdr cc --goose", "libclang-cpp19", "gdr-plugin-clang"},
    {"libgdr_xacc.so", "gdr cc --xacc", "libclang-cpp19", "gdr-plugin-clang"},
    {"libgdr_simgrid.so", "simulated networks", "libsimgrid3.32", "gdr-plugin-simgrid"},
    {"libgdr_hdf5.so", "HDF5 files", "libhdf5-103-1", "gdr-plugin-hdf5"},
    {"libgdr_mpi.so", "runs on ranks of MPI", "libopenmpi3", "gdr-mpi"},
    {"libgdr_png.so", "pictures as PNG", "librsvg2-2", "gdr-plugin-png"},
    {"libgdr_xml.so", "XML of hwloc", "libxml2", "gdr-plugin-xml"},
}};

/// The first folder of data, and where it was searched for.
std::string data_folder() {
  const std::vector<std::filesystem::path> folders = base::data_directories();
  const auto has_machines = [](const std::filesystem::path& folder) {
    std::error_code none;
    return std::filesystem::is_directory(folder / "machines", none);
  };
  const auto found = std::ranges::find_if(folders, has_machines);
  return found != folders.end() ? found->string() : "";
}

int doctor(const ReportOptions& report) {
  Json json = report.begin();
  bool sound = true;  // of all that gdr cannot work without, or that exists and does not work
  const auto line = [&](std::string_view name, std::string_view value) {
    if (report.speaks()) fmt::print("  {:<18} {}\n", name, base::on_one_line(value));
  };
  const auto heading = [&](std::string_view title) {
    if (report.speaks()) fmt::print("{}\n", title);
  };

  heading("gdr " GDR_VERSION);
  const std::string system = base::system_name();
  const std::string processor = base::processor_name();
  std::vector<std::string_view> isas;
  for (const emulator::HostIsa isa : emulator::available_host_isas()) isas.push_back(emulator::name_of(isa));
  const std::string data = data_folder();
  sound = sound && !data.empty();
  json["system"] = system;
  json["processor"] = processor;
  json["threads"] = std::thread::hardware_concurrency();
  json["instruction_sets"] = isas;
  json["data_folder"] = data;
  line("system", system.empty() ? "unknown" : system);
  line("processor", processor.empty() ? "unknown" : processor);
  line("threads", fmt::format("{}", std::thread::hardware_concurrency()));
  line("instruction sets", fmt::format("{}", fmt::join(isas, ", ")));
  std::vector<std::string> searched;
  for (const std::filesystem::path& folder : base::data_directories()) searched.push_back(folder.string());
  line("data folder", data.empty() ? fmt::format("missing in {}", fmt::join(searched, ", ")) : data);

  const emulator::LoopCache cache = emulator::loop_cache();
  sound = sound && (cache.refusal.empty() || cache.folder.empty());
  json["loop_cache"] = {{"folder", cache.folder.string()}, {"entries", cache.entries}, {"refusal", cache.refusal}};
  line("loop cache", cache.refusal.empty() ? fmt::format("{}, {} entries", cache.folder.string(), cache.entries)
                                           : fmt::format("{}{}not used: {}", cache.folder.string(),
                                                         cache.folder.empty() ? "" : ", ", cache.refusal));

  heading("libraries that are loaded at their first use");
  json["plugins"] = Json::array();
  for (const Plugin& plugin : kPlugins) {
    const base::PluginState state = base::plugin_state(plugin.file);
    sound = sound && state.refusal.empty();
    json["plugins"].push_back(
        {{"file", plugin.file}, {"serves", plugin.serves}, {"path", state.file.string()}, {"refusal", state.refusal}});
    line(plugin.file,
         !state.file.empty() ? fmt::format("{}: {}", plugin.serves, state.file.string())
         : state.refusal.empty()
             ? fmt::format("{}: not installed (Debian's package {})", plugin.serves, plugin.package)
             : fmt::format("{}: does not load: {} (Debian's package {})", plugin.serves, state.refusal, plugin.needs));
  }

  heading("devices of OpenCL");
  json["devices"] = Json::array();
  std::vector<emulator::OpenClDevice> devices;
  std::string no_devices = "none";
  try {
    devices = emulator::opencl_devices();
  } catch (const Error& error) {
    no_devices = error.what();
  }
  std::size_t number = 0;
  for (const emulator::OpenClDevice& device : devices) {
    json["devices"].push_back({{"name", device.name}, {"version", device.version}, {"refusal", device.refusal}});
    line(fmt::format("{}", number++), fmt::format("{}, {}{}", device.name, device.version,
                                                  device.refusal.empty() ? "" : ", not usable: " + device.refusal));
  }
  if (devices.empty()) line("-", no_devices);

  const std::map<std::string, std::string> set = base::settings_of("GDR_");
  json["settings"] = Json::object();
  heading("settings in the environment");
  for (const auto& [name, value] : set) {
    json["settings"][name] = value;
    line(name, value);
  }
  if (set.empty()) line("-", "none");
  json["sound"] = sound;
  report.write(json);
  return sound ? kSuccess : kFailure;
}

}  // namespace

void add_doctor(Command program, const std::string& name) {
  const auto [command, report] = program.add_command<ReportOptions>(
      name, "print what a bug report needs: version, host, libraries, devices, settings", "gdr doctor", doctor);
  report->add_to(command);
}

}  // namespace gdr::cli
