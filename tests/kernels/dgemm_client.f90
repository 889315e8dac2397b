! A user's Fortran program on the generated module of dgemm.vsm: A of 256 x 2048 times B of 2048 x 2, in whole numbers, so
! that every sum is exact. Stops with an error if a word is wrong.
program dgemm_client
  use dgemm_grape
  implicit none
  integer, parameter :: chips = 4, blocks = 16, rows = 256, depth = 32
  type(dgemm_i_particle), allocatable :: a(:)
  type(dgemm_j_particle) :: b(chips * blocks)
  real(c_double) :: words(2 * rows), whole, seconds
  integer(c_int64_t) :: events(3)
  character(kind=c_char), pointer :: message(:)
  integer :: n, k, v, column, row, wrong

  allocate (a(chips * blocks * 128))
  do n = 0, size(a) - 1
    do k = 0, depth - 1
      do v = 0, 1
        row = mod(n / 4, 32) * 8 + v * 4 + mod(n, 4)
        a(n + 1)%a(v + 1, k + 1) = a_at(row, n / 128 * depth + k)
      end do
    end do
  end do
  do n = 0, size(b) - 1
    do column = 0, 1
      do k = 0, depth - 1
        b(n + 1)%b(k + 1, column + 1) = b_at((mod(n, chips) * blocks + n / chips) * depth + k, column)
      end do
    end do
  end do

  if (dgemm_type2_run(1) == 0) error stop 'a run before init did not fail'
  call c_f_pointer(dgemm_message(), message, [13])
  if (any(message /= transfer('the kernel is', message))) error stop 'a wrong message'
  call check(dgemm_grape_init())
  call check(dgemm_send_elt_data0(b, 0, size(b)))
  call check(dgemm_send_i_particle(a, size(a)))
  call check(dgemm_type2_run(1))
  call check(dgemm_get_words(words, size(words)))
  call check(dgemm_emulated_seconds(seconds))
  call check(dgemm_events(events))
  if (seconds <= 0 .or. any(events /= 0)) error stop 'wrong time or events'
  call check(dgemm_grape_close())
  deallocate (a)

  wrong = 0
  do n = 0, size(words) - 1
    whole = 0
    do k = 0, chips * blocks * depth - 1
      whole = whole + a_at(mod(n, rows), k) * b_at(k, n / rows)
    end do
    if (words(n + 1) /= whole) wrong = wrong + 1
  end do
  if (wrong > 0) error stop 'wrong words'

contains

  real(c_double) function a_at(row, k)
    integer, intent(in) :: row, k
    a_at = mod(7 * row + 3 * k, 11) - 5
  end function

  real(c_double) function b_at(k, column)
    integer, intent(in) :: k, column
    b_at = mod(5 * k + 2 * column, 13) - 6
  end function

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= 0) error stop 'a call failed'
  end subroutine

end program dgemm_client
