// One end of a TCP connection between two hosts of a lab.
//   lab_tcp_pair ADDRESS|- echo BYTES COUNT    the end with "-" listens; the other prints the shortest and
//   the median
//                                              one-way time in us (half a round trip)
//   lab_tcp_pair ADDRESS|- both SECONDS        both ends send all they can; each prints what it received, in
//   bytes/s
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int connected(const std::string& address) {
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_port = htons(5555);
  const int one = 1;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (address == "-") {
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0 || listen(fd, 1) != 0) return -1;
    fd = accept(fd, nullptr, nullptr);
  } else {
    inet_pton(AF_INET, address.c_str(), &name.sin_addr);
    for (int tries = 0; connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0; ++tries) {
      if (tries > 2000) return -1;
      close(fd);
      usleep(1000);
      fd = socket(AF_INET, SOCK_STREAM, 0);
    }
  }
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return fd;
}

bool transfer(int fd, std::vector<char>& data, bool out) {
  for (std::size_t done = 0; done < data.size();) {
    const ssize_t n = out ? send(fd, data.data() + done, data.size() - done, MSG_NOSIGNAL)
                          : recv(fd, data.data() + done, data.size() - done, 0);
    if (n == 0) return false;
    if (n > 0) {
      done += static_cast<std::size_t>(n);
      continue;
    }
    // Asleep, not polling: whoever sleeps is run at once when data comes, also on a busy machine.
    pollfd wanted = {fd, static_cast<short>(out ? POLLOUT : POLLIN), 0};
    poll(&wanted, 1, -1);
  }
  return true;
}

int echo(int fd, bool first, std::size_t bytes, int count) {
  std::vector<char> data(bytes);
  std::vector<double> us;
  for (int i = 0; i < count; ++i) {
    const auto start = Clock::now();
    if (!transfer(fd, data, first) || !transfer(fd, data, !first)) return 1;
    us.push_back(seconds_since(start) / 2 * 1e6);
  }
  std::sort(us.begin(), us.end());
  if (first) std::printf("%.1f %.1f\n", us.front(), us[us.size() / 2]);
  return 0;
}

int both(int fd, double seconds) {
  std::vector<char> out(65536), in(131072);
  std::size_t received = 0;
  const auto start = Clock::now();
  double last = 0;
  while (seconds_since(start) < seconds) {
    (void)send(fd, out.data(), out.size(), MSG_NOSIGNAL);
    const ssize_t n = recv(fd, in.data(), in.size(), 0);
    if (n == 0) break;
    if (n < 0) {
      pollfd wanted = {fd, POLLIN | POLLOUT, 0};
      poll(&wanted, 1, 10);
      continue;
    }
    received += static_cast<std::size_t>(n);
    last = seconds_since(start);
  }
  std::printf("%.0f\n", last > 0 ? static_cast<double>(received) / last : 0.0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const std::string address = argv[1], what = argv[2];
  const int fd = connected(address);
  if (fd < 0) return 1;
  if (what == "both") return both(fd, std::atof(argv[3]));
  return argc > 4 ? echo(fd, address != "-", std::strtoul(argv[3], nullptr, 10), std::atoi(argv[4])) : 2;
}
