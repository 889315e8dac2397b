// Names as Fortran compilers write them.
#pragma once

namespace gdr::grape {

/// An argument by reference. Some callers give null for those that the library of their hardware does not look at: 0.
template <class Number>
[[nodiscard]] Number value_of(const Number* argument) {
  return argument == nullptr ? Number{} : *argument;
}

}  // namespace gdr::grape

/// Begins the definition of `name_` and makes it known as `name__`, too, which is how f2c and g77 wrote names that have
/// an underscore.
#define GDR_FORTRAN(name, parameters)                                                                  \
  extern "C" [[gnu::visibility("default")]] int name##__ parameters __attribute__((alias(#name "_"))); \
  extern "C" [[gnu::visibility("default")]] int name##_ parameters
