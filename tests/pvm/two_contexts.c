/* A parent and a child that it spawns. Of messages with one code the parent sends one of 8 bytes in a context of its own (pvm_newcontext), then one of 16 in that in which
 * programs begin; the child receives the second first, by any task and any code. */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>

enum { told = 1, done = 2, both = 7 };

static void need(int rc, const char* what) {
  if (rc >= 0) return;
  fprintf(stderr, "%s: %d\n", what, rc);
  exit(1);
}

static void send_doubles(int to, int count) {
  double values[2] = {1, 2};
  pvm_initsend(PvmDataDefault);
  pvm_pkdouble(values, count, 1);
  need(pvm_send(to, both), "pvm_send");
}

/* How many bytes it had. */
static int receive_any(void) {
  int bytes = 0, code = 0, from = 0, buffer = pvm_recv(-1, -1);
  need(buffer, "pvm_recv");
  need(pvm_bufinfo(buffer, &bytes, &code, &from), "pvm_bufinfo");
  return bytes;
}

int main(int argc, char** argv) {
  int context = 0, child = 0;
  (void)argc;
  need(pvm_mytid(), "pvm_mytid");
  const int parent = pvm_parent();
  if (parent == PvmNoParent) {
    if (pvm_spawn(argv[0], NULL, PvmTaskDefault, "", 1, &child) != 1) need(child, "pvm_spawn");
    context = pvm_newcontext();
    need(context, "pvm_newcontext");
    pvm_initsend(PvmDataDefault);
    pvm_pkint(&context, 1, 1);
    need(pvm_send(child, told), "pvm_send");
    const int usual = pvm_setcontext(context);
    send_doubles(child, 1);
    pvm_setcontext(usual);
    send_doubles(child, 2);
    need(pvm_recv(child, done), "pvm_recv");
    printf("context %d\n", context);
  } else {
    need(pvm_recv(parent, told), "pvm_recv");
    pvm_upkint(&context, 1, 1);
    if (receive_any() != 16) need(-1, "the message of the usual context");
    pvm_setcontext(context);
    if (receive_any() != 8) need(-1, "the message of the other one");
    pvm_setcontext(0);
    pvm_initsend(PvmDataDefault);
    need(pvm_send(parent, done), "pvm_send");
  }
  pvm_exit();
  return 0;
}
