// The parts of report_errors(). Each reports all that it finds.
#pragma once

#include <map>
#include <string>

#include "llvm/ADT/Twine.h"
#include "records.h"

namespace gdr::generator {

/// Prints errors at the lines of records.
class Report {
 public:
  void error(const Record& record, const llvm::Twine& message);
  /// With a note at the other record that the message speaks of.
  void error(const Record& record, const llvm::Twine& message, const Record& other);
  [[nodiscard]] bool any() const { return any_; }

 private:
  bool any_ = false;
};

/// Texts that no two records may share.
class Distinct {
 public:
  /// `taken`: the message behind the quoted text.
  Distinct(Report& report, std::string taken) : report_(report), taken_(std::move(taken)) {}
  void add(StringRef text, const Record& record);

 private:
  Report& report_;
  std::string taken_;
  std::map<std::string, const Record*> owners_;
};

void check_operations(const RecordKeeper& keeper, Report& report);
void check_spellings(const RecordKeeper& keeper, Report& report);
void check_fields(const RecordKeeper& keeper, Report& report);

}  // namespace gdr::generator
