! Hermite codes with block time steps that call the GRAPE-6 library as NBODY codes do, each in its own way:
!
!   nbody4   48 places; a lone particle's index is a number, not an array; works between the halves; removes itself from
!            its lists
!   nbody6   the second half as a subroutine; neighbours' masses are 0 on the board while it sums up the others, and the
!            host adds the neighbours
!   nbody1   particles shared out over two clusters, a softening for each particle, one argument too many
!
! block_clients PATTERN N T_END prints steps, energy error and a digest of the final bits.
program block_clients
  use block_hermite
  implicit none
  character(16) :: pattern, word
  real(real8) :: t, t_end, before
  integer :: steps, faults, k

  call get_command_argument(1, pattern)
  call get_command_argument(2, word)
  read (word, *) n
  call get_command_argument(3, word)
  read (word, *) t_end
  faults = 0
  call make_sphere()
  before = energy()
  call g6_open(0)
  call g6_set_tunit(51)
  call g6_set_xunit(51)
  if (pattern == 'nbody1') call g6_open(1)
  call send(n, [(k, k = 1, n)])
  call first_block()
  call forces(0d0)
  call first_steps()
  call send(n, [(k, k = 1, n)])
  t = 0
  steps = 0
  do while (t < t_end)
    t = next_block()
    call forces(t)
    call correct(t)
    call send(count, active)
    steps = steps + count
  end do
  call g6_close(0)
  if (pattern == 'nbody1') call g6_close(1)
  call print_result(steps, before, faults)
contains
  subroutine send(number, which)
    integer, intent(in) :: number, which(number)
    integer :: m
    do m = 1, number
      if (pattern == 'nbody1') then
        call nbody1_send(which(m))
      else
        call nbody4_send(which(m), mass(which(m)))
      end if
    end do
  end subroutine

  subroutine forces(time)
    real(real8), intent(in) :: time
    select case (pattern)
    case ('nbody4')
      call nbody4_forces(time, faults)
    case ('nbody6')
      call nbody6_forces(time)
    case ('nbody1')
      call nbody1_forces(time)
    case default
      stop 2
    end select
  end subroutine
end program

subroutine nbody4_send(i, m)
  use block_hermite
  implicit none
  integer, intent(in) :: i
  real(real8), intent(in) :: m
  call g6_set_j_particle(0, i - 1, i, t_of(i), dt_of(i), m, snap(:, i) / 18, jerk(:, i) / 6, a(:, i) / 2, v(1, i), &
    x(1, i))
end subroutine

subroutine nbody4_forces(time, faults)
  use block_hermite
  implicit none
  real(real8), intent(in) :: time
  integer, intent(inout) :: faults
  integer, parameter :: places = 48
  integer :: first, ni, i, k, status, length, found, index(places), list(most)
  real(real8) :: h2(places), kinetic
  integer :: g6calc_lasthalf, g6_read_neighbour_list, g6_get_neighbour_list
  external :: g6calc_lasthalf, g6_read_neighbour_list, g6_get_neighbour_list
  call g6_set_ti(0, time)
  h2 = 0.04d0
  do first = 1, count, places
    ni = min(places, count - first + 1)
    do i = 1, ni
      index(i) = active(first + i - 1)
    end do
    if (ni == 1) then
      k = index(1)
      call g6calc_firsthalf(0, n, ni, k, xi(1, first), vi(1, first), ai(1, first), ji(1, first), pi(first), eps2, h2)
    else
      call g6calc_firsthalf(0, n, ni, index, xi(1, first), vi(1, first), ai(1, first), ji(1, first), pi(first), eps2, h2)
    end if
    kinetic = sum(mass(:n) * sum(v(:, :n)**2, 1)) / 2  ! while the board works
    if (.not. kinetic > 0) faults = faults + 1
    status = g6calc_lasthalf(0, n, ni, index, xi(1, first), vi(1, first), eps2, h2, ai(1, first), ji(1, first), pi(first))
    if (status /= 0) then
      call g6_print_chip_status(0)
      stop 3
    end if
    if (g6_read_neighbour_list(0) /= 0) stop 4
    do i = 1, ni
      if (g6_get_neighbour_list(0, i - 1, most, length, list) /= 0) stop 5
      found = 0
      do k = 1, length
        if (list(k) == index(i)) cycle  ! itself
        found = found + 1
        if (list(k) < 1 .or. list(k) > n) faults = faults + 1
      end do
      if (found /= length) faults = faults + 1
    end do
    call g6_changed_index()
  end do
end subroutine

! Odd particles on one cluster, even ones on the other.
subroutine nbody1_send(i)
  use block_hermite
  implicit none
  integer, intent(in) :: i
  call g6_set_j_particle(mod(i, 2), (i - 1) / 2, i, t_of(i), dt_of(i), mass(i), snap(:, i) / 18, jerk(:, i) / 6, &
    a(:, i) / 2, v(1, i), x(1, i))
end subroutine

subroutine nbody1_forces(time)
  use block_hermite
  implicit none
  real(real8), intent(in) :: time
  integer :: c, status, of_cluster(0:1)
  real(real8), dimension(most) :: softening, h2, part_pot
  real(real8), dimension(3, most) :: part_a, part_jerk
  integer :: g6calc_lasthalf0
  external :: g6calc_lasthalf0
  softening = eps2
  h2 = 0
  of_cluster = [n / 2, n - n / 2]
  do c = 0, 1
    call g6_set_ti(c, time)
    call g6calc_firsthalf0(c, of_cluster(c), count, active, xi, vi, part_a, part_jerk, part_pot, softening, h2, 0, 17)
  end do
  do c = 0, 1
    status = g6calc_lasthalf0(c, of_cluster(c), count, active, xi, vi, softening, h2, part_a, part_jerk, part_pot, 0, 17)
    if (status /= 0) stop 3
    if (c == 0) then
      ai = part_a; ji = part_jerk; pi = part_pot
    else
      ai(:, :count) = ai(:, :count) + part_a(:, :count)
      ji(:, :count) = ji(:, :count) + part_jerk(:, :count)
      pi(:count) = pi(:count) + part_pot(:count)
    end if
  end do
end subroutine
