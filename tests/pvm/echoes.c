/* echoes BYTES COUNT [kill]: a task on the first host sends BYTES to one on the next, if there is one, which sends them back, COUNT times; says
   where that is, the median of a way there and back in microseconds, and whether the other task has the daemons' recorder loaded (0 or 1).
   kill: the other task then kills the daemon that started it. By PVM's default route. */
#include <pvm3.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { there = 1, back = 2 };

static void need(int rc, const char* what) {
  if (rc >= 0) return;
  fprintf(stderr, "%s: %d\n", what, rc);
  exit(1);
}
static void send_to(int tid, int tag, char* bytes, int size) {
  need(pvm_initsend(PvmDataRaw), "pvm_initsend");
  need(pvm_pkbyte(bytes, size, 1), "pvm_pkbyte");
  need(pvm_send(tid, tag), "pvm_send");
}
static void receive(int tid, int tag, char* bytes, int size) {
  need(pvm_recv(tid, tag), "pvm_recv");
  need(pvm_upkbyte(bytes, size, 1), "pvm_upkbyte");
}
static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}
static int ascending(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static char has_recorder(void) {
  static char line[4096];
  char found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
    if (strstr(line, "libwhatwire-pvmd") != NULL) found = 1;
  if (maps != NULL) fclose(maps);
  return found;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int size = atoi(argv[1]), count = atoi(argv[2]), kills = argc > 3;
  char* bytes = calloc(1, (size_t)size);
  double* times = calloc((size_t)count, sizeof *times);
  need(pvm_mytid(), "pvm_mytid");
  const int parent = pvm_parent();
  if (parent > 0) {
    for (int i = 0; i < count; ++i) {
      receive(parent, there, bytes, size);
      bytes[0] = has_recorder();
      send_to(parent, back, bytes, size);
    }
    if (kills) {
      receive(parent, there, bytes, size); /* all that was sent is there */
      kill(getppid(), SIGKILL);
    }
    pvm_exit();
    return 0;
  }
  struct pvmhostinfo* hosts;
  int host_count = 0, archs = 0, other = 0;
  need(pvm_config(&host_count, &archs, &hosts), "pvm_config");
  char* program = strrchr(argv[0], '/');
  if (pvm_spawn(program == NULL ? argv[0] : program + 1, argv + 1, PvmTaskHost, hosts[host_count > 1].hi_name,
                1, &other) != 1)
    return 4;
  for (int i = 0; i < count; ++i) {
    const double begun = now_us();
    send_to(other, there, bytes, size);
    receive(other, back, bytes, size);
    times[i] = now_us() - begun;
  }
  qsort(times, (size_t)count, sizeof *times, ascending);
  printf("%s %.1f %d\n", hosts[host_count > 1].hi_name, times[count / 2], bytes[0]);
  fflush(stdout);
  if (kills) {
    send_to(other, there, bytes, size);
    sleep(1);
  }
  pvm_exit();
  return 0;
}
