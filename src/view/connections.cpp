#include "view/connections.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace ww::view {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t most_head_bytes = 16384;
constexpr seconds head_time{10}, body_time{10}, silent_time{60}, taking_time{60};
constexpr std::size_t least_bytes_per_s = 50000;
constexpr std::size_t most_connections = 1024;
constexpr std::size_t most_untaken_bytes = std::size_t{256} << 20;
constexpr std::size_t working_threads = 32;
constexpr milliseconds between_looks{200};
constexpr std::string_view end_of_head = "\r\n\r\n";

struct Connection {
  int socket = -1;
  enum class State : std::uint8_t { reading, working, writing } state = State::reading;
  std::string in, out;
  std::string head;      // of the request that is worked on, or whose body is waited for
  std::size_t body = 0;  // its length, when that is waited for
  std::size_t sent = 0;
  bool keep = false;
  std::shared_ptr<Cancellation> gone;  // of what is worked on
  Clock::time_point since, until;      // when it began what it does, and must have done it
};

// Threads that answer, and what they have answered.
class Workers {
 public:
  Workers(const Connections::Work& work, int wake) : work_(work), wake_(wake) {
    for (std::size_t i = 0; i < working_threads; ++i) threads_.emplace_back([this] { serve(); });
  }
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      asked_.clear();
    }
    came_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void ask(std::uint64_t connection, std::string head, std::optional<std::string> body,
           std::shared_ptr<Cancellation> gone) {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back({connection, std::move(head), std::move(body), std::move(gone)});
    }
    came_.notify_one();
  }
  std::deque<std::pair<std::uint64_t, Reply>> answered() {
    const std::lock_guard lock(mutex_);
    return std::exchange(answered_, {});
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      came_.wait(lock, [&] { return ending_ || !asked_.empty(); });
      if (ending_) return;
      auto [connection, head, body, gone] = std::move(asked_.front());
      asked_.pop_front();
      if (gone->requested()) continue;
      lock.unlock();
      Reply reply = work_(std::move(head), std::move(body), gone);
      lock.lock();
      answered_.emplace_back(connection, std::move(reply));
      const std::uint64_t one = 1;
      static_cast<void>(!write(wake_, &one, sizeof one));
    }
  }

  struct Asked {
    std::uint64_t connection;
    std::string head;
    std::optional<std::string> body;
    std::shared_ptr<Cancellation> gone;
  };

  const Connections::Work& work_;
  int wake_;
  std::mutex mutex_;
  std::condition_variable came_;
  bool ending_ = false;
  std::deque<Asked> asked_;
  std::deque<std::pair<std::uint64_t, Reply>> answered_;
  std::vector<std::thread> threads_;
};

std::size_t room_for_connections() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return most_connections / 4;
  return std::clamp<std::size_t>(files.rlim_cur / 2, 16, most_connections);
}

class Loop {
 public:
  Loop(int listening, const Connections::Work& work)
      : listening_(listening),
        poll_(epoll_create1(EPOLL_CLOEXEC)),
        wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        room_(room_for_connections()),
        workers_(work, wake_) {
    watch(EPOLL_CTL_ADD, listening_, listening_number, EPOLLIN);
    watch(EPOLL_CTL_ADD, wake_, wake_number, EPOLLIN);
  }
  ~Loop() {
    for (const auto& [number, connection] : connections_) {
      if (connection.gone) connection.gone->cancel();
      close(connection.socket);
    }
    close(poll_);
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run(const std::function<bool()>& stop) {
    std::array<epoll_event, 64> events{};
    while (!stop()) {
      const int count = epoll_wait(poll_, events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(between_looks.count()));
      now_ = Clock::now();
      for (int i = 0; i < count; ++i) take(events[static_cast<std::size_t>(i)]);
      end_overdue();
    }
  }

 private:
  static constexpr std::uint64_t listening_number = 0, wake_number = 1, first_number = 2;
  using Numbered = std::map<std::uint64_t, Connection>::iterator;

  void watch(int how, int file, std::uint64_t number, std::uint32_t what) {
    epoll_event event{};
    event.events = what;
    event.data.u64 = number;
    epoll_ctl(poll_, how, file, &event);
  }

  void take(const epoll_event& event) {
    if (event.data.u64 == listening_number) {
      accept_all();
    } else if (event.data.u64 == wake_number) {
      std::uint64_t count = 0;
      static_cast<void>(!read(wake_, &count, sizeof count));
      for (auto& [number, reply] : workers_.answered()) answer(number, std::move(reply));
    } else if (const auto at = connections_.find(event.data.u64); at != connections_.end()) {
      if (at->second.state == Connection::State::reading)
        read_more(at);
      else if (at->second.state == Connection::State::writing)
        write_more(at);
      else if ((event.events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR)) != 0)
        drop(at);
    }
  }

