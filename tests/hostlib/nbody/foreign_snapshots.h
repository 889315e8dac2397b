// Snapshots of other codes, written by what their pages say.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gdr/base/file.h"
#include "gdr/hostlib/plummer.h"
#include "gdr/hostlib/snapshot.h"
#include "nbody/nbody_testing.h"

namespace gdr::hostlib::testing {

/// Bytes of numbers in the host's order, or swapped.
class Bytes {
 public:
  explicit Bytes(bool swapped = false) : swapped_(swapped) {}
  template <class Number>
  Bytes& add(Number number) {
    char held[sizeof(Number)];
    std::memcpy(held, &number, sizeof(Number));
    for (std::size_t k = 0; k < sizeof(Number); ++k) text_ += held[swapped_ ? sizeof(Number) - 1 - k : k];
    return *this;
  }
  Bytes& text(const std::string& text) {
    text_ += text;
    return *this;
  }
  /// A Fortran record of what `fill` adds.
  Bytes& record(const std::function<void(Bytes&)>& fill) {
    Bytes inside(swapped_);
    fill(inside);
    const auto size = static_cast<std::int32_t>(inside.text_.size());
    return add(size).text(inside.text_).add(size);
  }
  [[nodiscard]] const std::string& str() const { return text_; }

 private:
  bool swapped_;
  std::string text_;
};

/// Eight bodies whose numbers are those of single precision, so that all forms hold them exactly.
inline Particles bodies() {
  Particles p = make_plummer(8, 3);
  const auto single = [](Vec3& v) { v = {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)}; };
  for (double& mass : p.mass) mass = 0.125;
  for (Vec3& x : p.position) single(x);
  for (Vec3& v : p.velocity) single(v);
  return p;
}

inline std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

inline std::string vector(const Vec3& v) { return number(v.x) + ' ' + number(v.y) + ' ' + number(v.z); }

inline LoadedSnapshot loaded_text(const std::string& content) {
  const ScratchDirectory directory;
  base::write_file(directory / "in", content);
  return load_snapshot(directory / "in");
}

/// The header's fields that tell whether the particles are all, and what their numbers mean [Springel 2005, Gadget-2
/// users' guide, table 4].
struct GadgetFields {
  double time = 1.5;
  double redshift = 0;
  std::vector<std::int32_t> totals{0, 0, 0, 0, 0, 0};
  std::int32_t files = 0;
  double omega0 = 0;
  double hubble = 0;
};

inline std::string gadget(bool swapped, bool named, const GadgetFields& fields = {},
                          const std::vector<std::string>& order = {"POS ", "VEL ", "ID  ", "MASS"}) {
  const Particles p = bodies();
  Bytes out(swapped);
  const auto block = [&](const std::string& name, const std::function<void(Bytes&)>& fill) {
    Bytes content(swapped);
    fill(content);
    if (named) {
      out.record([&](Bytes& in) { in.text(name).add(static_cast<std::int32_t>(content.str().size() + 8)); });
    }
    out.record([&](Bytes& in) { in.text(content.str()); });
  };
  block("HEAD", [&](Bytes& in) {
    for (const int count : {0, 5, 0, 0, 3, 0}) in.add(std::int32_t{count});
    for (const double mass : {0.0, 0.125, 0.0, 0.0, 0.0, 0.0}) in.add(mass);
    in.add(fields.time).add(fields.redshift).add(std::int32_t{0}).add(std::int32_t{0});
    for (const std::int32_t total : fields.totals) in.add(total);
    in.add(std::int32_t{0}).add(fields.files);
    for (const double number : {0.0, fields.omega0, 0.0, fields.hubble}) in.add(number);
    while (in.str().size() < 256) in.text(std::string(1, '\0'));
  });
  const auto vectors = [&](const std::vector<Vec3>& of) {
    return [&of](Bytes& in) {
      for (const Vec3& v : of)
        in.add(static_cast<float>(v.x)).add(static_cast<float>(v.y)).add(static_cast<float>(v.z));
    };
  };
  const std::map<std::string, std::function<void(Bytes&)>> blocks{
      {"POS ", vectors(p.position)},
      {"VEL ", vectors(p.velocity)},
      {"ID  ",
       [&](Bytes& in) {
         for (const std::int64_t id : p.id) in.add(static_cast<std::uint32_t>(id));
       }},
      {"MASS",
       [&](Bytes& in) {
         for (int k = 0; k < 3; ++k) in.add(0.125F);
       }},
      {"ACCE", vectors(p.velocity)},
      {"POT ",
       [&](Bytes& in) {
         for (int k = 0; k < 8; ++k) in.add(-1.0F);
       }},
      {"INFO", [](Bytes& in) { in.text(std::string(40, 'x')); }}};
  for (const std::string& name : order) block(name, blocks.at(name));
  return out.str();
}

