! Forces as NBODY6++ calls for them. In a file of its own: it calls as a subroutine what the others call as a function.
! One i-particle a call: its neighbours have no mass on the board meanwhile.
subroutine nbody6_forces(time)
  use block_hermite
  implicit none
  real(real8), intent(in) :: time
  integer :: m, i, k, near, neighbours(most)
  real(real8) :: h2(1), d, s2, dx(3), dv(3)
  call g6_set_ti(0, time)
  h2 = 0
  do m = 1, count
    i = active(m)
    near = 0
    do k = 1, n
      if (k == i .or. sum((x(:, k) - xi(:, m))**2) > 0.01d0) cycle
      near = near + 1
      neighbours(near) = k
      call nbody4_send(k, 0d0)
    end do
    call g6calc_firsthalf(0, n, 1, i, xi(1, m), vi(1, m), ai(1, m), ji(1, m), pi(m), eps2, h2)
    call g6calc_lasthalf(0, n, 1, i, xi(1, m), vi(1, m), eps2, h2, ai(1, m), ji(1, m), pi(m))
    do k = 1, near
      call nbody4_send(neighbours(k), mass(neighbours(k)))
      d = time - t_of(neighbours(k))
      associate (j => neighbours(k))
        dx = x(:, j) + d * (v(:, j) + d * (a(:, j) / 2 + d * (jerk(:, j) / 6 + d * snap(:, j) / 24))) - xi(:, m)
        dv = v(:, j) + d * (a(:, j) + d * (jerk(:, j) / 2 + d * snap(:, j) / 6)) - vi(:, m)
        s2 = sum(dx**2) + eps2
        ai(:, m) = ai(:, m) + mass(j) * dx / (s2 * sqrt(s2))
        ji(:, m) = ji(:, m) + mass(j) * (dv - 3 * sum(dx * dv) / s2 * dx) / (s2 * sqrt(s2))
        pi(m) = pi(m) - mass(j) / sqrt(s2)
      end associate
    end do
  end do
end subroutine