  void accept_all() {
    for (;;) {
      const int socket = accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (socket < 0) {
        if ((errno == EMFILE || errno == ENFILE) && make_room()) continue;
        if (errno == EMFILE || errno == ENFILE) std::this_thread::sleep_for(milliseconds(20));
        return;
      }
      if (connections_.size() >= room_ && !make_room()) {
        close(socket);
        continue;
      }
      Connection connection;
      connection.socket = socket;
      connection.since = now_;
      connection.until = now_ + head_time;
      watch(EPOLL_CTL_ADD, socket, next_number_, EPOLLIN);
      connections_.emplace(next_number_++, std::move(connection));
    }
  }

  // Of those that are not answered the one that has been asking for longest goes.
  bool make_room() {
    auto longest = connections_.end();
    for (auto at = connections_.begin(); at != connections_.end(); ++at)
      if (at->second.state == Connection::State::reading &&
          (longest == connections_.end() || at->second.since < longest->second.since))
        longest = at;
    if (longest == connections_.end()) return false;
    drop(longest);
    return true;
  }

  void drop(Numbered at) {
    untaken_bytes_ -= at->second.out.size();
    if (at->second.gone) at->second.gone->cancel();
    close(at->second.socket);
    connections_.erase(at);
  }

  void read_more(Numbered at) {
    Connection& connection = at->second;
    std::array<char, 4096> piece{};
    for (;;) {
      const ssize_t got = recv(connection.socket, piece.data(), piece.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (got <= 0) return drop(at);
      if (connection.in.empty() && connection.body == 0) {
        connection.since = now_;
        connection.until = now_ + head_time;
      }
      connection.in.append(piece.data(), static_cast<std::size_t>(got));
      if (connection.in.size() > std::max(most_head_bytes, connection.body)) break;
    }
    look_for_request(at);
  }

  void look_for_request(Numbered at) {
    if (at->second.body > 0)
      look_for_body(at);
    else
      look_for_head(at);
  }

  void look_for_head(Numbered at) {
    Connection& connection = at->second;
    const std::size_t end = connection.in.find(end_of_head);
    if (end == std::string::npos || end > most_head_bytes) {
      if (connection.in.size() > most_head_bytes) drop(at);
      return;
    }
    connection.head = connection.in.substr(0, end + end_of_head.size());
    connection.in.erase(0, connection.head.size());
    work(at, std::nullopt);
  }

  void look_for_body(Numbered at) {
    Connection& connection = at->second;
    if (connection.in.size() < connection.body) return;
    std::string body = connection.in.substr(0, connection.body);
    connection.in.erase(0, body.size());
    connection.body = 0;
    work(at, std::move(body));
  }

  void work(Numbered at, std::optional<std::string> body) {
    Connection& connection = at->second;
    connection.state = Connection::State::working;
    connection.until = Clock::time_point::max();
    connection.gone = std::make_shared<Cancellation>();
    watch(EPOLL_CTL_MOD, connection.socket, at->first, EPOLLRDHUP);
    workers_.ask(at->first, connection.head, std::move(body), connection.gone);
  }

  void wait_for_body(Numbered at, std::size_t bytes) {
    Connection& connection = at->second;
    connection.body = bytes;
    connection.state = Connection::State::reading;
    connection.gone = nullptr;
    connection.since = now_;
    connection.until = now_ + body_time;
    watch(EPOLL_CTL_MOD, connection.socket, at->first, EPOLLIN);
    look_for_body(at);
  }

  void answer(std::uint64_t number, Reply reply) {
    const auto at = connections_.find(number);
    if (at == connections_.end()) return;
    if (reply.wanted_body > 0) return wait_for_body(at, reply.wanted_body);
    if (untaken_bytes_ + reply.bytes.size() > most_untaken_bytes) return drop(at);
    Connection& connection = at->second;
    untaken_bytes_ += reply.bytes.size();
    connection.out = std::move(reply.bytes);
    connection.sent = 0;
    connection.keep = reply.keep;
    connection.state = Connection::State::writing;
    connection.gone = nullptr;
    connection.since = now_;
    connection.until = now_ + taking_time + seconds(connection.out.size() / least_bytes_per_s);
    write_more(at);
  }

  void write_more(Numbered at) {
    Connection& connection = at->second;
    while (connection.sent < connection.out.size()) {
      const ssize_t sent = send(connection.socket, connection.out.data() + connection.sent,
                                connection.out.size() - connection.sent, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        watch(EPOLL_CTL_MOD, connection.socket, at->first, EPOLLOUT);
        return;
      }
      if (sent <= 0) return drop(at);
      connection.sent += static_cast<std::size_t>(sent);
    }
    if (!connection.keep) return drop(at);
    untaken_bytes_ -= connection.out.size();
    connection.out = {};
    connection.state = Connection::State::reading;
    connection.since = now_;
    connection.until = now_ + (connection.in.empty() ? silent_time : head_time);
    watch(EPOLL_CTL_MOD, connection.socket, at->first, EPOLLIN);
    look_for_request(at);
  }

  void end_overdue() {
    for (auto at = connections_.begin(); at != connections_.end();) {
      const auto next = std::next(at);
      if (now_ > at->second.until) drop(at);
      at = next;
    }
  }

  int listening_, poll_, wake_;
  std::size_t room_;
  std::uint64_t next_number_ = first_number;
  std::size_t untaken_bytes_ = 0;
  Clock::time_point now_ = Clock::now();
  std::map<std::uint64_t, Connection> connections_;
  Workers workers_;
};

}  // namespace

