#include "hdf5_foreign.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "formats/gadget.h"
#include "hdf5_objects.h"

namespace gdr::hostlib {
namespace {

/// Largest key that can be a particle's id on every engine.
constexpr std::uint64_t kLargestId = (std::uint64_t{1} << 35) - 1;

constexpr const char* kHeader = "Header";
constexpr const char* kParameters = "Parameters";
constexpr const char* kCosmology = "Cosmology";
constexpr const char* kComoving = "ComovingIntegrationOn";
constexpr std::size_t kMostTypes = 16;  // Gadget has 6; Gadget 4 is compiled for any number
constexpr std::size_t kWrittenTypes = 6;
constexpr std::size_t kTypeOfParticles = 1;  // matter without collisions

constexpr std::string_view kStep = "Step#";
constexpr std::array<const char*, 7> kColumns{"023 M",  "001 X1", "002 X2", "003 X3",
                                              "004 V1", "005 V2", "006 V3"};  // m, x, y, z, vx, vy, vz

/// This library holds no code of hostlib, so Particles::push_back() is not there.
void append(Particles& particles, std::int64_t id, double mass, const Vec3& x, const Vec3& v) {
  particles.id.push_back(id);
  particles.mass.push_back(mass);
  particles.position.push_back(x);
  particles.velocity.push_back(v);
}

std::string group_of_type(std::size_t type) { return fmt::format("PartType{}", type); }

void set_numbers(hid_t object, const char* name, const std::vector<double>& values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(object, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "cannot make an attribute");
  require(H5Awrite(attribute, H5T_NATIVE_DOUBLE, values.data()), "writing an attribute");
}

void set_counts(hid_t object, const char* name, const std::vector<std::uint32_t>& values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, "no memory");
  const Handle attribute(H5Acreate2(object, name, H5T_STD_U32LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
                         "cannot make an attribute");
  require(H5Awrite(attribute, H5T_NATIVE_UINT32, values.data()), "writing an attribute");
}

void set_flag(hid_t object, const char* name, std::int32_t value) {
  set_number(object, name, value, H5T_STD_I32LE, H5T_NATIVE_INT32);
}

void write_vectors(hid_t group, const char* name, const std::vector<Vec3>& vectors) {
  const std::array<hsize_t, 2> size{vectors.size(), 3};
  const Handle space(H5Screate_simple(2, size.data(), nullptr), H5Sclose, "no memory");
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no memory");
  require(H5Pset_obj_track_times(properties, false), "a property");
  const Handle dataset(H5Dcreate2(group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
                       "cannot make a dataset");
  std::vector<double> values;
  for (const Vec3& vector : vectors) values.insert(values.end(), {vector.x, vector.y, vector.z});
  write_doubles(dataset, values);
}

std::vector<Vec3> vectors_in(hid_t group, const char* name, std::size_t particles) {
  const auto values = values_in<double>(group, name, H5T_NATIVE_DOUBLE, particles, 3);
  std::vector<Vec3> vectors(particles);
  for (std::size_t k = 0; k < particles; ++k) vectors[k] = {values[3 * k], values[3 * k + 1], values[3 * k + 2]};
  return vectors;
}

/// A single number, or what it is without it.
double number_or(double without, hid_t object, const char* name) {
  return H5Aexists(object, name) > 0 ? attribute_of<double>(object, name, H5T_NATIVE_DOUBLE) : without;
}

/// The group of this name, if the file has it; none for a link that leads elsewhere.
std::optional<Handle> group_if_there(hid_t file, const char* name) {
  if (link_in(file, name) != H5L_TYPE_HARD) return std::nullopt;
  return std::optional<Handle>(std::in_place, H5Gopen2(file, name, H5P_DEFAULT), H5Gclose,
                               fmt::format("{} is no group", name));
}

GadgetHeader header_of(hid_t file, hid_t attributes) {
  GadgetHeader header;
  header.here = numbers_of<std::uint64_t>(attributes, "NumPart_ThisFile", H5T_NATIVE_UINT64, kMostTypes);
  if (H5Aexists(attributes, "NumPart_Total") > 0) {
    header.everywhere = numbers_of<std::uint64_t>(attributes, "NumPart_Total", H5T_NATIVE_UINT64, kMostTypes);
  }
  if (H5Aexists(attributes, "NumFilesPerSnapshot") > 0) {
    header.files = attribute_of<std::int64_t>(attributes, "NumFilesPerSnapshot", H5T_NATIVE_INT64);
  }
  header.time = number_or(0, attributes, "Time");
  header.redshift = number_or(0, attributes, "Redshift");
  header.omega0 = number_or(0, attributes, "Omega0");
  header.hubble = number_or(1, attributes, "HubbleParam");
  // Older files have HubbleParam in the header, Gadget 4 among the parameters; SWIFT has a group for the cosmology.
  const std::optional<Handle> parameters = group_if_there(file, kParameters);
  const std::optional<Handle> cosmology = group_if_there(file, kCosmology);
  if (parameters && H5Aexists(attributes, "HubbleParam") <= 0) {
    header.hubble = number_or(1, *parameters, "HubbleParam");
  }
  const auto ask = [&](hid_t object, const char* name) {
    if (header.is_comoving || H5Aexists(object, name) <= 0) return;
    header.is_comoving = attribute_of<double>(object, name, H5T_NATIVE_DOUBLE) != 0;
    header.comoving_name = name;
  };
  if (parameters) ask(*parameters, kComoving);
  ask(attributes, kComoving);
  if (cosmology) ask(*cosmology, "Cosmological run");
  return header;
}

/// Names of three attributes with units in CGS.
struct NamesOfUnits {
  const char* group;
  const char* mass;           // g
  const char* length;         // cm
  const char* speed_or_time;  // cm/s or s
  bool has_time = false;
};
/// As Gadget 4 and Arepo write them, Gizmo, and SWIFT.
constexpr std::array kNamesOfUnits{
    NamesOfUnits{kHeader, "UnitMass_in_g", "UnitLength_in_cm", "UnitVelocity_in_cm_per_s"},
    NamesOfUnits{kParameters, "UnitMass_in_g", "UnitLength_in_cm", "UnitVelocity_in_cm_per_s"},
    NamesOfUnits{kHeader, "UnitMass_In_CGS", "UnitLength_In_CGS", "UnitVelocity_In_CGS"},
    NamesOfUnits{kParameters, "UnitMass_In_CGS", "UnitLength_In_CGS", "UnitVelocity_In_CGS"},
    NamesOfUnits{"Units", "Unit mass in cgs (U_M)", "Unit length in cgs (U_L)", "Unit time in cgs (U_t)", true},
};

/// The units that the file states; none if it states none.
std::vector<StatedUnit> units_of_gadget(hid_t file, const GadgetHeader& header) {
  for (const NamesOfUnits& names : kNamesOfUnits) {
    const std::optional<Handle> group = group_if_there(file, names.group);
    if (!group) continue;
    const std::array<const char*, 3> all{names.mass, names.length, names.speed_or_time};
    if (!std::ranges::all_of(all, [&](const char* name) { return H5Aexists(*group, name) > 0; })) continue;
    const auto number = [&](const char* name) { return attribute_of<double>(*group, name, H5T_NATIVE_DOUBLE); };
    // "Internal units are g/h, cm/h and cm/s" [Springel, Gadget-2 users' guide, section on units].
    const std::string over_hubble = has_hubble(header) ? fmt::format(" / {}", header.hubble) : "";
    const std::string mass = fmt::format("{} * g{}", number(names.mass), over_hubble);
    const std::string length = fmt::format("{} * cm{}", number(names.length), over_hubble);
    const double third = number(names.speed_or_time);
    const std::string time =
        names.has_time ? fmt::format("{} * s", third) : fmt::format("{} / ({} * cm / s)", length, third);
    const std::string speed =
        names.has_time ? fmt::format("{} / ({})", length, time) : fmt::format("{} * cm / s", third);
    return {{UnitOf::mass, "m", mass, {}, {}},
            {UnitOf::length, "x", length, {}, {}},
            {UnitOf::speed, "vx", speed, {}, {}},
            {UnitOf::time, "t", time, {}, {}}};
  }
  return {};
}

/// The number behind `Step#`; nothing for other names.
std::optional<std::uint64_t> number_of_step(std::string_view name) {
  if (!name.starts_with(kStep)) return std::nullopt;
  name.remove_prefix(kStep.size());
  std::uint64_t number = 0;
  const auto [end, reason] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (reason != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

std::optional<std::pair<std::uint64_t, std::string>> last_step(hid_t file) {
  std::optional<std::pair<std::uint64_t, std::string>> last;
  for (const std::string& name : names_in(file)) {
    const auto number = number_of_step(name);
    if (number && (!last || *number > last->first)) last.emplace(*number, name);
  }
  return last;
}

}  // namespace

std::vector<std::int64_t> ids_in(hid_t group, const char* name) {
  require_in_file(group, name, "dataset");
  bool has_sign = true;
  {
    const Handle dataset(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose, fmt::format("{} is no dataset", name));
    const Handle type(H5Dget_type(dataset), H5Tclose, "no memory");
    has_sign = H5Tget_class(type) != H5T_INTEGER || H5Tget_sign(type) != H5T_SGN_NONE;
  }
  if (has_sign) return values_in<std::int64_t>(group, name, H5T_NATIVE_INT64, std::nullopt);
  const auto keys = values_in<std::uint64_t>(group, name, H5T_NATIVE_UINT64, std::nullopt);
  const bool are_ids = std::ranges::all_of(keys, [](std::uint64_t key) { return key <= kLargestId; });
  std::vector<std::int64_t> ids(keys.size());
  for (std::size_t k = 0; k < keys.size(); ++k) ids[k] = static_cast<std::int64_t>(are_ids ? keys[k] : k);
  return ids;
}

bool is_gadget(hid_t file) { return link_in(file, kHeader) == H5L_TYPE_HARD; }

LoadedSnapshot gadget_snapshot(hid_t file) {
  const Handle header = group_of(file, kHeader);
  const GadgetHeader said = header_of(file, header);
  if (const auto why = why_refused(said)) throw Error(*why);
  const std::vector<std::uint64_t>& counts = said.here;
  const auto masses = numbers_of<double>(header, "MassTable", H5T_NATIVE_DOUBLE, kMostTypes);
  if (masses.size() != counts.size()) throw Error("the attributes NumPart_ThisFile and MassTable differ in length");
  LoadedSnapshot loaded;
  loaded.snapshot.time = said.time;
  loaded.units = units_of_gadget(file, said);
  if (loaded.units.empty()) loaded.notes.push_back(note_without_units(said));
  Particles& all = loaded.snapshot.particles;
  for (std::size_t type = 0; type < counts.size(); ++type) {
    if (counts[type] == 0) continue;
    const Handle group = group_of(file, group_of_type(type));
    // The ids' dataset says how many there are; what the header says is compared with it before memory is taken.
    const std::vector<std::int64_t> ids = ids_in(group, "ParticleIDs");
    if (ids.size() != counts[type]) {
      throw Error(
          fmt::format("{} has {} particles in the header and {} ids", group_of_type(type), counts[type], ids.size()));
    }
    const std::vector<Vec3> places = vectors_in(group, "Coordinates", ids.size());
    const std::vector<Vec3> speeds = vectors_in(group, "Velocities", ids.size());
    std::vector<double> own(ids.size(), masses[type]);
    if (masses[type] == 0) own = values_in<double>(group, "Masses", H5T_NATIVE_DOUBLE, ids.size());
    for (std::size_t k = 0; k < ids.size(); ++k) append(all, ids[k], own[k], places[k], speeds[k]);
  }
  if (counts[0] > 0) {
    loaded.notes.push_back(
        fmt::format("{} of {} particles are gas, and are taken as point masses", counts[0], all.size()));
  }
  // Ids of one type may have been numbered anew.
  if (std::set<std::int64_t>(all.id.begin(), all.id.end()).size() != all.id.size()) {
    for (std::size_t k = 0; k < all.id.size(); ++k) all.id[k] = static_cast<std::int64_t>(k);
    loaded.notes.emplace_back("ids occur twice; the particles are numbered from 0 on");
  }
  return loaded;
}

std::string gadget_image(const Snapshot& snapshot) {
  const SilentErrors silent;
  const Particles& particles = snapshot.particles;
  const Handle file = file_in_memory();
  {
    const Handle header = group_in(file, kHeader);
    std::vector<std::uint32_t> counts(kWrittenTypes);
    counts[kTypeOfParticles] = static_cast<std::uint32_t>(particles.size());
    set_counts(header, "NumPart_ThisFile", counts);
    set_counts(header, "NumPart_Total", counts);
    set_counts(header, "NumPart_Total_HighWord", std::vector<std::uint32_t>(kWrittenTypes));
    set_numbers(header, "MassTable", std::vector<double>(kWrittenTypes));
    set_attribute(header, "Time", snapshot.time);
    for (const char* const zero : {"Redshift", "BoxSize", "Omega0", "OmegaLambda"}) set_attribute(header, zero, 0.0);
    set_attribute(header, "HubbleParam", 1.0);
    set_flag(header, "NumFilesPerSnapshot", 1);
    for (const char* const flag : {"Flag_Sfr", "Flag_Cooling", "Flag_StellarAge", "Flag_Metals", "Flag_Feedback"}) {
      set_flag(header, flag, 0);
    }
    set_flag(header, "Flag_DoublePrecision", 1);
    const Handle group = group_in(file, group_of_type(kTypeOfParticles));
    write_vectors(group, "Coordinates", particles.position);
    write_vectors(group, "Velocities", particles.velocity);
    write_doubles(dataset_in(group, "Masses", H5T_IEEE_F64LE, particles.size(), false), particles.mass);
    const Handle ids = dataset_in(group, "ParticleIDs", H5T_STD_I64LE, particles.size(), false);
    require(H5Dwrite(ids, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, particles.id.data()), "writing a dataset");
  }
  return bytes_of(file);
}

bool is_h5part(hid_t file) { return last_step(file).has_value(); }

LoadedSnapshot h5part_snapshot(hid_t file) {
  const std::string name = last_step(file)->second;
  const Handle step = group_of(file, name);
  LoadedSnapshot loaded;
  if (H5Aexists(step, "Time") > 0) {
    loaded.snapshot.time = attribute_of<double>(step, "Time", H5T_NATIVE_DOUBLE);
  }
  const std::vector<std::int64_t> names = ids_in(step, "032 Name");
  std::array<std::vector<double>, kColumns.size()> columns;
  for (std::size_t n = 0; n < columns.size(); ++n) {
    columns.at(n) = values_in<double>(step, kColumns.at(n), H5T_NATIVE_DOUBLE, names.size());
  }
  // A regularised pair is there as its two stars and its centre of mass, or, in older files, in datasets of its own.
  std::set<std::int64_t> centres;
  if (link_in(step, "163 Bin cm Name") == H5L_TYPE_HARD) {
    const std::vector<std::int64_t> found = ids_in(step, "163 Bin cm Name");
    centres.insert(found.begin(), found.end());
    const std::set<std::int64_t> all(names.begin(), names.end());
    for (const std::int64_t star : ids_in(step, "161 Bin Name1")) {
      if (!all.contains(star)) {
        throw Error(
            fmt::format("{}: star {} is in the datasets of binaries (101 to 165), which are not read: take a "
                        "file of NBODY6++GPU of 2021 or later, or phiGRAPE's form",
                        name, star));
      }
    }
  }
  const auto& [m, x, y, z, vx, vy, vz] = columns;
  Particles& particles = loaded.snapshot.particles;
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (centres.contains(names[k])) continue;
    append(particles, names[k], m[k], {x[k], y[k], z[k]}, {vx[k], vy[k], vz[k]});
  }
  if (particles.size() < names.size()) {
    loaded.notes.push_back(fmt::format("{} centres of mass of binaries are left out", names.size() - particles.size()));
  }
  loaded.notes.push_back(
      fmt::format("{} is in single precision; if it is in suns, parsecs and km/s, as {}'s scalars say, name "
                  "--units msun,pc,km/s",
                  name, name));
  return loaded;
}

}  // namespace gdr::hostlib
