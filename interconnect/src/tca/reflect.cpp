// The modelled transport, which moves real bytes between emulated nodes, and the C interface.
#include "gdr/interconnect/reflect.h"

#include <fmt/format.h>

#include <cstring>

#include "tca_c.h"

namespace gdr::interconnect {

namespace {

/// If the compiler knows the size of a row, each row becomes one load and one store.
template <std::size_t Run>
void copy_rows(std::byte* to, std::size_t to_pitch, const std::byte* from, std::size_t from_pitch, std::size_t rows) {
  for (std::size_t row = 0; row < rows; ++row) std::memcpy(to + row * to_pitch, from + row * from_pitch, Run);
}

}  // namespace

void StridedCopy::run_now() const {
  for (std::size_t o = 0; o < outer; ++o) {
    std::byte* t = to + o * to_outer_pitch;
    const std::byte* f = from + o * from_outer_pitch;
    switch (run) {
      case sizeof(float):
        copy_rows<sizeof(float)>(t, to_inner_pitch, f, from_inner_pitch, inner);
        break;
      case sizeof(double):
        copy_rows<sizeof(double)>(t, to_inner_pitch, f, from_inner_pitch, inner);
        break;
      default:
        for (std::size_t i = 0; i < inner; ++i) std::memcpy(t + i * to_inner_pitch, f + i * from_inner_pitch, run);
    }
  }
}

namespace {

struct Pitches {
  std::size_t inner = 0;
  std::size_t outer = 0;
};

std::size_t in_bytes(std::int64_t elements, std::size_t element_bytes) {
  return static_cast<std::size_t>(elements) * element_bytes;
}

Pitches pitches_of(const HaloRegion& region, std::size_t element_bytes) {
  return {in_bytes(region.inner_pitch, element_bytes), in_bytes(region.outer_pitch, element_bytes)};
}

Pitches contiguous(const HaloRegion& region, std::size_t element_bytes) {
  return {in_bytes(region.run, element_bytes), in_bytes(region.run * region.inner, element_bytes)};
}

StridedCopy copy_of(std::byte* to, Pitches to_pitches, const std::byte* from, Pitches from_pitches,
                    const HaloRegion& region, std::size_t element_bytes) {
  return {to,
          from,
          in_bytes(region.run, element_bytes),
          static_cast<std::size_t>(region.inner),
          to_pitches.inner,
          from_pitches.inner,
          static_cast<std::size_t>(region.outer),
          to_pitches.outer,
          from_pitches.outer};
}

}  // namespace

StridedCopy pack_copy(std::byte* buffer, const std::byte* block, const HaloRegion& region, std::size_t element_bytes) {
  return copy_of(buffer, contiguous(region, element_bytes), block + in_bytes(region.offset, element_bytes),
                 pitches_of(region, element_bytes), region, element_bytes);
}

StridedCopy unpack_copy(std::byte* block, const std::byte* buffer, const HaloRegion& region,
                        std::size_t element_bytes) {
  return copy_of(block + in_bytes(region.offset, element_bytes), pitches_of(region, element_bytes), buffer,
                 contiguous(region, element_bytes), region, element_bytes);
}

StridedCopy face_copy(std::byte* to, const HaloRegion& to_region, const std::byte* from, const HaloRegion& from_region,
                      std::size_t element_bytes) {
  return copy_of(to + in_bytes(to_region.offset, element_bytes), pitches_of(to_region, element_bytes),
                 from + in_bytes(from_region.offset, element_bytes), pitches_of(from_region, element_bytes),
                 from_region, element_bytes);
}

namespace {

class ModelledReflect final : public Reflect {
 public:
  ModelledReflect(TcaMachine& machine, const HaloShape& shape, HaloMethod method) : machine_(machine) {
    plan(shape, method);
    const auto bytes = in_bytes(shape.block_elements(), shape.element_bytes);
    try {
      for (const int node : plans_.nodes) blocks_.push_back(machine_.allocate(node, Device::gpu0, bytes).data());
      prepare();
    } catch (...) {
      release();
      throw;
    }
  }

  ~ModelledReflect() override { release(); }

  std::byte* block(int rank) override {
    const bool known = rank >= 0 && static_cast<std::size_t>(rank) < blocks_.size();
    return known ? blocks_[static_cast<std::size_t>(rank)] : nullptr;
  }

