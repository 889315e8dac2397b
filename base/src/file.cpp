// Reading, atomic writing and appending of files. Uses POSIX calls, since the streams of the standard library give no
// reasons for errors.
#include "gdr/base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gdr/base/error.h"
#include "gdr/base/file_kind.h"
#include "gdr/base/line_reader.h"
#include "gdr/base/nearest.h"
#include "gdr/base/own_files.h"

namespace gdr::base {
namespace {

/// Number of links in a row that Linux follows.
constexpr int kMostLinks = 40;

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what, int reason = errno) {
  throw Error(fmt::format("{}: cannot be {}: {}", path.string(), what, std::strerror(reason)));
}

/// "; did you mean 'NAME'?" for a file of a similar name beside one that is not there, or an empty text.
std::string meant(const std::filesystem::path& path) {
  constexpr std::size_t kMostNames = 10'000;  // more would take longer than the message is worth
  const std::filesystem::path folder = path.parent_path();
  std::error_code none;
  std::vector<std::string> names;
  std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, none);
  for (; !none && entry != std::filesystem::directory_iterator(); entry.increment(none)) {
    if (names.size() == kMostNames) return "";
    names.push_back(entry->path().filename().string());
  }
  std::ranges::sort(names);
  const std::optional<std::string> name = nearest(path.filename().string(), names);
  return name ? fmt::format("; did you mean '{}'?", (folder / *name).string()) : "";
}

/// An open file. close() tells whether everything written has arrived, so it is called explicitly where that matters.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  [[nodiscard]] bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

/// Repeats a call that a signal interrupted.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = uninterrupted([&] { return write(descriptor, content.data(), content.size()); });
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool synchronised(int descriptor) {
  return uninterrupted([&] { return fsync(descriptor); }) == 0;
}

std::optional<struct stat> status_of(const std::filesystem::path& path) {
  struct stat status{};
  if (stat(path.c_str(), &status) == 0) return status;
  return std::nullopt;
}

/// Follows symbolic links to a file that need not exist. Throws gdr::Error for links that form a loop.
std::filesystem::path target_of(std::filesystem::path path) {
  for (int followed = 0; followed < kMostLinks; ++followed) {
    std::error_code error;
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) return path;  // not a link
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  fail(path, "written", ELOOP);
}

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

