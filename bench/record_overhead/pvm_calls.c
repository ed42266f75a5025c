/* What calls of PVM take in a task by itself: pvm_calls pack|message. pack: a buffer and four numbers. message: one that it sends to itself and
 * receives, packed and unpacked. Run with and without the recorder by pvm.py, which has the number of recorded calls from the trace. Prints one JSON object. */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rounds = 100000, warming = 1000, values = 16 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(int result, const char* what) {
  if (result >= 0) return;
  pvm_perror((char*)what);
  pvm_exit();
  exit(1);
}

static void pack(int self) {
  int of[4] = {self, 2, 3, 4};
  check(pvm_initsend(PvmDataRaw), "pvm_initsend");
  for (int i = 0; i < 4; ++i) check(pvm_pkint(of + i, 1, 1), "pvm_pkint");
}

static void message(int self) {
  static double data[values];
  check(pvm_initsend(PvmDataRaw), "pvm_initsend");
  check(pvm_pkdouble(data, values, 1), "pvm_pkdouble");
  check(pvm_send(self, 1), "pvm_send");
  check(pvm_recv(self, 1), "pvm_recv");
  check(pvm_upkdouble(data, values, 1), "pvm_upkdouble");
}

int main(int argc, char** argv) {
  const int self = pvm_mytid();
  check(self, "pvm_mytid");
  void (*const loop)(int) = argc > 1 && strcmp(argv[1], "message") == 0 ? message : pack;
  double begin = 0;
  for (int i = -warming; i < rounds; ++i) {
    if (i == 0) begin = seconds();
    loop(self);
  }
  printf("{\"round_ns\":%.1f,\"rounds\":%d}\n", (seconds() - begin) * 1e9 / rounds, rounds + warming);
  pvm_exit();
  return 0;
}
