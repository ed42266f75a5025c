/* Two tasks, parent and child, that send each other messages until something goes wrong. trouble MODE:
   killed   the parent kills the child after 5 messages each way (and one with tag 2 of the child's), is told by PVM of its end, and ends
   daemon   prints "ready" after 5 messages each way and goes on for a minute, or until PVM is no more
   hangs    each waits for a message of the other with tag 9, which neither sends
   unsent   each packs one more message, which is never sent, and ends
   late     the child is on another host, which the parent takes off the machine and adds again before
   Of messages 5 go each way in each mode, of 8 bytes, with tag 1; in mode daemon more. */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { messages = 5, gone = 99 };

static void need(int rc, const char* what) {
  if (rc >= 0) return;
  fprintf(stderr, "%s: %d\n", what, rc);
  exit(1);
}

/* Of another host, as PVM has it: a lab's are named by address where their names are not known. */
static char* other_host(void) {
  struct pvmhostinfo* all = NULL;
  int count = 0, architectures = 0;
  need(pvm_config(&count, &architectures, &all), "pvm_config");
  for (int i = 0; i < count; ++i)
    if (all[i].hi_tid != pvm_tidtohost(pvm_mytid())) return strdup(all[i].hi_name);
  need(-1, "another host");
  return NULL;
}

static void exchange(int with, int first) {
  double value = 1;
  for (int turn = 0; turn < 2; ++turn)
    if (turn == first) {
      need(pvm_recv(with, 1), "pvm_recv");
      pvm_upkdouble(&value, 1, 1);
    } else {
      pvm_initsend(PvmDataDefault);
      pvm_pkdouble(&value, 1, 1);
      need(pvm_send(with, 1), "pvm_send");
    }
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  need(pvm_mytid(), "pvm_mytid");
  const int parent = pvm_parent();
  int with = parent;
  if (parent == PvmNoParent) {
    const int is_late = strcmp(mode, "late") == 0;
    char* late = is_late ? other_host() : "";
    int status = 0;
    if (is_late) {
      need(pvm_delhosts(&late, 1, &status), "pvm_delhosts");
      need(status, "the host goes");
      while (pvm_mstat(late) == PvmOk) usleep(1000);
      need(pvm_addhosts(&late, 1, &status), "pvm_addhosts");
      need(status, "the host comes");
    }
    if (pvm_spawn("trouble", argv + 1, is_late ? PvmTaskHost : PvmTaskDefault, late, 1, &with) != 1)
      need(with, "pvm_spawn");
  }
  for (int i = 0; i < messages; ++i) exchange(with, parent == PvmNoParent);
  if (strcmp(mode, "killed") == 0) {
    /* by the parent, when that has all: pvmd drops what a task that has ended wrote last, and tells nobody of one that ends meanwhile.
       The child's fifth can be there before its pvm_send is left, which it then never is: so the child says with tag 2 that it has left it. */
    if (parent != PvmNoParent) {
      pvm_initsend(PvmDataDefault);
      need(pvm_send(with, 2), "pvm_send");
      for (;;) pause();
    }
    need(pvm_recv(with, 2), "pvm_recv");
    need(pvm_notify(PvmTaskExit, gone, 1, &with), "pvm_notify");
    need(pvm_sendsig(with, SIGKILL), "pvm_sendsig");
    need(pvm_recv(-1, gone), "pvm_recv");
  }
  if (strcmp(mode, "daemon") == 0) {
    if (parent == PvmNoParent) {
      puts("ready");
      fflush(stdout);
    }
    for (int i = 0; i < 60 * 100; ++i) {
      exchange(with, parent == PvmNoParent);
      usleep(10000);
    }
  }
  if (strcmp(mode, "hangs") == 0) need(pvm_recv(with, 9), "pvm_recv");
  if (strcmp(mode, "unsent") == 0) {
    double value = 2;
    pvm_initsend(PvmDataRaw);
    pvm_pkdouble(&value, 1, 1);
  }
  pvm_exit();
  return 0;
}
