#!/usr/bin/env bash
set -euo pipefail

# shellcheck disable=SC2086  # CMAKE_ARGS is a list of words
cmake -S . -B build -G Ninja ${CMAKE_ARGS:-} \
  -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib \
  -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=64 \
  -DGDR_BUILD_TESTS=OFF -DGDR_BUILD_BENCH=OFF -DGDR_USE_TREE=OFF -DGDR_SIMGRID=OFF \
  -DGDR_PYTHON_PROGRAM="$PYTHON" -DGDR_PYTHON_DIRECTORY="${SP_DIR#"$PREFIX"/}"
cmake --build build
cmake --install build
