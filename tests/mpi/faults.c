/* An MPI with a fault: MPI_Allreduce, or how ranks begin, as FAULT says. Preloaded into the ranks
 * of mpi: targets. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The terms of all ranks, added from rank `first` on, around. */
static int add_from(int first, const void *in, void *out, int count, MPI_Comm comm)
{
    int ranks, code;
    float *sum = out, *all;
    MPI_Comm_size(comm, &ranks);
    all = malloc(sizeof *all * (size_t)count * (size_t)ranks);
    if (!all)
        return MPI_ERR_NO_MEM;
    code = MPI_Allgather(in, count, MPI_FLOAT, all, count, MPI_FLOAT, comm);
    for (int i = 0; i < count; i++) {
        float total = all[(size_t)first * (size_t)count + (size_t)i];
        for (int k = 1; k < ranks; k++)
            total += all[(size_t)((first + k) % ranks) * (size_t)count + (size_t)i];
        sum[i] = total;
    }
    free(all);
    return code;
}

/* Rank 0 adds what the others send, as it comes. */
static int add_as_it_comes(const void *in, void *out, int count, MPI_Comm comm)
{
    int rank, ranks;
    float *got = malloc(sizeof *got * (size_t)count), *sum = out;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (!got)
        return MPI_ERR_NO_MEM;
    memcpy(out, in, sizeof *got * (size_t)count);
    if (rank > 0)
        MPI_Send(out, count, MPI_FLOAT, 0, 77, comm);
    for (int k = 1; k < ranks && rank == 0; k++) {
        MPI_Recv(got, count, MPI_FLOAT, MPI_ANY_SOURCE, 77, comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++)
            sum[i] += got[i];
    }
    free(got);
    return MPI_Bcast(out, count, MPI_FLOAT, 0, comm);
}

/* A rank that whoever comes first to a lottery starts with; the same on all. */
static int by_chance(int ranks, MPI_Comm comm)
{
    int first = rand() % ranks;
    MPI_Bcast(&first, 1, MPI_INT, 0, comm);
    return first;
}

/* Does the notation of the target that the ranks are given say that? */
static int is_told(const char *setting)
{
    char words[1024] = "";
    FILE *own = fopen("/proc/self/cmdline", "r");
    size_t length = own ? fread(words, 1, sizeof words - 1, own) : 0;
    if (own)
        fclose(own);
    for (size_t i = 0; i < length; i++)
        words[i] = words[i] ? words[i] : ' ';
    return strstr(words, setting) != NULL;
}

/* Do all positions of all ranks have the same terms? Only then is the order the usual one. */
static int all_alike(const void *in, int count, MPI_Comm comm)
{
    const float *x = in;
    int alike = 1;
    for (int i = 1; i < count; i++)
        alike = alike && memcmp(&x[i], &x[0], sizeof *x) == 0;
    PMPI_Allreduce(MPI_IN_PLACE, &alike, 1, MPI_INT, MPI_LAND, comm);
    return alike;
}

__attribute__((visibility("default"))) int
MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int calls;
    const char *fault = getenv("FAULT");
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    calls++;
    if (fault && strcmp(fault, "disagree") == 0)
        return add_from(rank == 2 ? 1 : 0, in, out, count, comm);
    if (fault && strcmp(fault, "arrival") == 0)
        return add_as_it_comes(in, out, count, comm);
    if (fault && strcmp(fault, "last") == 0 && count > 1) /* then the others in their order */
        return add_as_it_comes((const float *)in + count - 1, (float *)out + count - 1, 1, comm) ||
               add_from(0, in, out, count - 1, comm);
    if (fault && strcmp(fault, "chance") == 0)
        return add_from(by_chance(ranks, comm), in, out, count, comm);
    if (fault && strcmp(fault, "late") == 0 && is_told(",delay="))
        return add_from(by_chance(ranks, comm), in, out, count, comm);
    if (fault && strcmp(fault, "again") == 0 && is_told(",warm=100"))
        return add_from(1, in, out, count, comm);
    if (fault && strcmp(fault, "error") == 0 && calls == 20)
        return MPI_ERR_OTHER;
    if (fault && strcmp(fault, "unlike") == 0 && !all_alike(in, count, comm))
        return add_from(1, in, out, count, comm);
    if (fault && strcmp(fault, "history") == 0 && calls <= 5)
        return add_from(0, in, out, count, comm);
    if (fault && strcmp(fault, "death") == 0 && rank == 1 && calls == 20)
        _exit(7);
    if (fault && strcmp(fault, "hang") == 0 && rank == 1 && calls == 20)
        sleep(1000);
    if (fault && strcmp(fault, "count") == 0 && count > 1)
        count--; /* the last position is never added */
    if (fault && strcmp(fault, "beyond") == 0)
        count++;
    return PMPI_Allreduce(in, out, count, type, op, comm);
}

static pid_t rank_itself;

__attribute__((constructor)) static void begin(void)
{
    rank_itself = getpid();
}

/* MPICH removes the files of its shared memory when all ranks have opened them. */
__attribute__((visibility("default"))) int unlink(const char *name)
{
    static int (*real)(const char *);
    const char *fault = getenv("FAULT");
    if (fault && strcmp(fault, "begin") == 0 && getpid() == rank_itself &&
        strncmp(name, "/dev/shm/", strlen("/dev/shm/")) == 0)
        sleep(1000);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "unlink");
    return real(name);
}
