# Spack: `spack repo add packaging/spack`, then `spack install gdr`. ../../../README.md says what of it was checked.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Gdr(CMakePackage):
    """Assembler, compiler and bit-exact emulator of the GRAPE-DR accelerator, a SIMD chip of 512 processing elements."""

    # A release has the address of its sources and their SHA-256 here: url = ..., version("1.0.0", sha256=...).
    # Until then: `spack develop --path SOURCES gdr@1.0.0`.
    version("1.0.0")

    license("Apache-2.0")

    variant("llvm", default=True, description="Compiled loops, kernels in C++ and Goose directives")
    variant("hdf5", default=True, description="N-body runs as HDF5")
    variant("mpi", default=True, description="Runs on ranks of MPI")
    variant("opencl", default=False, description="The engine opencl")
    variant("python", default=True, description="The module grapedr")
    variant("rsvg", default=False, description="Pictures as PNG")
    variant("scotch", default=True, description="Mapping of tasks by Scotch")
    variant("simgrid", default=False, description="Simulated networks")
    variant("xml", default=True, description="XML files of hwloc")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    # LLVM's TableGen reads the records of the instruction set, whatever the variants say.
    depends_on("llvm@19.1+clang", type=("build", "link", "run"))

    depends_on("boost")
    depends_on("cli11", type="build")
    depends_on("elfutils")
    depends_on("fmt@9:")
    depends_on("nlohmann-json", type="build")
    depends_on("openssl@3:")
    depends_on("tomlplusplus")
    depends_on("xsimd", type="build")
    depends_on("blas")
    depends_on("zlib-api")
    depends_on("hdf5@1.10.3:", when="+hdf5")
    depends_on("libxml2@2.9:", when="+xml")
    depends_on("librsvg@2.52:", when="+rsvg")
    depends_on("mpi", when="+mpi")
    depends_on("opencl", when="+opencl")
    depends_on("scotch@7:", when="+scotch")
    depends_on("simgrid@3.32", when="+simgrid")
    depends_on("mimalloc", when="+simgrid")
    depends_on("python@3.11:", when="+python", type=("build", "link", "run"))
    depends_on("py-numpy", when="+python", type="run")
    depends_on("py-pybind11", when="+python", type="build")

    extends("python", when="+python")

    generator("ninja")
    requires("%gcc@12:", "%llvm@19:", policy="one_of", msg="gdr is C++20 as GCC 12 and Clang 19 speak it")

    def cmake_args(self):
        args = [
            self.define("GDR_BUILD_TESTS", False),
            self.define("GDR_BUILD_BENCH", False),
            self.define("GDR_USE_TREE", False),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", self.spec.satisfies("~mpi")),
            self.define_from_variant("GDR_JIT", "llvm"),
            self.define_from_variant("GDR_CC", "llvm"),
            self.define_from_variant("GDR_GOOSE", "llvm"),
            self.define_from_variant("GDR_HDF5", "hdf5"),
            self.define_from_variant("GDR_OPENCL", "opencl"),
            self.define_from_variant("GDR_PYTHON", "python"),
            self.define_from_variant("GDR_RSVG", "rsvg"),
            self.define_from_variant("GDR_SCOTCH", "scotch"),
            self.define_from_variant("GDR_SIMGRID", "simgrid"),
            self.define_from_variant("GDR_XML", "xml"),
        ]
        if self.spec.satisfies("+python"):
            args += [
                self.define("GDR_PYTHON_PROGRAM", python.path),
                self.define("GDR_PYTHON_DIRECTORY", python_platlib),
            ]
        return args
