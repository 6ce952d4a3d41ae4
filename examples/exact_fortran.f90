! Exact sums in Fortran: sum() depends on the order, and on the compiler; the exact sum does not.
!
!     gfortran accord_exact.f90 exact_fortran.f90 $(pkg-config --libs accord)
program exact_fortran
    use, intrinsic :: iso_fortran_env, only: real64
    use accord_exact
    implicit none
    real(real64) :: x(10000)
    type(exact_sum) :: total
    integer :: i

    x = [(merge(1e16_real64, -1e16_real64, mod(i, 2) == 1) / i + 1.0_real64 / 3, i = 1, size(x))]
    call total%add(x(size(x):1:-1))
    print "(a, 2es26.17)", "sum(x), backwards   ", sum(x), sum(x(size(x):1:-1))
    print "(a, 2es26.17)", "exact, backwards    ", exact_sum_of(x), total%value()
    if (abs(exact_sum_of(x) - total%value()) > 0) error stop 1
end program exact_fortran