void refuse_read_only(const std::filesystem::path& path, const struct stat& status) {
  if ((status.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0) fail(path, "written", EACCES);
}

/// For pipes, terminals and other devices, which cannot be replaced.
void write_in_place(const std::filesystem::path& path, std::string_view content) {
  Descriptor file(uninterrupted([&] { return open(path.c_str(), O_WRONLY | O_CLOEXEC); }));
  if (!file.valid()) fail(path, "written");
  if (!write_all(file.number(), content) || !file.close()) fail(path, "written");
}

// NAME.gdr-PID-NUMBER.tmp, which no user gives to a file. NAME.2024-01-31.tmp might be anybody's.
constexpr std::string_view kTemporary = ".tmp";
constexpr std::string_view kOurs = ".gdr-";

/// What temporary files of `name` begin with: most of it, since a file system takes 255 bytes. Ends with a whole
/// character of UTF-8.
std::string_view beginning_of(std::string_view name) {
  constexpr std::size_t kMost = 200;  // bytes
  if (name.size() <= kMost) return name;
  std::size_t end = kMost;
  while (end > 1 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;
  return name.substr(0, end);
}

/// A name beside `path` that no other thread or process uses.
std::filesystem::path temporary_beside(const std::filesystem::path& path) {
  static std::atomic<unsigned> count{0};
  const std::string name = path.filename().string();
  // Not by replace_filename(), which crashes in GCC's library if memory is exhausted.
  return path.parent_path() /
         fmt::format("{}{}{}-{}{}", beginning_of(name), kOurs, getpid(), count.fetch_add(1), kTemporary);
}

/// True for a temporary file whose name begins with `name` and that nobody writes any more, since its process was
/// killed.
bool abandoned(const std::filesystem::path& temporary, std::string_view name) {
  constexpr time_t kOldEnough = 60;  // seconds; a writer gives up the lock of its file just before it renames the file
  const std::string own = temporary.filename().string();
  std::string_view rest = own;
  if (!rest.starts_with(name)) return false;
  rest.remove_prefix(name.size());
  if (!rest.starts_with(kOurs) || !rest.ends_with(kTemporary)) return false;
  rest = rest.substr(kOurs.size(), rest.size() - kOurs.size() - kTemporary.size());
  const auto is_number = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::size_t dash = rest.find('-');
  if (dash == std::string_view::npos || !is_number(rest.substr(0, dash)) || !is_number(rest.substr(dash + 1))) {
    return false;
  }
  const std::optional<struct stat> status = status_of(temporary);
  if (!status || !S_ISREG(status->st_mode) || time(nullptr) - status->st_mtime < kOldEnough) return false;
  const Descriptor file(open(temporary.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  return file.valid() && flock(file.number(), LOCK_EX | LOCK_NB) == 0;
}

/// Uses POSIX calls, since the standard library's iterator over a folder ends the process if memory runs out.
void remove_abandoned_beside(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::filesystem::path folder = folder_of(path);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  if (entries == nullptr) return;
  while (const dirent* const entry = readdir(entries.get())) {
    const std::filesystem::path temporary = folder / entry->d_name;
    if (abandoned(temporary, beginning_of(name))) unlink(temporary.c_str());
  }
}

/// A new file in the folder of `path`. It has no name if the file system supports such files, so that nothing is left
/// of it if the process is killed; else its name is `name`.
struct NewFile {
  Descriptor file;
  std::filesystem::path name;
  bool named = false;
};

std::optional<NewFile> nameless_file_beside(const std::filesystem::path& path) {
  const std::filesystem::path folder = folder_of(path);
  const int nameless = uninterrupted([&] { return open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666); });
  if (nameless < 0) return std::nullopt;
  return NewFile{Descriptor(nameless), temporary_beside(path), false};
}

NewFile named_file_beside(const std::filesystem::path& path) {
  std::filesystem::path name = temporary_beside(path);
  const int named = uninterrupted([&] { return open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666); });
  if (named < 0) fail(path, "written");
  return {Descriptor(named), std::move(name), true};
}

bool fill(const NewFile& fresh, std::string_view content, std::optional<mode_t> mode) {
  const int descriptor = fresh.file.number();
  // Not every file system has locks. Without them, only its age shows whether a file is still in use.
  static_cast<void>(flock(descriptor, LOCK_EX | LOCK_NB));
  return write_all(descriptor, content) && (!mode || fchmod(descriptor, *mode) == 0) && synchronised(descriptor);
}

/// Gives a file its name. False where that cannot be done: without /proc, for example.
bool name_file(NewFile& fresh) {
  const std::string link = fmt::format("/proc/self/fd/{}", fresh.file.number());
  fresh.named = linkat(AT_FDCWD, link.c_str(), AT_FDCWD, fresh.name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  return fresh.named;
}

void replace(
    const std::filesystem::path& path, std::string_view content, std::optional<mode_t> mode,
    const std::function<void()>& before_replacing = [] {}) {
  remove_abandoned_beside(path);
  std::optional<NewFile> nameless = nameless_file_beside(path);
  bool done = nameless && fill(*nameless, content, mode);
  if (nameless && !done) fail(path, "written");
  const bool named = done && name_file(*nameless);
  constexpr std::array kNoWayToName{ENOENT, ENOTDIR, EACCES, EPERM, ENOSYS};  // unlike a disk that is full
  if (done && !named && std::ranges::find(kNoWayToName, errno) == kNoWayToName.end()) fail(path, "written");
  NewFile fresh = named ? *std::move(nameless) : named_file_beside(path);
  done = (named || fill(fresh, content, mode)) && fresh.file.close();
  if (done) {
    try {
      before_replacing();
    } catch (...) {
      unlink(fresh.name.c_str());
      throw;
    }
  }
  done = done && std::rename(fresh.name.c_str(), path.c_str()) == 0;
  if (!done) {
    const int reason = errno;
    if (fresh.named) unlink(fresh.name.c_str());
    fail(path, "written", reason);
  }
  // The new name must also survive a loss of power, so the folder is synchronised. If it cannot be opened for reading,
  // the file is kept without that.
  const Descriptor folder(open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.valid()) static_cast<void>(synchronised(folder.number()));
}

/// A regular file that an output is or will be.
struct WrittenFile {
  const NamedFile* output;
  std::filesystem::path path;   // as it is named
  std::filesystem::path place;  // without links and dots, so that equal places are one file
  std::optional<struct stat> status;
};

std::filesystem::path place_of(const std::filesystem::path& path, std::error_code& failed) {
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, failed), failed);
}

/// A path that cannot be followed is left out; the reason is reported when it is written to.
void add_written(std::vector<WrittenFile>& files, const NamedFile& output, const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::path place = place_of(target_of(path), failed);
  const std::optional<struct stat> status = status_of(place);
  if (failed || (status && !S_ISREG(status->st_mode))) return;
  files.push_back({&output, path, std::move(place), status});
}

/// What is before the ending, and the ending as it is written.
std::pair<std::string, std::string> parts_of_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const std::size_t end = name.size() - ending_of(path).size();
  return {name.substr(0, end), name.substr(end)};
}

