/* Tasks that send each other messages of known sizes, in every way that PVM has, and write what they sent and got, by hand, into
   $PATTERN_LOG/TID: "sent TID TAG BYTES", "got TID TAG BYTES". The expectation of record_test.py. With $PATTERN_LINGERS tasks that were spawned go on for a minute. */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { tasks = 3, ints = 100, doubles = 1500, large = 20000 };

static FILE* log_file;
static int own;

static void note(const char* what, int tid, int tag, int bytes) {
  fprintf(log_file, "%s %d %d %d\n", what, tid, tag, bytes);
}
static void need(int rc, const char* what) {
  if (rc >= 0) return;
  fprintf(stderr, "%s: %d\n", what, rc);
  exit(1);
}
static void send_to(int tid, int tag, int bytes) {
  need(pvm_send(tid, tag), "pvm_send");
  note("sent", tid, tag, bytes);
}
static void receive(int from, int tag, int really_from, int really_tag, int bytes) {
  need(pvm_recv(from, tag), "pvm_recv");
  note("got", really_from, really_tag, bytes);
}

int main(void) {
  static int numbers[ints];
  static double reals[doubles];
  static char bytes[large];
  char path[512];
  own = pvm_mytid();
  need(own, "pvm_mytid");
  snprintf(path, sizeof path, "%s/%x", getenv("PATTERN_LOG"), (unsigned)own);
  log_file = fopen(path, "w");
  if (log_file == NULL) return 2;
  const int parent = pvm_parent();
  int tids[tasks] = {own};
  if (parent < 0) { /* started by hand, or by the console */
    need(pvm_spawn("pattern", NULL, PvmTaskDefault, "", tasks - 1, tids + 1) == tasks - 1 ? 0 : -1,
         "pvm_spawn");
    pvm_initsend(PvmDataDefault);
    pvm_pkint(tids, tasks, 1);
    need(pvm_mcast(tids + 1, tasks - 1, 1), "pvm_mcast");
    for (int i = 1; i < tasks; ++i) note("sent", tids[i], 1, tasks * 4);
  } else {
    receive(parent, 1, parent, 1, tasks * 4);
    need(pvm_upkint(tids, tasks, 1), "pvm_upkint");
  }
  int rank = 0;
  while (tids[rank] != own) ++rank;
  const int next = tids[(rank + 1) % tasks], last = tids[(rank + tasks - 1) % tasks];

  const int encodings[] = {PvmDataDefault, PvmDataRaw, PvmDataInPlace};
  for (int way = 0; way < 3; ++way) {
    pvm_initsend(encodings[way]);
    pvm_pkint(numbers, ints, 1);
    pvm_pkdouble(reals, doubles, 1);
    send_to(next, 10 + way, ints * 4 + doubles * 8);
    receive(last, 10 + way, last, 10 + way, ints * 4 + doubles * 8);
    pvm_upkint(numbers, ints, 1);
    pvm_upkdouble(reals, doubles, 1);
  }
  need(pvm_psend(next, 20, bytes, large, PVM_BYTE), "pvm_psend");
  note("sent", next, 20, large);
  need(pvm_precv(-1, 20, bytes, large, PVM_BYTE, NULL, NULL, NULL), "pvm_precv");
  note("got", last, 20, large);

  pvm_setopt(PvmRoute, PvmRouteDirect);
  pvm_initsend(PvmDataRaw);
  send_to(next, 30, 0);
  while (pvm_nrecv(last, 30) == 0) usleep(1000);
  note("got", last, 30, 0);
  struct timeval soon = {0, 1000}, later = {20, 0};
  if (pvm_trecv(-1, 4711, &soon) != 0) return 3;
  pvm_initsend(PvmDataRaw);
  pvm_pkbyte(bytes, 77, 1);
  send_to(next, 31, 77);
  while (pvm_probe(last, -1) == 0) usleep(1000);
  need(pvm_trecv(-1, -1, &later) > 0 ? 0 : -1, "pvm_trecv");
  note("got", last, 31, 77);

  need(pvm_joingroup("all"), "pvm_joingroup");
  need(pvm_barrier("all", tasks), "pvm_barrier");
  fclose(log_file);
  pvm_lvgroup("all");
  if (parent >= 0 && getenv("PATTERN_LINGERS") != NULL) sleep(60);
  pvm_exit();
  return 0;
}
