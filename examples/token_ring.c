/* The ring of Zabel 1996, section 2.4, for PVM: tasks of a group pass a token around twice.
     TASKS=4 token_ring [BYTES]       where a pvmd runs; BYTES of the token, 4096
   Each task adds its number in the group to every value of the token before it passes it on, by which the first one verifies it. */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char group[] = "token_ring";
enum { token_tag = 1, rounds = 2, longest = 1 << 24 };

static int need(int result, const char* call) {
  if (result >= 0) return result;
  fprintf(stderr, "token_ring: %s: error %d\n", call, result);
  pvm_exit();
  exit(1);
}

static void send_on(int* token, int count, int to) {
  need(pvm_initsend(PvmDataRaw), "pvm_initsend");
  need(pvm_pkint(token, count, 1), "pvm_pkint");
  need(pvm_send(to, token_tag), "pvm_send");
}

static void take(int* token, int count, int from) {
  need(pvm_recv(from, token_tag), "pvm_recv");
  need(pvm_upkint(token, count, 1), "pvm_upkint");
}

int main(int argc, char** argv) {
  const int bytes = argc > 1 ? atoi(argv[1]) : 4096;
  const char* wanted = getenv("TASKS");
  int tasks = wanted != NULL ? atoi(wanted) : 4;
  if (bytes < (int)sizeof(int) || bytes > longest || tasks < 2 || tasks > 1024) {
    fprintf(stderr, "usage: [TASKS=N] token_ring [BYTES]\n");
    return 2;
  }
  need(pvm_mytid(), "pvm_mytid");
  const int own = need(pvm_joingroup((char*)group), "pvm_joingroup");
  /* the first one says how many there are, as variables do not reach what PVM starts */
  if (pvm_parent() == PvmNoParent) {
    char program[4096] = {0}, size[32], count[32];
    char* arguments[] = {size, count, NULL};
    snprintf(size, sizeof size, "%d", bytes);
    snprintf(count, sizeof count, "%d", tasks);
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0) return 1;
    if (pvm_spawn(program, arguments, PvmTaskDefault, "", tasks - 1, NULL) != tasks - 1)
      need(-1, "pvm_spawn");
  } else {
    tasks = argc > 2 ? atoi(argv[2]) : tasks;
  }
  need(pvm_barrier((char*)group, tasks), "pvm_barrier");
  const int next = need(pvm_gettid((char*)group, (own + 1) % tasks), "pvm_gettid");
  const int last = need(pvm_gettid((char*)group, (own + tasks - 1) % tasks), "pvm_gettid");

  const int count = bytes / (int)sizeof(int);
  int* token = calloc((size_t)count, sizeof *token);
  if (token == NULL) return 1;
  for (int round = 0; round < rounds; ++round) {
    if (own != 0) take(token, count, last);
    for (int i = 0; i < count; ++i) token[i] += own;
    send_on(token, count, next);
    if (own == 0) take(token, count, last);
  }
  int wrong = 0;
  for (int i = 0; own == 0 && i < count; ++i) wrong += token[i] != rounds * tasks * (tasks - 1) / 2;
  if (own == 0)
    printf("%d tasks, %d bytes, %d rounds: %s\n", tasks, bytes, rounds, wrong == 0 ? "verified" : "WRONG");
  free(token);
  need(pvm_barrier((char*)group, tasks), "pvm_barrier");
  pvm_lvgroup((char*)group);
  pvm_exit();
  return wrong == 0 ? 0 : 1;
}