constexpr std::size_t kLeastDigits = 4;  // of numbered_path()

bool has_number_of(const std::string& name, const std::filesystem::path& path) {
  const auto [stem, end] = parts_of_name(path);
  const std::string begin = stem + "-";
  if (name.size() < begin.size() + kLeastDigits + end.size()) return false;
  if (!name.starts_with(begin) || !name.ends_with(end)) return false;
  const std::string_view digits = std::string_view(name).substr(begin.size(), name.size() - begin.size() - end.size());
  return std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
}

/// True if `place` is a file that numbered_path() gives for `path` and some number, whether it exists or not.
bool is_numbered(const std::filesystem::path& place, const std::filesystem::path& path) {
  std::error_code failed;
  return has_number_of(place.filename().string(), path) && place.parent_path() == place_of(folder_of(path), failed);
}

/// The files that numbered_path() gives for `path` and that exist, some perhaps as links to others.
std::vector<std::filesystem::path> numbered_files(const std::filesystem::path& path) {
  std::vector<std::filesystem::path> files;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder_of(path).c_str()), closedir);
  while (const dirent* const entry = entries == nullptr ? nullptr : readdir(entries.get())) {
    if (has_number_of(entry->d_name, path)) files.push_back(path.parent_path() / entry->d_name);
  }
  return files;
}

std::vector<WrittenFile> written_files(std::span<const NamedFile> outputs) {
  std::vector<WrittenFile> files;
  for (const NamedFile& output : outputs) {
    if (output.path.empty()) continue;
    if (output.numbered) {
      for (const std::filesystem::path& path : numbered_files(output.path)) add_written(files, output, path);
    } else {
      add_written(files, output, output.path);
    }
  }
  return files;
}

bool is_same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

[[noreturn]] void refuse_two_outputs(const std::filesystem::path& path, const NamedFile& one, const NamedFile& other) {
  throw Error(fmt::format("{}: named for two outputs, of which one would replace the other: {} and {}", path.string(),
                          one.by, other.by));
}

/// An awaited file and the outputs, none of which may be it: the program would take its own output for the other's
/// file.
void refuse_awaited_output(const NamedFile& awaited, std::span<const NamedFile> outputs,
                           std::span<const WrittenFile> files) {
  std::vector<WrittenFile> later;
  add_written(later, awaited, awaited.path);
  for (const WrittenFile& file : later) {
    const auto refuse = [&](const NamedFile& output) {
      throw Error(fmt::format("{}: named for an output and for a file that another program makes: {} and {}",
                              awaited.path.string(), output.by, awaited.by));
    };
    for (const WrittenFile& output : files) {
      const bool is_same = file.status && output.status && is_same_file(*file.status, *output.status);
      if (is_same || file.place == output.place) refuse(*output.output);
    }
    for (const NamedFile& output : outputs) {
      if (output.numbered && is_numbered(file.place, output.path)) refuse(output);
    }
  }
}

