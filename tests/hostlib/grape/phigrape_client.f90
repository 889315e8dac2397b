! A Hermite code with block time steps that shares its j-particles out over MPI ranks, as phiGRAPE does: every rank
! knows all particles and has n / ranks of them on its board, at local addresses under global indices; accelerations,
! jerks and potentials are summed over the ranks. Everything is computed twice in the first call, with guesses 1, 10, -1.
!
! phigrape_client N T_END; the first rank prints steps, energy error and a digest of the final bits.
program phigrape_client
  use block_hermite
  implicit none
  include 'mpif.h'
  integer, parameter :: cluster = 0
  character(16) :: word
  integer :: rank, ranks, of_rank, error, steps, faults, k
  real(real8) :: t, t_end, before, at_rest(3), point(1), other(3, 1), none(1), h2(most)
  real(real8), dimension(3, most) :: part_a, part_jerk
  real(real8), dimension(most) :: part_pot
  integer :: g6_npipes, g6calc_lasthalf2
  external :: g6_npipes, g6calc_lasthalf2

  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  call get_command_argument(1, word)
  read (word, *) n
  call get_command_argument(2, word)
  read (word, *) t_end
  if (mod(n, ranks) /= 0) stop 2
  of_rank = n / ranks
  faults = 0
  call make_sphere()
  before = energy()
  call g6_open(cluster)
  call g6_set_tunit(45)
  call g6_set_xunit(51)
  do k = 1, n
    call send(k)
  end do
  call first_block()
  part_a = 1; part_jerk = 10; part_pot = -1
  call forces(0d0)
  call forces(0d0)
  call force_at_the_origin()
  call first_steps()
  do k = 1, n
    call send(k)
  end do
  t = 0
  steps = 0
  do while (t < t_end)
    t = next_block()
    call forces(t)
    call correct(t)
    do k = 1, count
      call send(active(k))
    end do
    steps = steps + count
  end do
  call g6_close(cluster)
  if (rank == 0) call print_result(steps, before, faults)
  call mpi_finalize(error)
contains
  ! Keeps what belongs to this rank.
  subroutine send(i)
    integer, intent(in) :: i
    real(real8) :: zero(3)
    if ((i - 1) / of_rank /= rank) return
    zero = 0
    call g6_set_j_particle(cluster, i - 1 - rank * of_rank, i, t_of(i), dt_of(i), mass(i), zero, jerk(:, i) / 6, &
      a(:, i) / 2, v(:, i), x(:, i))
  end subroutine

  subroutine forces(time)
    real(real8), intent(in) :: time
    integer :: first, ni, pipes, nearest(most)
    pipes = g6_npipes()
    h2 = eps2
    call g6_set_ti(cluster, time)
    do first = 1, count, pipes
      ni = min(pipes, count - first + 1)
      call g6calc_firsthalf(cluster, of_rank, ni, active(first:), xi(:, first:), vi(:, first:), part_a(:, first:), &
        part_jerk(:, first:), part_pot(first:), eps2, h2)
      if (g6calc_lasthalf2(cluster, of_rank, ni, active(first:), xi(:, first:), vi(:, first:), eps2, h2, &
        part_a(:, first:), part_jerk(:, first:), part_pot(first:), nearest) /= 0) stop 3
      faults = faults + merge(0, 1, all(nearest(:ni) > rank * of_rank .and. nearest(:ni) <= (rank + 1) * of_rank))
    end do
    call mpi_allreduce(part_a, ai, 3 * count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call mpi_allreduce(part_jerk, ji, 3 * count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call mpi_allreduce(part_pot, pi, count, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end subroutine

  ! Index -1 leaves no particle out.
  subroutine force_at_the_origin()
    real(real8) :: expected, acceleration(3, 1), potential(1)
    integer :: nobody(1), nearest(1)
    nobody = -1; at_rest = 0; other = 0; none = 0; acceleration = 1; potential = -1
    call g6calc_firsthalf(cluster, of_rank, 1, nobody, other, other, acceleration, other, potential, eps2, none)
    if (g6calc_lasthalf2(cluster, of_rank, 1, nobody, other, other, eps2, none, acceleration, other, potential, &
      nearest) /= 0) stop 4
    call mpi_allreduce(potential, point, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    expected = -sum(mass(:n) / sqrt(sum(x(:, :n)**2, 1) + eps2))
    if (abs(point(1) / expected - 1) > 1d-6) faults = faults + 1
  end subroutine
end program
