// A running program with directives of XcalableMP: its ranks, its options, its node sets, templates and arrays, its
// clock.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "xmp_gather.h"
#include "xmp_network.h"
#include "xmp_reflect.h"
#include "xmp_sum.h"

namespace gdr::interconnect {

struct XmpNodes {
  std::string name;
  std::vector<long> extents;  // the first runs fastest
  std::vector<long> own;      // this rank's coordinates
};

/// Coordinates of a rank, the first fastest.
[[nodiscard]] std::vector<long> coordinates_of(const XmpNodes& nodes, int rank);

struct XmpTemplate {
  std::string name;
  int nodes = 0;
  std::vector<std::pair<long, long>> bounds;  // first, end
  std::vector<int> node_dimension;            // -1: not split
  std::vector<std::pair<long, long>> own;     // first, end on this rank

  /// Elements of a dimension on the node of a coordinate: blocks of ceil(elements / nodes), the last shorter or empty.
  [[nodiscard]] std::pair<long, long> block(std::size_t dimension, long nodes_there, long coordinate) const;
};

struct XmpArray {
  std::string name;
  int on = 0;
  std::size_t element_bytes = 0;
  bool diagonal = false;
  std::vector<long> extents;  // slowest first
  std::vector<int> along;     // -1: not split
  std::vector<long> shadow;   // low, high of each dimension of this rank
  int full = -1;              // dimension of which this rank holds all elements
  std::vector<std::pair<long, long>> own;
  std::vector<long> pitch;
  std::byte* memory = nullptr;
  std::unique_ptr<XmpReflect> reflect;
  std::unique_ptr<XmpGather> gather;  // instead, if the shadow is full
};

/// Ranks that reduce together.
struct XmpGroup {
  MPI_Comm comm = MPI_COMM_WORLD;
  std::vector<int> ranks;  // in the order of `comm`
};

/// Part of a dimension: a single place, or a number of them.
struct XmpSection {
  long first = 0;
  long length = 1;
  bool is_place = false;  // one that no section of the other side corresponds to
};

/// A side of an assignment between arrays: sections of a distributed array, or of elements that each rank has itself.
struct XmpSide {
  int array = -1;                    // -1: not distributed
  std::byte* elements = nullptr;     // of the rank, if not distributed
  std::vector<long> extents;         // slowest first
  std::vector<XmpSection> sections;  // of each dimension
};

/// Part of a section: first and end of each of its dimensions, those with one place left out.
using XmpBox = std::vector<std::pair<long, long>>;

/// The one program of the process. Its clock: loops on the device and on the board add their time; what several ranks
/// take part in begins when the last of them is there, and ends on all of them at once. `line` of errors is the
/// program's.
class XmpRun {
 public:
  static XmpRun& of_process();

  void begin(int& count, char**& words, const char* file);
  /// Prints the emulated time, and ends MPI; with a status that is not 0, it ends all ranks.
  void end(int status);

  void add_nodes(XmpNodes nodes, int line);
  void add_template(XmpTemplate made, long* block);
  /// Without bytes in an element the array is a parameter, and gets no memory.
  void* add_array(XmpArray array, int line, long* pitch, long* range);
  /// The array with these elements.
  [[nodiscard]] int array_at(const void* elements, const char* name, int line) const;
  void init_reflect(int array, const long* widths, const int* periodic, bool orthogonal, int line);
  void do_reflect(int array, int line);
  /// ranges: first and last of each dimension, which counts from `from`.
  [[nodiscard]] bool is_on_nodes(int nodes, const long* ranges, long from, int line) const;
  [[nodiscard]] bool is_on_template(int on, const long* ranges, int line) const;
  void set_side(int side, XmpSide of) { sides_.at(static_cast<std::size_t>(side)) = std::move(of); }
  /// Assigns the right side to the left one.
  void move(std::size_t element_bytes, int line);
  void barrier();
  void bcast(void* variable, std::size_t bytes, int sends, int line);
  void reduce(void* variable, int type, int operation, const XmpGroup& among);
  [[nodiscard]] XmpSums& sums() { return sums_; }
  void spend(double points, double bytes);
  void spend_board(double seconds);
  void not_timed(int line);
  /// Counts a reduction; of a loop on the device if `of_loop`.
  void meet_for_reduction(bool of_loop, const XmpGroup& among);
  /// The ranks that differ from this one in some dimensions of a node set only: bit k of `along` stands for its
  /// dimension k. All ranks if `nodes` is -1.
  [[nodiscard]] const XmpGroup& group(int nodes, unsigned long along);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] const XmpNodes& nodes(int n) const { return nodes_.at(static_cast<std::size_t>(n)); }
  [[nodiscard]] const XmpTemplate& template_of(int n) const { return templates_.at(static_cast<std::size_t>(n)); }
  /// Emulated seconds; the host's if no network was named.
  [[nodiscard]] double now() const;
  /// Ends all ranks with a message of this one.
  [[noreturn]] void fail(const std::string& text, int line) const;
  /// The same for what all ranks find: rank 0 tells it.
  [[noreturn]] void fail_together(const std::string& text, int line) const;

 private:
  void init_gather(XmpArray& array, int line);
  /// Ends the program if a dimension with the places `least` to `most` has no place first:last.
  void require_places(long first, long last, long least, long most, const std::string& dimension, int line) const;
  /// The part of a side that a rank owns; nothing if it has none. Of the right side one owner of each element counts.
  [[nodiscard]] std::optional<XmpBox> owned(const XmpSide& side, int rank, bool one_owner) const;
  /// Copies a part of a side to packed elements, or from them.
  void copy_box(const XmpSide& side, const XmpBox& box, std::size_t element_bytes, std::byte* packed, bool pack) const;
  void require_equal_sides(int line) const;
  /// Brings the clocks of `among` to the latest and adds `seconds`, of which `part` is the count.
  void meet(double seconds, double& part, MPI_Comm among = MPI_COMM_WORLD);

  std::string file_;
  int rank_ = 0;
  int size_ = 1;
  std::unique_ptr<XmpNetwork> network_;
  double now_ = 0;
  double loops_ = 0;  // s of this rank, by part
  double boards_ = 0;
  double halos_ = 0;
  double reductions_ = 0;
  double others_ = 0;  // barriers, broadcasts
  long exchanges_ = 0;
  int untimed_line_ = 0;
  std::vector<XmpNodes> nodes_;
  std::vector<XmpTemplate> templates_;
  std::vector<XmpArray> arrays_;
  std::array<XmpSide, 2> sides_;
  std::map<std::pair<int, unsigned long>, XmpGroup> groups_;  // by node set and dimensions
  XmpSums sums_;
};

}  // namespace gdr::interconnect
