! The module accord_exact: values that are known, sums of many numbers in several orders, sections
! of arrays, save and load. Speaks TAP.
program test_exact_fortran
    use, intrinsic :: iso_fortran_env, only: real32, real64, int64
    use, intrinsic :: iso_c_binding, only: c_signed_char
    use accord_exact
    implicit none
    integer :: count = 0, failed = 0

    call test_known
    call test_orders
    call test_dots
    call test_saved
    print "(a, i0)", "1..", count
    if (failed > 0) error stop 1

contains

    subroutine check(good, name)
        logical, intent(in) :: good
        character(*), intent(in) :: name
        count = count + 1
        if (.not. good) failed = failed + 1
        print "(a, i0, a, a)", trim(adjustl(merge("    ok", "not ok", good))) // " ", count, " - ", name
    end subroutine

    logical function same(a, b)
        real(real64), intent(in) :: a, b
        same = transfer(a, 0_int64) == transfer(b, 0_int64)
    end function

    subroutine test_known
        type(exact_sum) :: total, other
        real(real32) :: narrow(3) = [16777216.0_real32, 1.0_real32, 1.0_real32]
        call check(same(total%value(), -0.0_real64), "a sum begins with no terms")
        call total%add([1e308_real64, 1e308_real64, 1.0_real64, -1e308_real64, -1e308_real64])
        call check(same(total%value(), 1.0_real64), "nothing overflows on the way")
        call total%add(epsilon(1.0_real64) / 2)
        call check(same(total%value(), 1.0_real64) .and. total%value(exact_up) > 1 .and. &
            total%value(exact_nearest_away) > 1, "roundings")
        call check(total%terms() == 6, "terms are counted")
        call other%add(narrow)
        call other%add(0.5_real32)
        call other%subtract(0.5_real64)
        call check(other%value_f32() == 16777218.0_real32, "real32")
        call check(exact_sum_of(narrow) == 16777218.0_real32, "real32 in one call")
        call check(same(exact_sum_of([real(real64) ::]), -0.0_real64), "an array without elements")
    end subroutine

    subroutine draw(x)
        real(real64), intent(out) :: x(:)
        real(real64) :: size_of(size(x))
        call random_number(x)
        call random_number(size_of)
        x = (x - 0.5_real64) * 10.0_real64 ** (60 * size_of - 30)
    end subroutine

    subroutine test_orders
        real(real64), save :: x(10000)
        real(real64) :: right
        type(exact_sum) :: forward, backward, parts(7)
        logical :: good = .true.
        integer :: t, i
        do t = 1, 20
            call draw(x)
            x(5001:) = -x(5000:1:-1) * (1 + epsilon(1.0_real64))
            right = exact_sum_of(x)
            forward = exact_sum()
            backward = exact_sum()
            parts = exact_sum()
            do i = 1, size(x)
                call forward%add(x(i))
                call parts(mod(i, 7) + 1)%add(x(i))
            end do
            call backward%add(x(size(x):1:-1))
            do i = 2, 7
                parts(1) = parts(1) + parts(i)
            end do
            good = good .and. same(forward%value(), right) .and. same(backward%value(), right) &
                .and. same(parts(1)%value(), right)
            good = good .and. same(exact_sum_of(x(2::2)) , sum_of_section(x(2::2)))
        end do
        call check(good, "orders, parts and sections of arrays give the same bits")
    end subroutine

    real(real64) function sum_of_section(x)
        real(real64), intent(in) :: x(:)
        type(exact_sum) :: total
        integer :: i
        do i = size(x), 1, -1
            call total%add(x(i))
        end do
        sum_of_section = total%value()
    end function

    subroutine test_dots
        real(real64) :: x(3000), y(3000)
        type(exact_dot) :: forward, backward, dot
        type(exact_sum) :: total
        integer :: i
        call draw(x)
        call draw(y)
        do i = 1, size(x)
            call forward%add(x(i), y(i))
        end do
        call backward%add(x(3000:1001:-1), y(3000:1001:-1))
        call backward%merge(partial(x(:1000), y(:1000)))
        call check(same(forward%value(), exact_dot_of(x, y)) .and. &
            same(backward%value(), exact_dot_of(x, y)) .and. forward%terms() == 3000, "dot products")
        call check(exact_norm_of([3.0_real64, 4.0_real64]) == 5 .and. &
            same(exact_norm_of([1e200_real64, 0.0_real64]), 1e200_real64), "norms")
        call check(exact_dot_of([2.0_real32], [3.0_real32]) == 6 .and. &
            exact_norm_of([3.0_real32, 4.0_real32]) == 5, "real32 products")
        dot = exact_dot()
        call dot%add([1.0_real64, 7.0_real64], [1.0_real64, 7.0_real64])
        call check(dot%mean() == 25 .and. dot%rms() == 5 .and. same(dot%norm(), sqrt(50.0_real64)), &
            "mean, root mean square and norm of products")
        call total%add([1e308_real64, 1e308_real64, 1e308_real64])
        call check(same(total%mean(), 1e308_real64) .and. total%mean(exact_down) <= 1e308_real64, "mean")
    end subroutine

    function partial(x, y) result(dot)
        real(real64), intent(in) :: x(:), y(:)
        type(exact_dot) :: dot
        call dot%add(x, y)
    end function

    subroutine test_saved
        type(exact_sum) :: total, again
        type(exact_dot) :: dot, dot_again
        integer(c_signed_char) :: bytes(exact_bytes), wide(exact_dot_bytes)
        logical :: good, refused, dot_good
        call total%add([0.1_real64, 0.2_real64])
        call total%save(bytes)
        call again%load(bytes, good)
        call dot%add(0.1_real64, 0.2_real64)
        call dot%save(wide)
        call dot_again%load(wide, dot_good)
        call check(good .and. dot_good .and. same(again%value(), total%value()) .and. &
            same(dot_again%value(), dot%value()), "save and load")
        bytes(100) = ieor(bytes(100), 1_c_signed_char)
        call again%load(bytes, refused)
        call check(.not. refused .and. same(again%value(), total%value()), "damaged bytes are refused")
    end subroutine

end program test_exact_fortran
