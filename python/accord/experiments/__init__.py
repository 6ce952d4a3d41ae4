"""The papers' experiments: `python -m accord.experiments NAME --output DIR`.

casestudy   trees of sum, GEMV and GEMM, and of half-precision GEMM where there is a GPU
rq1         time to reveal the sum of NumPy, PyTorch and JAX (Figure 5)
rq2         time to reveal NumPy's dot product, GEMV and GEMM (Figure 6)
rq3         time to reveal PyTorch's GEMM on CPU and GPU (Figure 7)
tables      time to reveal dot products and GEMV of three libraries, and GEMM (Tables 3 and 4)
rq4         the orders of the sum in three libraries, n = 4 to 2048
rq5         the orders of half-precision GEMM on a GPU, n = 16 to 2048
bound       what compilers do to three programs, beside proven bounds (Bayati et al., Tables 2 to 7)
operators   operators of PyTorch, NumPy and JAX: do results vary from run to run, and with the number of threads?
training    a graph network trained again and again: how far weights and outputs drift
speed       discovery against the time in the callable, and against the original FPRev

The numbers are of Xie et al., "Revealing Floating-Point Accumulation Orders in Software/Hardware
Implementations" (2025: Figures, casestudy, rq1 to rq3) and "FPRev: Revealing the Order of
Floating-Point Summation by Numerical Testing" (2024: Tables, rq4, rq5). bound is of Bayati et al., "Identifying volatile
numeric expressions in numeric computing applications" (2019). operators and training are of Shanmugavelu et al.,
"Impacts of floating-point non-associativity on reproducibility for HPC and deep learning applications" (2024). With
FPREV_DIR naming a copy of the original, its times stand in the same tables, measured in the same run.
"""
