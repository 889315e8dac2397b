// Sources of the small kernels of histories.
#pragma once

#include <array>
#include <string_view>

namespace gdr::selftest {

struct SmallKernel {
  std::string_view name;
  std::string_view source;
};

inline constexpr std::array<SmallKernel, 8> kSmallKernels{{
    // Sums go on from run to run.
    {"going_on", R"(kernel going_on
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
param step : long flt64to72 = 1
var vector long sum rrn flt72to64 fadd
initialization
  upassa il"0" sum
  nop
loop initialization
  fadd step sum sum
  nop
loop body
  fsub xj xi $lt
  fadd $lti sum sum
  nop
)"},
    // What ends the loop reads and writes words that the body carries on, words that it leaves and words that it never
    // has to do with; it overflows for large sums.
    {"ending", R"(kernel ending
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long sum rrn flt72to64 fadd
var vector long bodys
var vector long boths
var vector long ends
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
  upassa $lt boths
  nop
loop body
  fsub xj xi bodys $lt
  fadd $lti sum sum
  fadd bodys bodys boths $lt
  nop
loop termination
  upassa sum $lt
  fadd boths $lti boths
  fmul sum fs"1e300" ends
  fadd sum sum sum
  fmul ends fs"2" ends
  nop
)"},
    // A flag that is written only where the block has a record, and read in every iteration.
    {"flagged", R"(kernel flagged
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long sum rrn flt72to64 fadd
var vector long kept
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
  upassa $lt kept
  nop
loop body
  fsub xj xi $lt $ok1/j
  fadd $lti sum sum
  fadd kept fs"0.5" kept/1
  nop
)"},
    // The same flag, and no line reads it.
    {"unread", R"(kernel unread
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long sum rrn flt72to64 fadd
loop initialization
  uxor $lt $lt $lt
  upassa $lt sum
  nop
loop body
  fsub xj xi $lt $ok1/j
  fadd $lti sum sum
  nop
)"},
    // A result that of the loop's sections only the body writes, anew in every iteration.
    {"latest", R"(kernel latest
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long latest rrn flt72to64 fadd
initialization
  uxor $lt $lt $lt
  upassa $lt latest
  nop
loop body
  fsub xj xi $lt
  fadd $lti $lti latest
  nop
)"},
    // Begins with halves of words that its body overwrites. It has no results.
    {"halves", R"(kernel halves
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
loop initialization
  upassa $m1v $r40v
  nop
loop body
  fadd xj xj xi
  nop
)"},
    // Sends words of each block, of one block, and sums of all of them.
    {"apart", R"(kernel apart
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long kept
bvar vector long own[2] rrn flt72to64
bvar vector long one rrn flt72to64
bvar vector long all rrn flt72to64 fadd
loop initialization
  transfer
  fpassa xi kept
  nop
loop body
  transfer
  fsub xj kept $lr0v kept
  nop
  bm $lr0v one @3
  nop
  nop
  collect one block 11
  bm $lr0v all @7
  bm $lr0v own[0] @31
  bm $lr0v own[1] @0
  nop
  collect all not_first
  collect own block each
loop termination
  collect own[1] block 2
)"},
    // A result that is read from one block.
    {"chosen", R"(kernel chosen
bvar long xj elt flt64to72
var vector long xi hlt flt64to72
var vector long sum rrn flt72to64 select 9
loop initialization
  fpassa xi sum
  nop
loop body
  fsub xj sum sum
  nop
)"},
}};

}  // namespace gdr::selftest
