#include "unpack.h"

#include <fmt/format.h>

#include "gdr/base/error.h"

#ifndef __EMSCRIPTEN__
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#endif

namespace gdr::hostlib {

#ifdef __EMSCRIPTEN__

std::string unpacked(std::string_view /*packed*/, Wrapping /*wrapping*/, std::optional<std::uint64_t> /*size*/,
                     const std::string& where) {
  throw Error(where + ": is compressed, and compressed files are not read in the browser: unpack it before");
}

#else

namespace {

constexpr int kLargestWindow = 15;  // of zlib's inflateInit2(), which takes the wrapping from the number, too
constexpr int kOfGzip = 16;
constexpr std::size_t kFirst = std::size_t{1} << 16;  // bytes of memory for an unknown size
// Of an unknown size. Numbers become a tenth; what becomes a thousandth is empty, or made to fill a reader's memory.
constexpr std::size_t kMostUnasked = std::size_t{1} << 30;
constexpr std::size_t kUsualExpansion = 64;

class Inflater {
 public:
  explicit Inflater(Wrapping wrapping) {
    const int window = wrapping == Wrapping::none   ? -kLargestWindow
                       : wrapping == Wrapping::gzip ? kLargestWindow + kOfGzip
                                                    : kLargestWindow;
    if (inflateInit2(&stream_, window) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  /// Unpacks from `in` to `out`, as far as one of them goes, and removes from `in` what was used. zlib's status.
  int step(std::string_view& in, char* out, std::size_t room, std::size_t& made) {
    constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
    // zlib does not write to its input, although its type says so.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    const auto given = static_cast<uInt>(std::min(in.size(), kMost));
    stream_.avail_in = given;
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    const auto space = static_cast<uInt>(std::min(room, kMost));
    stream_.avail_out = space;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    in.remove_prefix(given - stream_.avail_in);
    made = space - stream_.avail_out;
    return status;
  }
  void restart() { inflateReset(&stream_); }

 private:
  z_stream stream_{};
};

}  // namespace

std::string unpacked(std::string_view packed, Wrapping wrapping, std::optional<std::uint64_t> size,
                     const std::string& where) {
  const auto refuse = [&](std::string_view why) { throw Error(fmt::format("{}: {}", where, why)); };
  const auto refuse_size = [&] { refuse(fmt::format("the packed bytes do not make the {} bytes declared", *size)); };
  if (size && *size > most_unpacked(packed.size())) refuse_size();
  const std::size_t whole = packed.size();
  Inflater inflater(wrapping);
  // One byte more than declared shows packed bytes that make more.
  std::string bytes(size ? static_cast<std::size_t>(*size) + 1 : kFirst, '\0');
  std::size_t done = 0;
  while (true) {
    if (done == bytes.size()) {
      if (size) refuse_size();
      if (done >= std::max(kMostUnasked, kUsualExpansion * whole)) {
        refuse(
            fmt::format("{} packed bytes make more than {}, as no table or snapshot does: unpack the file before, if "
                        "you know it",
                        whole, done));
      }
      bytes.resize(2 * bytes.size());
    }
    std::size_t made = 0;
    const std::size_t before = packed.size();
    const int status = inflater.step(packed, bytes.data() + done, bytes.size() - done, made);
    done += made;
    if (status == Z_STREAM_END) {
      // Tapes and some servers fill the last block of a gzip file with zeros, which gunzip passes over, too.
      if (packed.find_first_not_of('\0') == std::string_view::npos && (packed.empty() || wrapping == Wrapping::gzip))
        break;
      if (wrapping != Wrapping::gzip) refuse("bytes follow the packed ones");
      inflater.restart();
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      refuse("the packed bytes are damaged");
    } else if (made == 0 && packed.size() == before) {
      refuse("the packed bytes end too early: is the file cut off?");
    }
  }
  if (size && done != *size) refuse_size();
  bytes.resize(done);
  return bytes;
}

#endif

}  // namespace gdr::hostlib
