// One end of a TCP connection between two hosts of a lab.
//   lab_tcp_pair ADDRESS|- echo BYTES COUNT    the end with "-" listens; the other prints the shortest and
//   the median
//                                              one-way time in us (half a round trip)
//   lab_tcp_pair ADDRESS|- both SECONDS        both ends send all they can; each prints what it received, in
//   bytes/s
//   lab_tcp_pair ADDRESS|- bulk SECONDS        the connecting end sends all it can; the listening one prints
//   what
//                                              it received after the first fifth of that time, in bytes/s
//   lab_tcp_pair ADDRESS|- pace SECONDS BYTES GAP_US
//                                              the connecting end sends BYTES at random times, GAP_US apart
//                                              in the mean; the listening one prints what it received, in
//                                              bytes
//   lab_tcp_pair ADDRESS|- flood SECONDS       datagrams of a full frame instead of TCP, as many as the wire
//   takes;
//                                              the listening one prints what it received, in bytes
// ADDRESS and - may be followed by :PORT (5555 otherwise).
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int connected(const std::string& address, std::uint16_t port) {
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
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

int send_for(int fd, double seconds) {
  std::vector<char> out(65536);
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
    if (send(fd, out.data(), out.size(), MSG_NOSIGNAL) >= 0) continue;
    pollfd wanted = {fd, POLLOUT, 0};
    poll(&wanted, 1, 10);
  }
  return 0;
}

// The rate between the first read after a fifth of the time and the last.
int receive_bulk(int fd, double seconds) {
  std::vector<char> in(131072);
  double counted = 0, first = 0, last = 0;
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
    const ssize_t n = recv(fd, in.data(), in.size(), 0);
    if (n == 0) break;
    if (n < 0) {
      pollfd wanted = {fd, POLLIN, 0};
      poll(&wanted, 1, 10);
      continue;
    }
    last = seconds_since(start);
    if (first > 0)
      counted += static_cast<double>(n);
    else if (last > seconds / 5)
      first = last;
  }
  std::printf("%.0f\n", last > first ? counted / (last - first) : 0.0);
  return 0;
}

int pace(int fd, double seconds, std::size_t bytes, double gap_s, std::uint64_t seed) {
  std::vector<char> out(bytes);
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> gap(1 / gap_s);
  double next = gap(random);
  for (const auto start = Clock::now(); next < seconds; next += gap(random)) {
    std::this_thread::sleep_until(
        start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(next)));
    if (!transfer(fd, out, true)) return 1;
  }
  return 0;
}

int receive_all(int fd) {
  std::vector<char> in(131072);
  std::size_t received = 0;
  for (;;) {
    const ssize_t n = recv(fd, in.data(), in.size(), 0);
    if (n == 0) break;
    if (n > 0) {
      received += static_cast<std::size_t>(n);
      continue;
    }
    pollfd wanted = {fd, POLLIN, 0};
    poll(&wanted, 1, -1);
  }
  std::printf("%zu\n", received);
  return 0;
}

int flood(const std::string& address, std::uint16_t port, double seconds) {
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  std::vector<char> frame(1500 - 20 - 8);  // less the headers of IP and UDP
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  if (address != "-") {
    inet_pton(AF_INET, address.c_str(), &name.sin_addr);
    if (connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) return 1;
    for (const auto start = Clock::now(); seconds_since(start) < seconds;)
      (void)send(fd, frame.data(), frame.size(), 0);
    return 0;
  }
  if (bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0) return 1;
  std::size_t received = 0;
  for (const auto start = Clock::now(); seconds_since(start) < seconds;) {
    pollfd wanted = {fd, POLLIN, 0};
    if (poll(&wanted, 1, 10) <= 0) continue;
    if (const ssize_t n = recv(fd, frame.data(), frame.size(), 0); n > 0)
      received += static_cast<std::size_t>(n);
  }
  std::printf("%zu\n", received);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  std::string address = argv[1];
  const std::string what = argv[2];
  std::uint16_t port = 5555;
  if (const auto colon = address.find(':'); colon != std::string::npos) {
    port = static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)));
    address.resize(colon);
  }
  const bool listens = address == "-";
  if (what == "flood") return flood(address, port, std::atof(argv[3]));
  const int fd = connected(address, port);
  if (fd < 0) return 1;
  const double seconds = std::atof(argv[3]);
  if (what == "both") return both(fd, seconds);
  if (what == "bulk") return listens ? receive_bulk(fd, seconds) : send_for(fd, seconds);
  if (what == "pace" && argc > 5)
    return listens ? receive_all(fd)
                   : pace(fd, seconds, std::strtoul(argv[4], nullptr, 10), std::atof(argv[5]) * 1e-6, port);
  return argc > 4 ? echo(fd, address != "-", std::strtoul(argv[3], nullptr, 10), std::atoi(argv[4])) : 2;
}
