// A libblas.so.3 that is empty itself: it leads programs to libgdrblas and, for all routines that libgdrblas does not
// offer, to OpenBLAS, whose library has another name. libgdrblas cannot have the name libblas.so.3, because it needs a
// library of that name itself.
