// The part of MPI's interface that our own programs use (the experiments of `measure`, the kernels of examples/nas), said by PVM's calls, so
// that each of them is written once. What a program says by it is what a PVM program would: a message is pvm_initsend, a pvm_pk*, pvm_send and
// pvm_recv, a pvm_upk*; what goes to all is one pvm_mcast. A send has left the task when it returns; a receive is one of the call that waits
// for it (pvm_recv, or pvm_nrecv where it is only tested). Collectives go through their root. No error comes back: a call of PVM's that fails
// ends the program with its name.
//
// MPI_Init starts the other tasks, one on each host of the virtual machine after the other; TASKS says how many there are to be (the hosts, but
// two at least). With MASTER=1 the program started is none of them: it starts all, as the masters of S4's LU, SP and BT do, and waits for their end. With DIRECT=1
// messages go from task to task (PvmRouteDirect), and not by way of the daemons.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WW_MPI_BY_PVM 1

typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Info;
typedef struct {
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;

enum { MPI_COMM_NULL = -1, MPI_COMM_WORLD = 0, MPI_INFO_NULL = 0, MPI_COMM_TYPE_SHARED = 1 };
enum { MPI_UNDEFINED = -32766, MPI_PROC_NULL = -2, MPI_ANY_TAG = -1, MPI_REQUEST_NULL = 0 };
enum { MPI_BYTE = 1, MPI_CHAR = 2, MPI_INT = 3, MPI_DOUBLE = 4, MPI_INT64_T = 5, MPI_UNSIGNED_LONG_LONG = 6 };
#define MPI_LONG_LONG MPI_INT64_T
enum { MPI_SUM = 1, MPI_MAX = 2, MPI_MIN = 3, MPI_BOR = 4 };
enum { MPI_MAX_PROCESSOR_NAME = 256, MPI_MAX_LIBRARY_VERSION_STRING = 256 };
#define MPI_STATUS_IGNORE ((MPI_Status*)0)
#define MPI_STATUSES_IGNORE ((MPI_Status*)0)

int MPI_Init(int* argc, char*** argv);
int MPI_Finalize(void);
double MPI_Wtime(void);
int MPI_Get_processor_name(char* name, int* length);
int MPI_Get_library_version(char* version, int* length);

int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* out);
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info,
                        MPI_Comm* out);  // MPI_COMM_TYPE_SHARED
int MPI_Comm_free(MPI_Comm* comm);

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status);  // MPI_ANY_TAG only
int MPI_Wait(MPI_Request* request, MPI_Status* status);
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status);
int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status* statuses);
int MPI_Testsome(int count, MPI_Request* requests, int* some, int* which, MPI_Status* statuses);
int MPI_Cancel(MPI_Request* request);

int MPI_Barrier(MPI_Comm comm);
int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request);
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce(const void* own, void* all, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);
int MPI_Allreduce(const void* own, void* all, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Gather(const void* own, int count, MPI_Datatype type, void* all, int each, MPI_Datatype all_type,
               int root, MPI_Comm comm);
int MPI_Allgather(const void* own, int count, MPI_Datatype type, void* all, int each, MPI_Datatype all_type,
                  MPI_Comm comm);
int MPI_Alltoall(const void* out, int count, MPI_Datatype type, void* in, int each, MPI_Datatype in_type,
                 MPI_Comm comm);
int MPI_Alltoallv(const void* out, const int* counts, const int* at, MPI_Datatype type, void* in,
                  const int* in_counts, const int* in_at, MPI_Datatype in_type, MPI_Comm comm);

// Beside MPI's, for the experiments: before MPI_Init, messages by a connection of the two tasks (PvmRouteDirect) or through the daemons, and what
// the tasks that MPI_Init starts print comes out of the first one; a buffer whose contents do not matter is packed once for each size, and
// not unpacked, so that pvm_send and pvm_recv alone are timed.
void ww_pvm_direct_route(int direct);
int ww_pvm_routes_direct(void);  // after MPI_Init
void ww_pvm_catch_output(void);
void ww_pvm_blank_buffer(const void* begin, size_t bytes);
void ww_pvm_no_blank_buffer(const void* begin);
// One more task of this program on the host of rank 0, which all ranks of `comm` call: the communicator with it as the last rank; MPI_COMM_NULL
// if it cannot be started. To the task that is its MPI_COMM_WORLD, whose MPI_Finalize waits for an MPI_Barrier of the others in it.
MPI_Comm ww_pvm_task_beside(MPI_Comm comm);
int ww_pvm_is_beside(void);  // after MPI_Init: whether this is such a task

#ifdef __cplusplus
}
#endif
