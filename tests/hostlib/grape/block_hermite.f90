! Hermite scheme with block time steps, as the Fortran clients of this folder share it: particles, prediction, correction.
module block_hermite
  implicit none
  integer, parameter :: real8 = kind(1d0), most = 1024
  real(real8), parameter :: eps2 = 1d-4, eta = 0.1d0, largest_step = 0.125d0
  integer :: n
  real(real8), dimension(3, most) :: x, v, a, jerk, snap
  real(real8), dimension(most) :: mass, pot, t_of, dt_of
  ! The particles of a block at its time, and their forces.
  integer :: count, active(most)
  real(real8), dimension(3, most) :: xi, vi, ai, ji
  real(real8), dimension(most) :: pi
  integer(8), private :: seed = 20220
contains
  real(real8) function draw()  ! Park and Miller 1988
    seed = mod(seed * 16807_8, 2147483647_8)
    draw = real(seed, real8) / 2147483647d0
  end function

  subroutine draw_direction(to, length)
    real(real8), intent(out) :: to(3)
    real(real8), intent(in) :: length
    real(real8) :: r2
    integer :: k
    r2 = 0
    do while (r2 > 1 .or. r2 < 1d-4)
      do k = 1, 3
        to(k) = 2 * draw() - 1
      end do
      r2 = sum(to**2)
    end do
    to = to * length / sqrt(r2)
  end subroutine

  ! Plummer's sphere [Aarseth, Henon and Wielen 1974], G = M = 1, E about -1/4.
  subroutine make_sphere()
    real(real8) :: r, q, y, scale
    integer :: i
    scale = 3 * 3.14159265358979d0 / 16
    do i = 1, n
      r = 1 / sqrt((0.99d0 * draw() + 1d-3)**(-2d0 / 3) - 1)
      do
        q = draw()
        y = 0.1d0 * draw()
        if (y <= q**2 * (1 - q**2)**3.5d0) exit
      end do
      call draw_direction(x(:, i), r * scale)
      call draw_direction(v(:, i), q * sqrt(2d0) * (1 + r**2)**(-0.25d0) / sqrt(scale))
      mass(i) = 1d0 / n
    end do
    a = 0; jerk = 0; snap = 0; t_of = 0; dt_of = 0
  end subroutine

  real(real8) function energy()
    integer :: i, j
    energy = 0
    do i = 1, n
      energy = energy + 0.5d0 * mass(i) * sum(v(:, i)**2)
      do j = 1, i - 1
        energy = energy - mass(i) * mass(j) / sqrt(sum((x(:, i) - x(:, j))**2) + eps2)
      end do
    end do
  end function

  ! The particles that are due at the next time, predicted to it.
  real(real8) function next_block()
    integer :: i
    real(real8) :: t, d
    t = minval(t_of(:n) + dt_of(:n))
    count = 0
    do i = 1, n
      if (t_of(i) + dt_of(i) /= t) cycle
      d = t - t_of(i)
      count = count + 1
      active(count) = i
      xi(:, count) = x(:, i) + d * (v(:, i) + d * (a(:, i) / 2 + d * (jerk(:, i) / 6 + d * snap(:, i) / 24)))
      vi(:, count) = v(:, i) + d * (a(:, i) + d * (jerk(:, i) / 2 + d * snap(:, i) / 6))
    end do
    next_block = t
  end function

  subroutine first_block()
    integer :: i
    count = n
    active(:n) = [(i, i = 1, n)]
    xi = x
    vi = v
  end subroutine

  real(real8) function power_of_two_below(dt)
    real(real8), intent(in) :: dt
    power_of_two_below = min(2d0**floor(log(dt) / log(2d0)), largest_step)
  end function

  subroutine first_steps()
    integer :: i
    a = ai; jerk = ji; pot = pi
    do i = 1, n
      dt_of(i) = power_of_two_below(eta / 16 * norm2(a(:, i)) / norm2(jerk(:, i)))
    end do
  end subroutine

  subroutine correct(t)
    real(real8), intent(in) :: t
    real(real8) :: dt, wanted
    real(real8), dimension(3) :: da, snap0, crackle
    integer :: i, k
    do k = 1, count
      i = active(k)
      dt = t - t_of(i)
      da = a(:, i) - ai(:, k)
      snap0 = (-6 * da - dt * (4 * jerk(:, i) + 2 * ji(:, k))) / dt**2
      crackle = (12 * da + 6 * dt * (jerk(:, i) + ji(:, k))) / dt**3
      x(:, i) = x(:, i) + dt * (v(:, i) + dt * (a(:, i) / 2 + dt * (jerk(:, i) / 6 + dt * (snap0 / 24 &
        + dt * crackle / 120))))
      v(:, i) = v(:, i) + dt * (a(:, i) + dt * (jerk(:, i) / 2 + dt * (snap0 / 6 + dt * crackle / 24)))
      snap(:, i) = snap0 + dt * crackle
      a(:, i) = ai(:, k)
      jerk(:, i) = ji(:, k)
      pot(i) = pi(k)
      t_of(i) = t
      wanted = eta * sqrt((norm2(a(:, i)) * norm2(snap(:, i)) + norm2(jerk(:, i))**2) &
        / (norm2(jerk(:, i)) * norm2(crackle) + norm2(snap(:, i))**2))
      if (wanted < dt) then
        dt_of(i) = power_of_two_below(wanted)
      else if (wanted >= 2 * dt .and. mod(t, 2 * dt) == 0) then
        dt_of(i) = min(2 * dt, largest_step)
      end if
    end do
  end subroutine

  subroutine print_result(steps, before, faults)
    integer, intent(in) :: steps, faults
    real(real8), intent(in) :: before
    integer(8) :: bits
    integer :: i, k
    bits = 0
    do i = 1, n
      do k = 1, 3
        bits = ieor(ishftc(bits, 7), transfer(x(k, i), bits))
      end do
    end do
    print '(a,i0,a,es11.3,a,z16.16,a,i0)', 'steps ', steps, ' energy_error ', (energy() - before) / abs(before), &
      ' bits ', bits, ' faults ', faults
  end subroutine
end module
