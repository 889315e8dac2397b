# Toolchain file: builds for 64-bit ARM with Debian's cross compiler against the arm64 packages that `scripts/setup nightly`
# installs. Programs run under qemu's user emulation. Needs a gdr-tablegen of the host: -DGDR_TABLEGEN=FILE.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)

# Debian keeps the libraries of every architecture side by side: only pkg-config has to be told which.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
