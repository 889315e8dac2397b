// Halo exchange over real MPI. The plan is that of the modelled machine, but MPI carries every face, also those that
// TCA carries there.
#include "gdr/interconnect/halo_mpi.h"

#include <fmt/format.h>

#include <algorithm>

#include "gdr/interconnect/reflect.h"

namespace gdr::interconnect {
namespace {

void require(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw Error(fmt::format("{}: {}", call, text.data()));
}

class MpiReflect final : public Reflect {
 public:
  MpiReflect(std::byte* block, const HaloShape& shape, HaloMethod method, MPI_Comm communicator) : block_(block) {
    int size = 0;
    require(MPI_Comm_rank(communicator, &rank_), "MPI_Comm_rank");
    require(MPI_Comm_size(communicator, &size), "MPI_Comm_size");
    shape.check();
    if (size != shape.ranks()) {
      throw Error(fmt::format("split ({}, {}, {}) is refused: it makes {} ranks, the communicator has {}",
                              shape.split[0], shape.split[1], shape.split[2], shape.ranks(), size));
    }
    if (block == nullptr) throw Error("block = NULL is refused");
    const HaloSystem system = HaloSystem::load();
    plans_ = plan_halo(shape, method, system);
    seconds_ = exchange_time(plans_, system).total;
    try {
      // Keeps the messages of this exchange apart from those of the program.
      require(MPI_Comm_dup(communicator, &communicator_), "MPI_Comm_dup");
      prepare();
    } catch (...) {
      release();
      throw;
    }
  }

  ~MpiReflect() override { release(); }

  std::byte* block(int rank) override { return rank == rank_ ? block_ : nullptr; }

  void exchange() override {
    const int count = static_cast<int>(requests_.size());
    if (count == 0) return;
    require(MPI_Startall(receives_, requests_.data()), "MPI_Startall");
    for (const StridedCopy& copy : packs_) copy.run_now();
    require(MPI_Startall(count - receives_, requests_.data() + receives_), "MPI_Startall");
    require(MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    for (const StridedCopy& copy : unpacks_) copy.run_now();
  }

 private:
  void prepare() {
    const std::vector<HaloDirection>& directions = plans_.ranks[static_cast<std::size_t>(rank_)].directions;
    const std::size_t element = plans_.shape.element_bytes;
    // All buffers are allocated first, because requests keep their addresses.
    std::size_t bytes = 0;
    for (const HaloDirection& d : directions) bytes += packs(d) ? 2 * static_cast<std::size_t>(d.bytes) : 0;
    buffer_.resize(bytes);
    std::byte* free = buffer_.data();
    std::vector<std::byte*> out;
    for (const HaloDirection& d : directions) {
      std::byte* in = block_ + static_cast<std::size_t>(d.receive.offset) * element;
      out.push_back(block_ + static_cast<std::size_t>(d.send.offset) * element);
      if (packs(d)) {
        out.back() = free;
        in = free + d.bytes;
        free += 2 * d.bytes;
        packs_.push_back(pack_copy(out.back(), block_, d.send, element));
        unpacks_.push_back(unpack_copy(block_, in, d.receive, element));
      }
      MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
      require(MPI_Recv_init(in, count_of(d), MPI_BYTE, d.peer, tag(d.dimension, -d.side), communicator_, &request),
              "MPI_Recv_init");
    }
    receives_ = static_cast<int>(requests_.size());
    for (std::size_t i = 0; i < directions.size(); ++i) {
      const HaloDirection& d = directions[i];
      MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
      require(MPI_Send_init(out[i], count_of(d), MPI_BYTE, d.peer, tag(d.dimension, d.side), communicator_, &request),
              "MPI_Send_init");
    }
  }

  /// MPI carries every face here, so rows always go through a buffer.
  static bool packs(const HaloDirection& d) { return d.pattern != Pattern::block; }
  /// Tag of the message that leaves on `side`.
  static int tag(int dimension, int side) { return 2 * dimension + (side > 0 ? 1 : 0); }

  static int count_of(const HaloDirection& d) {
    constexpr std::int64_t kMost = 2147483647;
    if (d.bytes > kMost) throw Error(fmt::format("a face of {} bytes is refused: MPI counts to {}", d.bytes, kMost));
    return static_cast<int>(d.bytes);
  }

  void release() {
    for (MPI_Request& request : requests_) {
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
    if (communicator_ != MPI_COMM_NULL) MPI_Comm_free(&communicator_);
  }

  std::byte* block_;
  int rank_ = 0;
  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::vector<std::byte> buffer_;
  std::vector<StridedCopy> packs_;
  std::vector<StridedCopy> unpacks_;
  std::vector<MPI_Request> requests_;  // receives, then sends
  int receives_ = 0;
};

}  // namespace
}  // namespace gdr::interconnect

int gdr_reflect_init_mpi(void* block, const gdr_halo_shape* shape, gdr_halo_method method, MPI_Comm communicator,
                         gdr_reflect** reflect) {
  if (shape == nullptr || reflect == nullptr) {
    gdr::interconnect::set_init_error("shape or reflect = NULL is refused");
    return 1;
  }
  try {
    *reflect = nullptr;
    *reflect = gdr::interconnect::reflect_for_c(std::make_unique<gdr::interconnect::MpiReflect>(
        static_cast<std::byte*>(block), gdr::interconnect::shape_of(*shape), gdr::interconnect::method_of(method),
        communicator));
    return 0;
  } catch (const std::exception& error) {
    gdr::interconnect::set_init_error(error.what());
    return 1;
  }
}