/// A set SnapShot of NEMO's files. What is empty is left out.
struct NemoSet {
  double time = 0;
  std::vector<float> mass{};
  std::vector<std::int32_t> keys{};
  std::vector<Vec3> positions{};
  std::vector<Vec3> velocities{};
  bool in_phases = true;
};

inline std::string nemo_of(const std::vector<NemoSet>& sets, bool swapped = false) {
  Bytes out(swapped);
  const auto item = [&](bool plural, const std::string& type, const std::string& tag) -> Bytes& {
    return out.add(static_cast<std::uint16_t>(plural ? 0x0b92 : 0x0992)).text(type + '\0' + tag + '\0');
  };
  const auto array = [&](const std::string& type, const std::string& tag, const std::vector<std::size_t>& extents) {
    item(true, type, tag);
    for (const std::size_t extent : extents) out.add(static_cast<std::int32_t>(extent));
    out.add(std::int32_t{0});
  };
  const auto end = [&] { out.add(std::uint16_t{0x0992}).text(std::string(")\0", 2)); };
  const auto vector = [&](const Vec3& v) { out.add(v.x).add(v.y).add(v.z); };
  item(true, "c", "History").add(std::int32_t{5}).add(std::int32_t{0}).text(std::string("mkpl\0", 5));
  for (const NemoSet& set : sets) {
    const std::size_t n = set.positions.size();
    item(false, "(", "SnapShot");
    item(false, "(", "Parameters");
    item(false, "i", "Nobj").add(std::int32_t{8});
    item(false, "d", "Time").add(set.time);
    end();
    item(false, "(", "Particles");
    item(false, "i", "CoordSystem").add(std::int32_t{66306});
    if (!set.mass.empty()) array("f", "Mass", {set.mass.size()});
    for (const float mass : set.mass) out.add(mass);
    if (!set.keys.empty()) array("i", "Key", {set.keys.size()});
    for (const std::int32_t key : set.keys) out.add(key);
    if (n > 0 && set.in_phases) {
      array("d", "PhaseSpace", {n, 2, 3});
      for (std::size_t i = 0; i < n; ++i) {
        vector(set.positions[i]);
        vector(set.velocities[i]);
      }
    } else if (n > 0) {
      array("d", "Position", {n, 3});
      for (const Vec3& x : set.positions) vector(x);
      array("d", "Velocity", {set.velocities.size(), 3});
      for (const Vec3& v : set.velocities) vector(v);
    }
    end();
    end();
  }
  return out.str();
}

inline NemoSet nemo_set(double time, bool in_phases = true) {
  const Particles p = bodies();
  return {time, std::vector<float>(p.size(), 0.125F), {}, p.position, p.velocity, in_phases};
}

/// The first two bodies under a node of their own.
inline std::string starlab() {
  const Particles p = bodies();
  const Vec3 shift{0.5, -0.25, 2.0};
  const auto node = [](int i, double m, const Vec3& x, const Vec3& v) {
    return "(Particle\n  i = " + std::to_string(i) + "\n  N = 1\n(Log\n)Log\n(Dynamics\n  m  =  " + number(m) +
           "\n  r  =  " + vector(x) + "\n  v  =  " + vector(v) + "\n)Dynamics\n(Hydro\n)Hydro\n(Star\n)Star\n";
  };
  std::string text =
      "(Particle\n  N = 8\n(Log\n)Log\n(Dynamics\n  system_time  =  1.5\n  m  =  1\n  r  =  0 0 0\n"
      "  v  =  0 0 0\n)Dynamics\n" +
      node(100, 0.25, shift, shift);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool inside = i < 2;
    text += node(static_cast<int>(p.id[i]), p.mass[i], inside ? p.position[i] - shift : p.position[i],
                 inside ? p.velocity[i] - shift : p.velocity[i]) +
            ")Particle\n";
    if (i == 1) text += ")Particle\n";
  }
  return text + ")Particle\n";
}

}  // namespace gdr::hostlib::testing
