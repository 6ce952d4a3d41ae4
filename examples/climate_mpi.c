/* A climate model's budget over the globe: four fluxes on a grid of 180 x 90 cells, weighted by the
 * areas of the cells, summed over all ranks. Each rank has some rows of latitude. MPI_SUM of
 * rounded sums depends on how many ranks there are; the exact sums, all four in one message, do
 * not:
 *
 *     mpicc climate_mpi.c $(pkg-config --cflags --libs accord-openmpi) -lm   (or accord-mpich)
 *     mpirun -n 3 ./a.out */
#include <accord/mpi.h>
#include <math.h>
#include <stdio.h>

enum { LONGITUDES = 180, LATITUDES = 90, CELLS = LONGITUDES * LATITUDES, FIELDS = 4 };
static const char *const names[FIELDS] = {"sunlight absorbed", "heat radiated", "net flux",
                                          "flux between cells"};
static double area[CELLS], flux[FIELDS][CELLS];

/* The rows first … end - 1: light, heat, what is left of both, and an exchange that moves heat from
 * place to place, large and of either sign, whose true sum is small. */
static int fill(int first, int end)
{
    int cell = 0;
    for (int row = first; row < end; row++)
        for (int column = 0; column < LONGITUDES; column++, cell++) {
            double north = (row + 0.5) * 2 - 90, east = column * 2;
            double y = north / 57.295779513082323, x = east / 57.295779513082323;
            area[cell] = cos(y) * 4.9440e10;
            flux[0][cell] = 310 * cos(y) * (1 + 0.1 * sin(7 * x + 3 * y));
            flux[1][cell] = 240 + 30 * cos(2 * y) * (1 + 0.05 * cos(5 * x - y));
            flux[2][cell] = flux[0][cell] - flux[1][cell];
            flux[3][cell] = 1e6 * sin(3 * x) * cos(y) + 1e-4 * sin(11 * x * y);
        }
    return cell;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    accord_error error;
    double mine[FIELDS] = {0}, naive[FIELDS], exact[FIELDS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int cells = fill(LATITUDES * rank / ranks, LATITUDES * (rank + 1) / ranks);

    for (int f = 0; f < FIELDS; f++)
        for (int i = 0; i < cells; i++)
            mine[f] += flux[f][i] * area[i];
    MPI_Allreduce(mine, naive, FIELDS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

    if (accord_mpi_many_dots_f64(FIELDS, (size_t)cells, flux[0], CELLS, 1, area, 0, 1, NULL,
                                 MPI_COMM_WORLD, exact, &error)) {
        fprintf(stderr, "%s\n", error.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int f = 0; rank == 0 && f < FIELDS; f++)
        printf("%-18s  MPI_SUM %24.17g   exact %24.17g\n", names[f], naive[f], exact[f]);
    MPI_Finalize();
    return 0;
}