  void exchange() override {
    if (machine_.sub_cluster().dropped_links().size() != dropped_) replan();
    for (const StridedCopy& copy : packs_) copy.run_now();
    for (const StridedCopy& copy : transfers_) copy.run_now();
    for (const StridedCopy& copy : unpacks_) copy.run_now();
  }

 private:
  void plan(const HaloShape& shape, HaloMethod method) {
    HaloSystem system{load_peach2(), machine_.cluster(), machine_.sub_cluster(), machine_.sub_cluster().nodes()};
    plans_ = plan_halo(shape, method, system);
    seconds_ = exchange_time(plans_, system).total;
    dropped_ = machine_.sub_cluster().dropped_links().size();
  }

  void replan() {
    const HaloShape shape = plans_.shape;
    const HaloMethod method = plans_.method;
    plan(shape, method);
    release_buffers();
    prepare();
  }

  /// Allocates buffers and lists what to copy: faces to buffers, over the network, buffers to halos. TCA's copies are
  /// also checked as descriptors.
  void prepare() {
    for (std::size_t rank = 0; rank < blocks_.size(); ++rank) {
      std::vector<TcaPut> puts;
      for (const HaloDirection& d : plans_.ranks[rank].directions) {
        const auto peer = static_cast<std::size_t>(d.peer);
        const std::size_t element = plans_.shape.element_bytes;
        // The face arrives in the halo that this rank's neighbour has on its opposite side.
        const HaloRegion& halo = opposite(d).receive;
        if (d.packed) {
          std::byte* out = buffer(plans_.nodes[rank], d.bytes);
          std::byte* in = buffer(plans_.nodes[peer], d.bytes);
          packs_.push_back(pack_copy(out, blocks_[rank], d.send, element));
          transfers_.push_back({in, out, static_cast<std::size_t>(d.bytes)});
          unpacks_.push_back(unpack_copy(blocks_[peer], in, halo, element));
          if (d.carrier == Carrier::tca) puts.push_back(contiguous_put(in, out, d.bytes));
        } else {
          transfers_.push_back(face_copy(blocks_[peer], halo, blocks_[rank], d.send, element));
          if (d.carrier == Carrier::tca) add_puts(puts, blocks_[peer], halo, blocks_[rank], d.send, element);
        }
      }
      machine_.check(plans_.nodes[rank], puts);
    }
  }

  [[nodiscard]] const HaloDirection& opposite(const HaloDirection& d) const {
    for (const HaloDirection& other : plans_.ranks[static_cast<std::size_t>(d.peer)].directions) {
      if (other.dimension == d.dimension && other.side == -d.side) return other;
    }
    GDR_ASSERT(false, "neighbours see each other");
  }

  [[nodiscard]] TcaPut contiguous_put(const std::byte* to, const std::byte* from, std::int64_t bytes) const {
    const auto size = static_cast<std::uint64_t>(bytes);
    return {machine_.handle(to), 0, size, machine_.handle(from), 0, size, size, 1};
  }

  void add_puts(std::vector<TcaPut>& puts, const std::byte* to, const HaloRegion& to_region, const std::byte* from,
                const HaloRegion& from_region, std::size_t element) const {
    const Pitches to_pitches = pitches_of(to_region, element);
    const Pitches from_pitches = pitches_of(from_region, element);
    for (std::int64_t o = 0; o < from_region.outer; ++o) {
      const auto step = static_cast<std::size_t>(o);
      puts.push_back({machine_.handle(to), in_bytes(to_region.offset, element) + step * to_pitches.outer,
                      to_pitches.inner, machine_.handle(from),
                      in_bytes(from_region.offset, element) + step * from_pitches.outer, from_pitches.inner,
                      in_bytes(from_region.run, element), static_cast<std::uint64_t>(from_region.inner)});
    }
  }

  std::byte* buffer(int node, std::int64_t bytes) {
    buffers_.push_back(machine_.allocate(node, Device::gpu0, static_cast<std::size_t>(bytes)).data());
    return buffers_.back();
  }

  void release_buffers() {
    for (const std::byte* memory : buffers_) machine_.release(memory);
    buffers_.clear();
    packs_.clear();
    transfers_.clear();
    unpacks_.clear();
  }

