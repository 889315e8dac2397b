! A periodic grid of 2 x 4 ranks whose processes MPI may reorder, by the bindings of the module mpi, or with GDR_F08
! defined by those of mpi_f08. Prints what cases.c prints of a grid, but for the messages.
program grid
#ifdef GDR_F08
  use mpi_f08
#define COMM type(MPI_Comm)
#else
  use mpi
#define COMM integer
#endif
  implicit none
  integer :: me, ranks, rank, i, error, at(2), before, behind, all(8)
  integer, allocatable :: lines(:, :)
  logical :: periodic(2) = .true.
  COMM :: made

  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, me, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  call mpi_cart_create(MPI_COMM_WORLD, 2, [2, ranks / 2], periodic, .true., made, error)
  call mpi_comm_rank(made, rank, error)
  call mpi_cart_coords(made, rank, 2, at, error)
  all(1:4) = [me, rank, at(1), at(2)]
  call mpi_cart_shift(made, 0, 1, before, behind, error)
  all(5:6) = [before, behind]
  call mpi_cart_shift(made, 1, 1, before, behind, error)
  all(7:8) = [before, behind]
  allocate(lines(8, ranks))
  call mpi_gather(all, 8, MPI_INTEGER, lines, 8, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  if (me == 0) then
    do i = 1, ranks
      print '(a, i0, a, i0, a, i0, 1x, i0, a, i0, 1x, i0, a, i0, 1x, i0)', ' world ', lines(1, i), ' rank ', lines(2, i), &
        ' at ', lines(3:4, i), ' shift ', lines(5:6, i), ' shift ', lines(7:8, i)
    end do
  end if
  call mpi_finalize(error)
end program grid
