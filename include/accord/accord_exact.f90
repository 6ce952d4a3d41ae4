! Exact sums in Fortran 2003 and later: accumulators as values, over accord/exact.h, whose contract
! is that of this module. Modules differ from compiler to compiler, so this file is compiled along:
!
!     gfortran accord_exact.f90 program.f90 $(pkg-config --libs accord)
!
!     use accord_exact
!     type(exact_sum) :: total
!     call total%add(x)               ! a number or an array of real32 or real64
!     print *, total%value(), total%mean()    ! each rounded once
!     print *, exact_sum_of(x), exact_dot_of(x, y), exact_norm_of(x)
!
! An accumulator begins as the sum of no terms, whose value is -0. Accumulators are added by
! call a%merge(b), or a + b, and can be copied by assignment.
module accord_exact
    use, intrinsic :: iso_c_binding, only: c_double, c_float, c_int, c_int64_t, c_size_t, &
        c_intptr_t, c_ptr, c_null_ptr, c_signed_char
    implicit none
    private
    public :: exact_sum, exact_dot, exact_sum_of, exact_dot_of, exact_norm_of
    public :: exact_nearest_even, exact_toward_zero, exact_down, exact_up, exact_nearest_away
    public :: exact_bytes, exact_dot_bytes, operator(+)

    ! Directions of rounding, as enum accord_exact_rounding.
    integer, parameter :: exact_nearest_even = 0, exact_toward_zero = 1, exact_down = 2
    integer, parameter :: exact_up = 3, exact_nearest_away = 4
    ! Lengths of the saved forms.
    integer, parameter :: exact_bytes = 364, exact_dot_bytes = 628

    ! As accord_exact and accord_exact_wide: limbs, counts, pending.
    type, bind(c) :: small
        integer(c_int64_t) :: words(77) = 0
    end type
    type, bind(c) :: wide
        integer(c_int64_t) :: words(143) = 0
    end type

    type :: exact_sum
        private
        type(small) :: it
    contains
        procedure, private :: add_f64, add_f32, add_array_f64, add_array_f32
        generic :: add => add_f64, add_f32, add_array_f64, add_array_f32
        procedure, private :: subtract_f64
        generic :: subtract => subtract_f64
        procedure :: merge => merge_sum
        procedure :: value => value_f64
        procedure :: value_f32
        procedure :: mean => mean_of_sum
        procedure :: terms => terms_of_sum
        procedure :: save => save_sum
        procedure :: load => load_sum
    end type

    ! Sums of products of real64, none of which is rounded. norm and rms are the square roots of the sum
    ! and of the mean, where the products are squares.
    type :: exact_dot
        private
        type(wide) :: it
    contains
        procedure, private :: add_product, add_products
        generic :: add => add_product, add_products
        procedure :: merge => merge_dot
        procedure :: value => value_dot
        procedure :: mean => mean_of_dot
        procedure :: norm => norm_of_dot
        procedure :: rms => rms_of_dot
        procedure :: terms => terms_of_dot
        procedure :: save => save_dot
        procedure :: load => load_dot
    end type

    interface operator(+)
        module procedure sum_plus_sum, dot_plus_dot
    end interface
    ! The exact sum of an array, of products, and the root of the exact sum of squares, rounded once.
    interface exact_sum_of
        module procedure sum_of_f64, sum_of_f32
    end interface
    interface exact_dot_of
        module procedure dot_of_f64, dot_of_f32
    end interface
    interface exact_norm_of
        module procedure norm_of_f64, norm_of_f32
    end interface

    interface
        subroutine c_add_array_f64(sum, n, x, stride) bind(c, name="accord_exact_add_array_f64")
            import
            type(small), intent(inout) :: sum
            integer(c_size_t), value :: n
            real(c_double), intent(in) :: x(*)
            integer(c_intptr_t), value :: stride
        end subroutine
        subroutine c_add_array_f32(sum, n, x, stride) bind(c, name="accord_exact_add_array_f32")
            import
            type(small), intent(inout) :: sum
            integer(c_size_t), value :: n
            real(c_float), intent(in) :: x(*)
            integer(c_intptr_t), value :: stride
        end subroutine
        subroutine c_subtract_f64(sum, x) bind(c, name="accord_exact_subtract_f64")
            import
            type(small), intent(inout) :: sum
            real(c_double), value :: x
        end subroutine
        function c_add(sum, other, error) bind(c, name="accord_exact_add") result(status)
            import
            type(small), intent(inout) :: sum
            type(small), intent(in) :: other
            type(c_ptr), value :: error
            integer(c_int) :: status
        end function
        function c_value_f64(sum, rounding) bind(c, name="accord_exact_f64") result(x)
            import
            type(small), intent(in) :: sum
            integer(c_int), value :: rounding
            real(c_double) :: x
        end function
        function c_mean(sum, rounding) bind(c, name="accord_exact_mean_f64") result(x)
            import
            type(small), intent(in) :: sum
            integer(c_int), value :: rounding
            real(c_double) :: x
        end function
        function c_wide_mean(sum, rounding) bind(c, name="accord_exact_wide_mean_f64") result(x)
            import
            type(wide), intent(in) :: sum
            integer(c_int), value :: rounding
            real(c_double) :: x
        end function
        function c_wide_norm(sum, rounding) bind(c, name="accord_exact_wide_norm_f64") result(x)
            import
            type(wide), intent(in) :: sum
            integer(c_int), value :: rounding
            real(c_double) :: x
        end function
        function c_wide_rms(sum, rounding) bind(c, name="accord_exact_wide_rms_f64") result(x)
            import
            type(wide), intent(in) :: sum
            integer(c_int), value :: rounding
            real(c_double) :: x
        end function
        function c_value_f32(sum, rounding) bind(c, name="accord_exact_f32") result(x)
            import
            type(small), intent(in) :: sum
            integer(c_int), value :: rounding
            real(c_float) :: x
        end function
        subroutine c_save(sum, bytes) bind(c, name="accord_exact_save")
            import
            type(small), intent(in) :: sum
            integer(c_signed_char), intent(out) :: bytes(*)
        end subroutine
        function c_load(sum, bytes, length, error) bind(c, name="accord_exact_load") result(status)
            import
            type(small), intent(inout) :: sum
            integer(c_signed_char), intent(in) :: bytes(*)
            integer(c_size_t), value :: length
            type(c_ptr), value :: error
            integer(c_int) :: status
        end function
        subroutine c_add_products(sum, n, x, stride_x, y, stride_y) &
                bind(c, name="accord_exact_wide_add_products_f64")
            import
            type(wide), intent(inout) :: sum
            integer(c_size_t), value :: n
            real(c_double), intent(in) :: x(*), y(*)
            integer(c_intptr_t), value :: stride_x, stride_y
        end subroutine
        function c_wide_add(sum, other, error) bind(c, name="accord_exact_wide_add") result(status)
            import
            type(wide), intent(inout) :: sum
            type(wide), intent(in) :: other
            type(c_ptr), value :: error
            integer(c_int) :: status
        end function
        function c_wide_value(sum, rounding) bind(c, name="accord_exact_wide_f64") result(x)
            import
            type(wide), intent(in) :: sum
            integer(c_int), value :: rounding
            real(c_double) :: x
        end function
        subroutine c_wide_save(sum, bytes) bind(c, name="accord_exact_wide_save")
            import
            type(wide), intent(in) :: sum
            integer(c_signed_char), intent(out) :: bytes(*)
        end subroutine
        function c_wide_load(sum, bytes, length, error) bind(c, name="accord_exact_wide_load") &
                result(status)
            import
            type(wide), intent(inout) :: sum
            integer(c_signed_char), intent(in) :: bytes(*)
            integer(c_size_t), value :: length
            type(c_ptr), value :: error
            integer(c_int) :: status
        end function
        function c_sum_f64(n, x, stride, options, out, error) bind(c, name="accord_sum_exact_f64") &
                result(status)
            import
            integer(c_size_t), value :: n
            real(c_double), intent(in) :: x(*)
            integer(c_intptr_t), value :: stride
            type(c_ptr), value :: options, error
            real(c_double), intent(out) :: out
            integer(c_int) :: status
        end function
        function c_sum_f32(n, x, stride, options, out, error) bind(c, name="accord_sum_exact_f32") &
                result(status)
            import
            integer(c_size_t), value :: n
            real(c_float), intent(in) :: x(*)
            integer(c_intptr_t), value :: stride
            type(c_ptr), value :: options, error
            real(c_float), intent(out) :: out
            integer(c_int) :: status
        end function
        function c_dot_f64(n, x, stride_x, y, stride_y, options, out, error) &
                bind(c, name="accord_dot_exact_f64") result(status)
            import
            integer(c_size_t), value :: n
            real(c_double), intent(in) :: x(*), y(*)
            integer(c_intptr_t), value :: stride_x, stride_y
            type(c_ptr), value :: options, error
            real(c_double), intent(out) :: out
            integer(c_int) :: status
        end function
        function c_dot_f32(n, x, stride_x, y, stride_y, options, out, error) &
                bind(c, name="accord_dot_exact_f32") result(status)
            import
            integer(c_size_t), value :: n
            real(c_float), intent(in) :: x(*), y(*)
            integer(c_intptr_t), value :: stride_x, stride_y
            type(c_ptr), value :: options, error
            real(c_float), intent(out) :: out
            integer(c_int) :: status
        end function
        function c_norm_f64(n, x, stride, options, out, error) bind(c, name="accord_nrm2_exact_f64") &
                result(status)
            import
            integer(c_size_t), value :: n
            real(c_double), intent(in) :: x(*)
            integer(c_intptr_t), value :: stride
            type(c_ptr), value :: options, error
            real(c_double), intent(out) :: out
            integer(c_int) :: status
        end function
        function c_norm_f32(n, x, stride, options, out, error) bind(c, name="accord_nrm2_exact_f32") &
                result(status)
            import
            integer(c_size_t), value :: n
            real(c_float), intent(in) :: x(*)
            integer(c_intptr_t), value :: stride
            type(c_ptr), value :: options, error
            real(c_float), intent(out) :: out
            integer(c_int) :: status
        end function
    end interface

