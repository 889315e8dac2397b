! The GRAPE-6 library from Fortran, as NBODY codes call it: the second half as a subroutine or as a function.
program fortran_client
  implicit none
  integer, parameter :: cluster = 0, n = 3
  integer :: i, index(n), nearest(n), status, length, list(10)
  integer :: g6_npipes, g6calc_lasthalf2, g6_read_neighbour_list, g6_get_neighbour_list
  double precision :: x(3, n), v(3, n), a(3, n), jerk(3, n), pot(n), h2(n), zero(3)
  external :: g6_npipes, g6calc_lasthalf2, g6_read_neighbour_list, g6_get_neighbour_list

  x = 0; v = 0; a = 0; jerk = 0; pot = 0; zero = 0
  x(1, 2) = 1; x(1, 3) = 3
  h2 = 2
  call g6_open(cluster)
  call g6_set_tunit(51)
  call g6_set_xunit(51)
  do i = 1, n
    index(i) = i
    call g6_set_j_particle(cluster, i - 1, i, 0d0, 0d0, 1d0, zero, zero, zero, v(1, i), x(1, i))
  end do
  call g6_set_ti(cluster, 0d0)
  call g6calc_firsthalf(cluster, n, n, index, x, v, a, jerk, pot, 0d0, h2)
  status = g6calc_lasthalf2(cluster, n, n, index, x, v, 0d0, h2, a, jerk, pot, nearest)
  if (status /= 0) stop 1
  if (abs(pot(1) + 4d0 / 3) > 1d-6 .or. abs(a(1, 1) - 10d0 / 9) > 2d-6) stop 2
  if (any(nearest /= [2, 1, 2])) stop 3
  if (g6_read_neighbour_list(cluster) /= 0) stop 4
  status = g6_get_neighbour_list(cluster, 0, 10, length, list)
  if (status /= 0 .or. length /= 1 .or. list(1) /= 2) stop 5
  if (g6_npipes() /= 48) stop 6
  call g6_close(cluster)
  print '(a)', 'fortran client: ok'
end program