  void release() {
    release_buffers();
    for (const std::byte* memory : blocks_) machine_.release(memory);
    blocks_.clear();
  }

  TcaMachine& machine_;
  std::vector<std::byte*> blocks_;   // by rank
  std::vector<std::byte*> buffers_;  // for packed faces
  std::vector<StridedCopy> packs_;
  std::vector<StridedCopy> transfers_;
  std::vector<StridedCopy> unpacks_;
  std::size_t dropped_ = 0;  // number of dropped links when the plan was made
};

std::string& init_error() {
  thread_local std::string error;
  return error;
}

}  // namespace

std::unique_ptr<Reflect> reflect_modelled(TcaMachine& machine, const HaloShape& shape, HaloMethod method) {
  return std::make_unique<ModelledReflect>(machine, shape, method);
}

HaloShape shape_of(const gdr_halo_shape& shape) {
  HaloShape made;
  for (std::size_t d = 0; d < kHaloDimensions; ++d) {
    made.extent[d] = shape.extent[d];
    made.split[d] = shape.split[d];
    made.width[d] = shape.width[d];
  }
  made.element_bytes = shape.element_bytes;
  return made;
}

HaloMethod method_of(gdr_halo_method method) {
  switch (method) {
    case GDR_HALO_TCA:
      return HaloMethod::tca;
    case GDR_HALO_MV2GDR:
      return HaloMethod::mv2gdr;
    case GDR_HALO_HYBRID:
      return HaloMethod::hybrid;
  }
  throw Error(fmt::format("method {} is refused: it must be one of gdr_halo_method", static_cast<int>(method)));
}

void set_init_error(const std::string& error) { init_error() = error; }

}  // namespace gdr::interconnect

struct gdr_reflect {
  std::unique_ptr<gdr::interconnect::Reflect> transport;
  std::string error;
  std::string description;
};

gdr_reflect* gdr::interconnect::reflect_for_c(std::unique_ptr<Reflect> transport) {
  return new gdr_reflect{std::move(transport), {}, {}};
}

int64_t gdr_halo_block_elements(const gdr_halo_shape* shape) {
  if (shape == nullptr) return 0;
  try {
    const gdr::interconnect::HaloShape made = gdr::interconnect::shape_of(*shape);
    made.check();
    return made.block_elements();
  } catch (const std::exception& error) {
    gdr::interconnect::set_init_error(error.what());
    return 0;
  }
}

int gdr_reflect_init(gdr_tca* tca, const gdr_halo_shape* shape, gdr_halo_method method, gdr_reflect** reflect) {
  if (tca == nullptr || shape == nullptr || reflect == nullptr) {
    gdr::interconnect::set_init_error("tca, shape or reflect = NULL is refused");
    return 1;
  }
  try {
    *reflect = nullptr;
    *reflect = gdr::interconnect::reflect_for_c(gdr::interconnect::reflect_modelled(
        tca->machine, gdr::interconnect::shape_of(*shape), gdr::interconnect::method_of(method)));
    return 0;
  } catch (const std::exception& error) {
    gdr::interconnect::set_init_error(error.what());
    return 1;
  }
}

void* gdr_reflect_block(gdr_reflect* reflect, int rank) {
  return reflect == nullptr ? nullptr : reflect->transport->block(rank);
}

int gdr_reflect_do(gdr_reflect* reflect) {
  if (reflect == nullptr) return 1;
  try {
    reflect->transport->exchange();
    return 0;
  } catch (const std::exception& error) {
    reflect->error = error.what();
    return 1;
  }
}

double gdr_reflect_seconds(const gdr_reflect* reflect) {
  return reflect == nullptr ? 0 : reflect->transport->seconds();
}

const char* gdr_reflect_describe(gdr_reflect* reflect, int rank) {
  if (reflect == nullptr) return "";
  try {
    reflect->description = gdr::interconnect::describe(reflect->transport->plans(), rank);
  } catch (const std::exception& error) {
    reflect->description = error.what();
  }
  return reflect->description.c_str();
}

const char* gdr_reflect_error(const gdr_reflect* reflect) {
  return reflect == nullptr ? gdr::interconnect::init_error().c_str() : reflect->error.c_str();
}

void gdr_reflect_free(gdr_reflect* reflect) { delete reflect; }
