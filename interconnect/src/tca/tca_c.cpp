// The C interface of the emulated boards. No exception leaves it.
#include "tca_c.h"

#include <fmt/format.h>

#include <exception>

namespace {

using gdr::interconnect::Descriptors;
using gdr::interconnect::Device;
using gdr::interconnect::TcaHandle;
using gdr::interconnect::TcaPut;

constexpr int kDone = 0;
constexpr int kRefused = 1;

std::string& error_of_open() {
  thread_local std::string error;
  return error;
}

/// Runs `call` and stores the message of what it throws.
template <class Call>
int guarded(gdr_tca* tca, Call call) {
  if (tca == nullptr) return kRefused;
  try {
    call(tca->machine);
    return kDone;
  } catch (const std::exception& error) {
    tca->error = error.what();
    return kRefused;
  }
}

Device device_of(gdr_tca_device device) {
  switch (device) {
    case GDR_TCA_HOST:
      return Device::host;
    case GDR_TCA_GPU0:
      return Device::gpu0;
    case GDR_TCA_GPU1:
      return Device::gpu1;
    case GDR_TCA_GPU2:
    case GDR_TCA_GPU3:
      throw gdr::Error(fmt::format("device GPU{} is refused: it lies beyond QPI, PEACH2 reaches GPU0 and GPU1",
                                   static_cast<int>(device) - static_cast<int>(GDR_TCA_GPU0)));
  }
  throw gdr::Error(
      fmt::format("device {} is refused: it must be GDR_TCA_HOST, _GPU0 or _GPU1", static_cast<int>(device)));
}

const std::byte* bytes_of(const void* memory) { return static_cast<const std::byte*>(memory); }
TcaHandle handle_of(gdr_tca_handle handle) { return {handle.address, handle.bytes}; }

void tell(double* place, double value) {
  if (place != nullptr) *place = value;
}

}  // namespace

int gdr_tca_open(int nodes, gdr_tca** tca) {
  if (tca == nullptr) return kRefused;
  try {
    *tca = new gdr_tca(nodes);
    return kDone;
  } catch (const std::exception& error) {
    error_of_open() = error.what();
    *tca = nullptr;
    return kRefused;
  }
}

void gdr_tca_close(gdr_tca* tca) { delete tca; }

const char* gdr_tca_error(const gdr_tca* tca) { return tca == nullptr ? error_of_open().c_str() : tca->error.c_str(); }

int gdr_tca_malloc(gdr_tca* tca, int node, gdr_tca_device device, size_t bytes, void** memory) {
  return guarded(tca, [&](auto& machine) {
    if (memory == nullptr) throw gdr::Error("memory = NULL is refused");
    *memory = machine.allocate(node, device_of(device), bytes).data();
  });
}

int gdr_tca_free(gdr_tca* tca, void* memory) {
  return guarded(tca, [&](auto& machine) { machine.release(bytes_of(memory)); });
}

int gdr_tca_pin(gdr_tca* tca, void* memory) {
  return guarded(tca, [&](auto& machine) { machine.pin(bytes_of(memory)); });
}

int gdr_tca_unpin(gdr_tca* tca, void* memory) {
  return guarded(tca, [&](auto& machine) { machine.unpin(bytes_of(memory)); });
}

int gdr_tca_create_handle(gdr_tca* tca, const void* memory, gdr_tca_handle* handle) {
  return guarded(tca, [&](auto& machine) {
    if (handle == nullptr) throw gdr::Error("handle = NULL is refused");
    const TcaHandle made = machine.handle(bytes_of(memory));
    *handle = {made.address, made.bytes};
  });
}

int gdr_tca_chain_descriptors(gdr_tca* tca, int node, int channel, gdr_tca_descriptors where) {
  return guarded(tca, [&](auto& machine) {
    machine.set_descriptors(node, channel, where == GDR_TCA_OWN_DESCRIPTORS ? Descriptors::own : Descriptors::host);
  });
}

int gdr_tca_chain_put(gdr_tca* tca, int node, int channel, gdr_tca_handle destination, uint64_t destination_offset,
                      gdr_tca_handle source, uint64_t source_offset, uint64_t bytes) {
  return gdr_tca_chain_put_blocks(tca, node, channel, destination, destination_offset, bytes, source, source_offset,
                                  bytes, bytes, 1);
}

int gdr_tca_chain_put_blocks(gdr_tca* tca, int node, int channel, gdr_tca_handle destination,
                             uint64_t destination_offset, uint64_t destination_pitch, gdr_tca_handle source,
                             uint64_t source_offset, uint64_t source_pitch, uint64_t burst, uint64_t rows) {
  return guarded(tca, [&](auto& machine) {
    machine.append(node, channel,
                   TcaPut{handle_of(destination), destination_offset, destination_pitch, handle_of(source),
                          source_offset, source_pitch, burst, rows});
  });
}

int gdr_tca_chain_clear(gdr_tca* tca, int node, int channel) {
  return guarded(tca, [&](auto& machine) { machine.clear(node, channel); });
}

int gdr_tca_start(gdr_tca* tca, int node, int channel) {
  return guarded(tca, [&](auto& machine) { machine.start(node, channel); });
}

int gdr_tca_wait(gdr_tca* tca, int node, int channel, double* seconds) {
  return guarded(tca, [&](auto& machine) { tell(seconds, machine.wait(node, channel)); });
}

int gdr_tca_wait_receive(gdr_tca* tca, int node, double* clock) {
  return guarded(tca, [&](auto& machine) { tell(clock, machine.wait_receive(node)); });
}

int gdr_tca_write(gdr_tca* tca, int node, gdr_tca_handle destination, uint64_t destination_offset, const void* data,
                  size_t bytes, double* seconds) {
  return guarded(tca, [&](auto& machine) {
    tell(seconds, machine.write(node, handle_of(destination), destination_offset, {bytes_of(data), bytes}));
  });
}

int gdr_tca_read(gdr_tca* tca, int node, gdr_tca_handle destination, uint64_t destination_offset, gdr_tca_handle source,
                 uint64_t source_offset, uint64_t bytes, double* seconds) {
  return guarded(tca, [&](auto& machine) {
    tell(seconds, machine.read_by_proxy(node, TcaPut{handle_of(destination), destination_offset, bytes,
                                                     handle_of(source), source_offset, bytes, bytes, 1}));
  });
}

int gdr_tca_drop_link(gdr_tca* tca, int a, int b) {
  return guarded(tca, [&](auto& machine) { machine.drop_link(a, b); });
}