Result<std::unique_ptr<Connections>> Connections::listen(const std::string& address, int port) {
  const std::string where = fmt::format("{} port {}", address, port);
  addrinfo hints{}, *found = nullptr;
  hints.ai_flags = AI_NUMERICHOST | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  if (getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0)
    return wrong_usage("not an IP address", address, "give one of this host, as 127.0.0.1");
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owned(found, &freeaddrinfo);
  const int listening = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int yes = 1;
  if (listening >= 0) setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (listening < 0 || bind(listening, found->ai_addr, found->ai_addrlen) != 0 ||
      ::listen(listening, SOMAXCONN) != 0) {
    const int problem = errno;
    if (listening >= 0) close(listening);
    return fail(
        fmt::format("cannot listen: {}", std::strerror(problem)), where,
        problem == EADDRINUSE ? "leave --port out: a free one is taken" : "leave --address and --port out");
  }
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  getsockname(listening, reinterpret_cast<sockaddr*>(&bound), &length);
  const std::uint16_t number = bound.ss_family == AF_INET6
                                   ? reinterpret_cast<const sockaddr_in6*>(&bound)->sin6_port
                                   : reinterpret_cast<const sockaddr_in*>(&bound)->sin_port;
  return std::unique_ptr<Connections>(new Connections(listening, ntohs(number)));
}

Connections::~Connections() {
  close(listening_);
}

void Connections::run(const Work& work, const std::function<bool()>& stop) {
  Loop(listening_, work).run(stop);
}

}  // namespace ww::view
