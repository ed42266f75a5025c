/* Preloaded into tasks that PVM's console starts, which it alone has libpvm3 trace: one of the console's says that it has no parent, as if it were started by hand. Programs ask
 * that to know who is first. Other tasks have the parent that they have. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pvm3.h>

/* pvmd has no program's name for a task that it did not start. */
static int is_console(int tid) {
  struct pvmtaskinfo* tasks;
  int count = 0;
  return pvm_tasks(tid, &count, &tasks) == 0 && count == 1 && tasks->ti_a_out[0] == 0;
}

int pvm_parent(void) {
  static int (*next)(void);
  int parent;
  if (!next) next = (int (*)(void))dlsym(RTLD_NEXT, "pvm_parent");
  parent = next();
  return parent > 0 && is_console(parent) ? PvmNoParent : parent;
}
