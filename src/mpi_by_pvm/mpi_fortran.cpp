// What mpi.f90 calls: by reference, and the error behind all.
#include <fstream>
#include <string>
#include <vector>

#include "mpi_by_pvm/mpi.h"

extern "C" {

void ww_f_init(int* error) {
  // Fortran gives no arguments: the process has them
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  char** arguments = argv.data();
  *error = MPI_Init(&argc, &arguments);
}
void ww_f_finalize(int* error) {
  *error = MPI_Finalize();
}
void ww_f_comm_rank(const int* comm, int* rank, int* error) {
  *error = MPI_Comm_rank(*comm, rank);
}
void ww_f_comm_size(const int* comm, int* ranks, int* error) {
  *error = MPI_Comm_size(*comm, ranks);
}
void ww_f_send(const void* data, const int* n, const int* type, const int* to, const int* tag,
               const int* comm, int* error) {
  *error = MPI_Send(data, *n, *type, *to, *tag, *comm);
}
void ww_f_recv(void* data, const int* n, const int* type, const int* from, const int* tag, const int* comm,
               const int*, int* error) {
  *error = MPI_Recv(data, *n, *type, *from, *tag, *comm, MPI_STATUS_IGNORE);
}
void ww_f_isend(const void* data, const int* n, const int* type, const int* to, const int* tag,
                const int* comm, int* request, int* error) {
  *error = MPI_Isend(data, *n, *type, *to, *tag, *comm, request);
}
void ww_f_irecv(void* data, const int* n, const int* type, const int* from, const int* tag, const int* comm,
                int* request, int* error) {
  *error = MPI_Irecv(data, *n, *type, *from, *tag, *comm, request);
}
void ww_f_waitall(const int* n, int* requests, const int*, int* error) {
  *error = MPI_Waitall(*n, requests, MPI_STATUSES_IGNORE);
}
void ww_f_barrier(const int* comm, int* error) {
  *error = MPI_Barrier(*comm);
}
void ww_f_allreduce(const void* own, void* all, const int* n, const int* type, const int* op, const int* comm,
                    int* error) {
  *error = MPI_Allreduce(own, all, *n, *type, *op, *comm);
}
void ww_f_gather(const void* own, const int* n, const int* type, void* all, const int* each,
                 const int* all_type, const int* root, const int* comm, int* error) {
  *error = MPI_Gather(own, *n, *type, all, *each, *all_type, *root, *comm);
}
}