contains

    ! What can fail here fails for lack of memory or after 2^62 terms.
    subroutine require(status)
        integer(c_int), intent(in) :: status
        if (status /= 0) error stop "accord: an exact sum failed"
    end subroutine

    integer(c_int) function direction(rounding)
        integer, intent(in), optional :: rounding
        direction = exact_nearest_even
        if (present(rounding)) direction = int(rounding, c_int)
    end function

    subroutine add_f64(self, x)
        class(exact_sum), intent(inout) :: self
        real(c_double), intent(in) :: x
        call c_add_array_f64(self%it, 1_c_size_t, [x], 1_c_intptr_t)
    end subroutine

    subroutine add_f32(self, x)
        class(exact_sum), intent(inout) :: self
        real(c_float), intent(in) :: x
        call c_add_array_f32(self%it, 1_c_size_t, [x], 1_c_intptr_t)
    end subroutine

    subroutine add_array_f64(self, x)
        class(exact_sum), intent(inout) :: self
        real(c_double), intent(in) :: x(:)
        call c_add_array_f64(self%it, size(x, kind=c_size_t), x, 1_c_intptr_t)
    end subroutine

    subroutine add_array_f32(self, x)
        class(exact_sum), intent(inout) :: self
        real(c_float), intent(in) :: x(:)
        call c_add_array_f32(self%it, size(x, kind=c_size_t), x, 1_c_intptr_t)
    end subroutine

    subroutine subtract_f64(self, x)
        class(exact_sum), intent(inout) :: self
        real(c_double), intent(in) :: x
        call c_subtract_f64(self%it, x)
    end subroutine

    subroutine merge_sum(self, other)
        class(exact_sum), intent(inout) :: self
        class(exact_sum), intent(in) :: other
        type(small) :: terms
        terms = other%it
        call require(c_add(self%it, terms, c_null_ptr))
    end subroutine

    function sum_plus_sum(a, b) result(c)
        type(exact_sum), intent(in) :: a, b
        type(exact_sum) :: c
        c = a
        call c%merge(b)
    end function

    function value_f64(self, rounding) result(x)
        class(exact_sum), intent(in) :: self
        integer, intent(in), optional :: rounding
        real(c_double) :: x
        x = c_value_f64(self%it, direction(rounding))
    end function

    function value_f32(self, rounding) result(x)
        class(exact_sum), intent(in) :: self
        integer, intent(in), optional :: rounding
        real(c_float) :: x
        x = c_value_f32(self%it, direction(rounding))
    end function

    function mean_of_sum(self, rounding) result(x)
        class(exact_sum), intent(in) :: self
        integer, intent(in), optional :: rounding
        real(c_double) :: x
        x = c_mean(self%it, direction(rounding))
    end function

    integer(c_int64_t) function terms_of_sum(self)
        class(exact_sum), intent(in) :: self
        terms_of_sum = self%it%words(71)
    end function

    subroutine save_sum(self, bytes)
        class(exact_sum), intent(in) :: self
        integer(c_signed_char), intent(out) :: bytes(exact_bytes)
        call c_save(self%it, bytes)
    end subroutine

    ! good: are the bytes such a form, or the compact one of accord/exact.h? If not, self is as it was.
    subroutine load_sum(self, bytes, good)
        class(exact_sum), intent(inout) :: self
        integer(c_signed_char), intent(in) :: bytes(:)
        logical, intent(out) :: good
        good = c_load(self%it, bytes, size(bytes, kind=c_size_t), c_null_ptr) == 0
    end subroutine

    subroutine add_product(self, x, y)
        class(exact_dot), intent(inout) :: self
        real(c_double), intent(in) :: x, y
        call c_add_products(self%it, 1_c_size_t, [x], 1_c_intptr_t, [y], 1_c_intptr_t)
    end subroutine

    ! x and y are equally long.
    subroutine add_products(self, x, y)
        class(exact_dot), intent(inout) :: self
        real(c_double), intent(in) :: x(:), y(:)
        call same_size(size(x, kind=c_size_t), size(y, kind=c_size_t))
        call c_add_products(self%it, size(x, kind=c_size_t), x, 1_c_intptr_t, y, 1_c_intptr_t)
    end subroutine

    subroutine merge_dot(self, other)
        class(exact_dot), intent(inout) :: self
        class(exact_dot), intent(in) :: other
        type(wide) :: terms
        terms = other%it
        call require(c_wide_add(self%it, terms, c_null_ptr))
    end subroutine

    function dot_plus_dot(a, b) result(c)
        type(exact_dot), intent(in) :: a, b
        type(exact_dot) :: c
        c = a
        call c%merge(b)
    end function

    function value_dot(self, rounding) result(x)
        class(exact_dot), intent(in) :: self
        integer, intent(in), optional :: rounding
        real(c_double) :: x
        x = c_wide_value(self%it, direction(rounding))
    end function

    function mean_of_dot(self, rounding) result(x)
        class(exact_dot), intent(in) :: self
        integer, intent(in), optional :: rounding
        real(c_double) :: x
        x = c_wide_mean(self%it, direction(rounding))
    end function

    function norm_of_dot(self, rounding) result(x)
        class(exact_dot), intent(in) :: self
        integer, intent(in), optional :: rounding
        real(c_double) :: x
        x = c_wide_norm(self%it, direction(rounding))
    end function

    function rms_of_dot(self, rounding) result(x)
        class(exact_dot), intent(in) :: self
        integer, intent(in), optional :: rounding
        real(c_double) :: x
        x = c_wide_rms(self%it, direction(rounding))
    end function

    integer(c_int64_t) function terms_of_dot(self)
        class(exact_dot), intent(in) :: self
        terms_of_dot = self%it%words(137)
    end function

    subroutine save_dot(self, bytes)
        class(exact_dot), intent(in) :: self
        integer(c_signed_char), intent(out) :: bytes(exact_dot_bytes)
        call c_wide_save(self%it, bytes)
    end subroutine

    subroutine load_dot(self, bytes, good)
        class(exact_dot), intent(inout) :: self
        integer(c_signed_char), intent(in) :: bytes(:)
        logical, intent(out) :: good
        good = c_wide_load(self%it, bytes, size(bytes, kind=c_size_t), c_null_ptr) == 0
    end subroutine

    subroutine same_size(n, m)
        integer(c_size_t), intent(in) :: n, m
        if (n /= m) error stop "accord: the arrays of a dot product differ in length"
    end subroutine

    function sum_of_f64(x) result(out)
        real(c_double), intent(in) :: x(:)
        real(c_double) :: out
        call require(c_sum_f64(size(x, kind=c_size_t), x, 1_c_intptr_t, c_null_ptr, out, c_null_ptr))
    end function

    function sum_of_f32(x) result(out)
        real(c_float), intent(in) :: x(:)
        real(c_float) :: out
        call require(c_sum_f32(size(x, kind=c_size_t), x, 1_c_intptr_t, c_null_ptr, out, c_null_ptr))
    end function

    function dot_of_f64(x, y) result(out)
        real(c_double), intent(in) :: x(:), y(:)
        real(c_double) :: out
        call same_size(size(x, kind=c_size_t), size(y, kind=c_size_t))
        call require(c_dot_f64(size(x, kind=c_size_t), x, 1_c_intptr_t, y, 1_c_intptr_t, &
            c_null_ptr, out, c_null_ptr))
    end function

    function dot_of_f32(x, y) result(out)
        real(c_float), intent(in) :: x(:), y(:)
        real(c_float) :: out
        call same_size(size(x, kind=c_size_t), size(y, kind=c_size_t))
        call require(c_dot_f32(size(x, kind=c_size_t), x, 1_c_intptr_t, y, 1_c_intptr_t, &
            c_null_ptr, out, c_null_ptr))
    end function

    function norm_of_f64(x) result(out)
        real(c_double), intent(in) :: x(:)
        real(c_double) :: out
        call require(c_norm_f64(size(x, kind=c_size_t), x, 1_c_intptr_t, c_null_ptr, out, c_null_ptr))
    end function

    function norm_of_f32(x) result(out)
        real(c_float), intent(in) :: x(:)
        real(c_float) :: out
        call require(c_norm_f32(size(x, kind=c_size_t), x, 1_c_intptr_t, c_null_ptr, out, c_null_ptr))
    end function

end module accord_exact
