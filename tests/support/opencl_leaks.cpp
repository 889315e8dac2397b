// OpenCL's implementations keep memory until a process ends; the leak sanitizer is to speak of ours alone. Linked with
// tests that open a device.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libpocl\nleak:libLLVM\nleak:libclang-cpp\nleak:libOpenCL\n";
}
