// Programs with goose pragmas; each prints lines of numbers, the same columns in each.
#pragma once

namespace gdr::compiler_testing {

struct GooseProgram {
  const char* name;
  const char* file;       // decides the language
  const char* precision;  // stands for PRECISION in the text
  double bound;           // of differences from the host's own run, relative to the largest number of a column
  const char* text;
};

extern const char* const kOneResult;
extern const char* const kTwoResults;
extern const char* const kOldC;
extern const char* const kThreeResults;
extern const char* const kReductions;
extern const char* const kDataOfOneSide;
extern const char* const kFlatArrays;
extern const char* const kStructures;
extern const char* const kVectors;
extern const char* const kTotals;
extern const char* const kConditions;
extern const char* const kNearest;
extern const char* const kTables;
extern const char* const kLoopsThatEnd;

}  // namespace gdr::compiler_testing
