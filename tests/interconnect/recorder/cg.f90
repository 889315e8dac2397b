! The messages of one outer iteration of NAS Parallel Benchmarks CG, as its Fortran program sends them: a process grid
! of rows and columns, sums along a row by exchanges at halving distance, an exchange with the transposed process.
! By the bindings of the module mpi, or with GDR_F08 defined by those of mpi_f08.
program cg
#ifdef GDR_F08
  use mpi_f08
#define REQUEST type(MPI_Request)
#else
  use mpi
#define REQUEST integer
#endif
  implicit none
  integer, parameter :: order = 1400, inner = 25   ! class S
  integer :: me, ranks, rows, columns, my_row, my_column, mine, kept, stages, step, error
  integer, allocatable :: partner(:), length(:)
  integer :: transposed
  double precision :: w(order), q(order)

  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, me, error)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, error)
  w = 0
  call lay_out
  call exchange_scalars(1)
  do step = 1, inner
    call multiply
    call exchange_scalars(1)
    call exchange_scalars(1)
  end do
  call multiply
  call exchange_scalars(1)
  call exchange_scalars(2)
  call mpi_finalize(error)

contains

  subroutine lay_out
    integer :: factor, i
    rows = 1
    do while (rows * rows * 4 <= ranks)
      rows = rows * 2
    end do
    columns = ranks / rows
    my_row = me / columns
    my_column = mod(me, columns)
    mine = order / rows
    if (my_row < mod(order, rows)) mine = mine + 1
    kept = mine
    if (columns /= rows) then
      kept = mine / 2
      if (mod(me, 2) == 0) kept = mine - mine / 2
      transposed = 2 * (mod(me / 2, rows) * rows + me / 2 / rows) + mod(me, 2)
    else
      transposed = mod(me, rows) * rows + me / rows
    end if
    stages = 0
    factor = columns
    do while (factor > 1)
      stages = stages + 1
      factor = factor / 2
    end do
    allocate (partner(stages), length(stages))
    factor = columns
    do i = 1, stages
      partner(i) = my_row * columns + mod(my_column + factor / 2, factor) + my_column / factor * factor
      length(i) = kept
      if (columns /= rows .and. i == stages) length(i) = mine - kept
      factor = factor / 2
    end do
  end subroutine

  subroutine trade(with, count)
    integer, intent(in) :: with, count
    REQUEST :: request
    call mpi_irecv(q, order, MPI_DOUBLE_PRECISION, with, 1, MPI_COMM_WORLD, request, error)
    call mpi_send(w, count, MPI_DOUBLE_PRECISION, with, 1, MPI_COMM_WORLD, error)
    call mpi_wait(request, MPI_STATUS_IGNORE, error)
  end subroutine

  subroutine multiply
    integer :: i
    do i = stages, 1, -1
      call trade(partner(i), length(i))
    end do
    if (transposed /= me) call trade(transposed, kept)
  end subroutine

  subroutine exchange_scalars(count)
    integer, intent(in) :: count
    integer :: i
    do i = 1, stages
      call trade(partner(i), count)
    end do
  end subroutine
end program
