// A library with the component inside, as those are that run in other people's programs.
#include <string>

#include "gdr/base/description.h"
#include "gdr/base/plugin.h"

extern "C" __attribute__((visibility("default"))) const char* gdr_first_folder() {
  static const std::string folder = gdr::base::library_folders().front().string();
  return folder.c_str();
}

extern "C" __attribute__((visibility("default"))) const char* gdr_first_data_folder() {
  static const std::string folder = gdr::base::data_directories().front().string();
  return folder.c_str();
}
