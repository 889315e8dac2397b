// A library with one function, whose name its target gives.
extern "C" __attribute__((visibility("default"))) int GDR_TRIED();
int GDR_TRIED() { return 1; }
