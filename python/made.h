// Objects that were made without their __init__: by __new__, by a subclass that does not call it, by copies of such
// objects. pybind11 gives their methods memory that nobody initialised; here they are refused instead.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <type_traits>
#include <typeinfo>

namespace gdr::python {

/// True for every class that a module binds, which bind() demands; specialised before its first use.
template <class T>
inline constexpr bool kIsBound = false;

/// Throws TypeError for an object of class `type`, or of a subclass, that was never initialised.
inline void require_made(pybind11::handle object, const std::type_info& type) {
  namespace detail = pybind11::detail;
  const detail::type_info* known = detail::get_type_info(type);
  if (!object || known == nullptr || PyObject_TypeCheck(object.ptr(), known->type) == 0) return;
  auto* instance = reinterpret_cast<detail::instance*>(object.ptr());
  if (instance->get_value_and_holder(known, false).value_ptr() != nullptr) return;
  const std::string name = known->type->tp_name;
  throw pybind11::type_error("this " + name + " was never initialised: it must be made by calling the class, and a " +
                             "subclass must call super().__init__() first");
}

/// Binds a class whose objects are refused until they are initialised.
template <class T, class... Holder>
pybind11::class_<T, Holder...> bind(pybind11::module_& module, const char* name) {
  static_assert(kIsBound<T>, "say so by kIsBound");
  return {module, name};
}

}  // namespace gdr::python

namespace pybind11::detail {

template <class T>
class type_caster<T, std::enable_if_t<gdr::python::kIsBound<T>>> : public type_caster_base<T> {
 public:
  bool load(handle source, bool convert) {
    gdr::python::require_made(source, typeid(T));
    return type_caster_base<T>::load(source, convert);
  }
};

}  // namespace pybind11::detail
