// Random pair functions with the control flow that people write, on numbers on which all arithmetic is exact.
#pragma once

#include <cstdint>
#include <string>

namespace gdr::compiler_testing {

/// The source of function `name`: if, else if, switch with and without break, loops with break and continue, early
/// returns, && and ||, results in local variables. The same seed gives the same function.
[[nodiscard]] std::string branchy_function(const std::string& name, std::uint64_t seed);

/// Structures and includes that go before the functions. I has float x, z, double w, int k; J has float u, v, double t,
/// int m; P has float a, int b; F has sums float r0, double r1, r2, int c0, c1, then float least, double most, int low,
/// all (&=), any (|=), odd (^=).
[[nodiscard]] std::string branchy_prologue();

}  // namespace gdr::compiler_testing