/// The files that expect_outputs() named and write_file() has not yet replaced.
class ExpectedOutputs {
 public:
  void add(const struct stat& file) {
    const std::scoped_lock lock(mutex_);
    files_.emplace_back(file.st_dev, file.st_ino);
  }
  void forget(const struct stat& file) {
    const std::scoped_lock lock(mutex_);
    std::erase(files_, std::pair(file.st_dev, file.st_ino));
  }
  void refuse(const std::filesystem::path& input, const struct stat& file) {
    const std::scoped_lock lock(mutex_);
    if (std::ranges::find(files_, std::pair(file.st_dev, file.st_ino)) == files_.end()) return;
    throw Error(fmt::format("{}: read as an input, and named for an output, which would replace it", input.string()));
  }

 private:
  std::mutex mutex_;
  std::vector<std::pair<dev_t, ino_t>> files_;
};

ExpectedOutputs& expected_outputs() {
  static ExpectedOutputs files;
  return files;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  const Descriptor file(uninterrupted([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (!file.valid()) {
    if (errno == ENOENT)
      throw Error(fmt::format("{}: cannot be read: {}{}", path.string(), std::strerror(ENOENT), meant(path)));
    fail(path, "read");
  }
  struct stat status{};
  if (fstat(file.number(), &status) != 0) fail(path, "read");
  if (S_ISDIR(status.st_mode)) fail(path, "read", EISDIR);
  expected_outputs().refuse(path, status);
  std::string content;
  std::size_t filled = 0;
  // Pipes, and files that report size 0, are read in pieces of this size.
  constexpr std::size_t kPiece = 65536;
  constexpr std::size_t kMostOfDevice = std::size_t{1} << 26;  // more than a person types; /dev/zero has no end
  content.resize(S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0);
  while (true) {
    if (filled == content.size()) {
      if (S_ISCHR(status.st_mode) && filled > kMostOfDevice) {
        throw Error(
            fmt::format("{}: cannot be read: this device does not end within {} bytes", path.string(), kMostOfDevice));
      }
      content.resize(filled + kPiece);
    }
    const ssize_t count =
        uninterrupted([&] { return read(file.number(), content.data() + filled, content.size() - filled); });
    if (count < 0) fail(path, "read");
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  content.resize(filled);
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  write_file(path, content, [] {});
}

void write_file(const std::filesystem::path& path, std::string_view content,
                const std::function<void()>& before_replacing) {
  const std::optional<struct stat> status = status_of(path);
  if (!status) return replace(target_of(path), content, std::nullopt);
  if (S_ISDIR(status->st_mode)) fail(path, "written", EISDIR);
  if (!S_ISREG(status->st_mode)) return write_in_place(path, content);
  refuse_read_only(path, *status);
  replace(target_of(path), content, status->st_mode & 07777, before_replacing);
  expected_outputs().forget(*status);
}

void write_private_file(const std::filesystem::path& path, std::string_view content) {
  replace(target_of(path), content, S_IRUSR | S_IWUSR);
}

std::filesystem::path numbered_path(const std::filesystem::path& path, std::uint64_t number) {
  const auto [stem, ending] = parts_of_name(path);
  return path.parent_path() / fmt::format("{}-{:04}{}", stem, number, ending);
}

std::optional<std::uint64_t> number_in_path(const std::filesystem::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t dash = stem.rfind('-');
  if (dash == std::string::npos || stem.size() - dash <= kLeastDigits) return std::nullopt;
  return number_in<std::uint64_t>(std::string_view(stem).substr(dash + 1));
}

void refuse_lost_files(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs) {
  const std::vector<WrittenFile> files = written_files(outputs);
  std::unordered_map<std::string, const NamedFile*> of_place;
  for (const WrittenFile& file : files) {
    const auto [other, is_new] = of_place.try_emplace(file.place.string(), file.output);
    if (!is_new) refuse_two_outputs(file.path, *other->second, *file.output);
  }
  // Names that are links to one file: one output would go into the other's. The files that one option leads to may be,
  // as a checkpoint and the copy of it that is kept.
  for (auto one = files.begin(); one != files.end(); ++one) {
    if (!one->status || one->output->numbered) continue;
    for (auto other = files.begin(); other != one; ++other) {
      if (!other->status || other->output->numbered) continue;
      if (one->output->by == other->output->by || !is_same_file(*one->status, *other->status)) continue;
      refuse_two_outputs(one->path, *other->output, *one->output);
    }
  }
  for (const NamedFile& output : outputs) {
    if (!output.numbered || output.path.empty()) continue;
    for (const WrittenFile& file : files) {
      if (file.output != &output && is_numbered(file.place, output.path)) {
        refuse_two_outputs(file.path, output, *file.output);
      }
    }
  }
  for (const NamedFile& input : inputs) {
    if (input.awaited) {
      refuse_awaited_output(input, outputs, files);
      continue;
    }
    const std::optional<struct stat> read = status_of(input.path);
    if (!read) continue;
    for (const auto& [output, path, place, written] : files) {
      if (!written || !is_same_file(*written, *read) || output->replaces == input.by) continue;
      throw Error(fmt::format("{}: named for an output and for an input, which it would replace: {} and {}",
                              path.string(), output->by, input.by));
    }
  }
}

void refuse_file_of_standard_output(std::span<const NamedFile> outputs) {
  struct stat printed{};
  if (fstat(STDOUT_FILENO, &printed) != 0 || !S_ISREG(printed.st_mode)) return;
  for (const WrittenFile& file : written_files(outputs)) {
    if (!file.status || !is_same_file(*file.status, printed)) continue;
    throw Error(fmt::format("{}: named for an output and for standard output, of which one would replace the other: {}",
                            file.path.string(), file.output->by));
  }
}

void expect_outputs(std::span<const std::filesystem::path> outputs) {
  for (const std::filesystem::path& output : outputs) {
    const std::optional<struct stat> status = status_of(output);
    if (status && S_ISREG(status->st_mode)) expected_outputs().add(*status);
  }
}

void refuse_expected_output(const std::filesystem::path& input) {
  const std::optional<struct stat> status = status_of(input);
  if (status) expected_outputs().refuse(input, *status);
}

void make_folder(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) fail(path, "made", failed.value());
}

void require_writable(const std::filesystem::path& path) {
  refuse_compressed_name(path);
  const std::optional<struct stat> status = status_of(path);
  if (status && S_ISDIR(status->st_mode)) fail(path, "written", EISDIR);
  if (status) refuse_read_only(path, *status);
  if (status && !S_ISREG(status->st_mode)) {
    if (access(path.c_str(), W_OK) != 0) fail(path, "written");
    return;
  }
  const std::filesystem::path folder = folder_of(target_of(path));
  const std::optional<struct stat> around = status_of(folder);
  if (!around) fail(path, "written");
  if (!S_ISDIR(around->st_mode)) fail(path, "written", ENOTDIR);
  if (access(folder.c_str(), W_OK | X_OK) != 0) fail(path, "written");
}

LineFile::LineFile(std::filesystem::path path, std::size_t keep_bytes) : path_(std::move(path)), size_(keep_bytes) {
  const int truncated = keep_bytes == 0 ? O_CREAT | O_TRUNC : 0;
  descriptor_ = uninterrupted([&] { return open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | truncated, 0666); });
  if (descriptor_ < 0) fail(path_, "written");
  if (keep_bytes == 0) return;
  const std::optional<struct stat> status = status_of(path_);
  if (!status || static_cast<std::size_t>(status->st_size) < keep_bytes) {
    ::close(std::exchange(descriptor_, -1));
    throw Error(fmt::format("{}: has {} bytes where {} are to be kept", path_.string(), status ? status->st_size : 0,
                            keep_bytes));
  }
  if (ftruncate(descriptor_, static_cast<off_t>(keep_bytes)) != 0) {
    const int reason = errno;
    ::close(std::exchange(descriptor_, -1));
    fail(path_, "written", reason);
  }
}

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LineFile::LineFile(LineFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

LineFile& LineFile::operator=(LineFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

void LineFile::append(std::string_view lines) {
  if (write_all(descriptor_, lines)) {
    size_ += lines.size();
    return;
  }
  const int reason = errno;
  // A pipe cannot be cut and need not be, since its reader already has the data.
  static_cast<void>(ftruncate(descriptor_, static_cast<off_t>(size_)) == 0);
  fail(path_, "written", reason);
}

void LineFile::flush() {
  // Devices and pipes have nothing to flush.
  if (!synchronised(descriptor_) && errno != EINVAL && errno != EROFS && errno != ENOTSUP) fail(path_, "written");
}

}  // namespace gdr::base
