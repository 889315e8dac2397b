# Nix: `nix-build -E 'with import <nixpkgs> { }; callPackage packaging/nix/package.nix { }'`. ../README.md says what of it
# was checked. SimGrid is left out: nixpkgs has none of version 3.32, which gdr's library for it is written for.
{
  lib,
  llvmPackages_19,
  boost,
  cli11,
  cmake,
  elfutils,
  fmt_9,
  hdf5,
  librsvg,
  libxml2,
  mpi,
  ninja,
  nlohmann_json,
  ocl-icd,
  opencl-headers,
  openblas,
  openssl,
  pkg-config,
  python3,
  scotch,
  tomlplusplus,
  xsimd,
  zlib,
  zstd,
  stdenv,
  pythonSupport ? true,
}:

stdenv.mkDerivation {
  pname = "gdr";
  version = "1.0.0";

  # In nixpkgs: the address and the hash of the release's sources.
  src = lib.cleanSource ../..;

  nativeBuildInputs = [
    cmake
    llvmPackages_19.llvm
    ninja
    pkg-config
  ];

  buildInputs = [
    boost
    cli11
    elfutils
    fmt_9
    hdf5
    librsvg
    libxml2
    llvmPackages_19.libclang
    llvmPackages_19.libllvm
    mpi
    nlohmann_json
    ocl-icd
    opencl-headers
    openblas
    openssl
    scotch
    tomlplusplus
    xsimd
    zlib
    zstd
  ]
  ++ lib.optionals pythonSupport [
    python3
    python3.pkgs.pybind11
  ];

  propagatedBuildInputs = lib.optionals pythonSupport [ python3.pkgs.numpy ];

  cmakeFlags = [
    (lib.cmakeBool "GDR_BUILD_TESTS" false)
    (lib.cmakeBool "GDR_BUILD_BENCH" false)
    (lib.cmakeBool "GDR_USE_TREE" false)
    (lib.cmakeBool "GDR_SIMGRID" false)
    (lib.cmakeBool "GDR_PYTHON" pythonSupport)
  ]
  ++ lib.optionals pythonSupport [
    (lib.cmakeFeature "GDR_PYTHON_PROGRAM" python3.interpreter)
    (lib.cmakeFeature "GDR_PYTHON_DIRECTORY" python3.sitePackages)
  ];

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/gdr selftest --programs 5
    $out/bin/gdr nbody --plummer 64 --t-end 0.25 --quiet
  '';

  meta = {
    description = "Assembler, compiler and bit-exact emulator of the GRAPE-DR accelerator";
    license = lib.licenses.asl20;
    mainProgram = "gdr";
    platforms = lib.platforms.linux;
  };
}
