! The Fortran module of kernel scaled, under names that stubs_history_test.cpp calls.
module stubs_history
  use scaled_grape
  implicit none

contains

  function fortran_init() bind(c) result(status)
    integer(c_int) :: status
    status = scaled_grape_init()
  end function

  function fortran_close() bind(c) result(status)
    integer(c_int) :: status
    status = scaled_grape_close()
  end function

  function fortran_send_i(records, n) bind(c) result(status)
    type(scaled_i_particle), intent(in) :: records(*)
    integer(c_int), value :: n
    integer(c_int) :: status
    status = scaled_send_i_particle(records, n)
  end function

  function fortran_send_j(records, first, n) bind(c) result(status)
    type(scaled_j_particle), intent(in) :: records(*)
    integer(c_int), value :: first, n
    integer(c_int) :: status
    status = scaled_send_elt_data0(records, first, n)
  end function

  function fortran_set_scale(value) bind(c) result(status)
    real(c_double), value :: value
    integer(c_int) :: status
    status = scaled_set_scale(value)
  end function

  function fortran_set_shift(value) bind(c) result(status)
    real(c_double), value :: value
    integer(c_int) :: status
    status = scaled_set_shift(value)
  end function

  function fortran_run(nj) bind(c) result(status)
    integer(c_int), value :: nj
    integer(c_int) :: status
    status = scaled_grape_start(nj)
    if (status == 0) status = scaled_grape_wait()
  end function

  function fortran_get_result(records, n) bind(c) result(status)
    type(scaled_result), intent(inout) :: records(*)
    integer(c_int), value :: n
    integer(c_int) :: status
    status = scaled_get_result(records, n)
  end function

end module
