#include "lab/directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

namespace ww::lab {

namespace fs = std::filesystem;

namespace {

Result<int> open_and_lock(const fs::path& file, int how) {
  const int fd = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return fail("cannot open a lock", file.string() + ": " + std::strerror(errno));
  while (flock(fd, how) != 0) {
    if (errno == EINTR) continue;
    const int problem = errno;
    close(fd);
    return fail("lock is held", file.string() + ": " + std::strerror(problem));
  }
  return fd;
}

// Processes whose network namespace is one of these.
std::vector<pid_t> inhabitants(const std::vector<unsigned long>& inodes) {
  std::vector<pid_t> found;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator("/proc", problem)) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    struct stat info = {};
    if (stat((entry.path() / "ns/net").c_str(), &info) != 0) continue;
    if (std::find(inodes.begin(), inodes.end(), info.st_ino) != inodes.end()) found.push_back(pid);
  }
  return found;
}

void end_inhabitants(const std::vector<unsigned long>& inodes) {
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round) {
    const auto left = inhabitants(inodes);
    if (left.empty()) return;
    // Half of the time for a program to end by itself.
    for (const pid_t pid : left) kill(pid, round < rounds / 2 ? SIGTERM : SIGKILL);
    usleep(20'000);
  }
}

}  // namespace

Result<Lock> Lock::take(const fs::path& file) {
  WW_TRY(const int fd, open_and_lock(file, LOCK_EX));
  return Lock(fd);
}

Result<Lock> Lock::take_if_free(const fs::path& file) {
  WW_TRY(const int fd, open_and_lock(file, LOCK_EX | LOCK_NB));
  return Lock(fd);
}

Lock::~Lock() {
  if (fd_ >= 0) close(fd_);
}

Result<Lock> lock_all_labs() {
  std::error_code problem;
  fs::create_directories(labs_directory(), problem);
  if (problem)
    return fail("cannot make the directory of labs", labs_directory().string() + ": " + problem.message());
  return Lock::take(labs_directory() / ".lock");
}

bool alive(const fs::path& lab) {
  return fs::exists(lab / "lab.json") && !Lock::take_if_free(lab / "lock");
}

Result<fs::path> find_alive(const std::string& name) {
  const fs::path lab = lab_directory(name);
  if (!fs::exists(lab))
    return fail("there is no such lab", lab.filename().string(), "whatwire lab up --hosts 2 --rate 10Mb/s");
  if (alive(lab)) {
    if (fs::exists(lab / "running.json")) return lab;
    return fail("the lab is not complete yet", lab.filename().string(), "wait for whatwire lab up to end");
  }
  WW_TRY(const Lock all, lock_all_labs());
  if (!alive(lab)) WW_CHECK(clean_away(lab));
  return fail("the lab's switch has died; what was left of it is removed", lab.filename().string(),
              "whatwire lab up --hosts 2 --rate 10Mb/s");
}

Result<void> clean_away(const fs::path& lab) {
  if (const auto running = read_running(lab)) end_inhabitants(running->inodes);
  std::error_code problem;
  fs::remove_all(lab, problem);
  if (problem) return fail("cannot remove a lab's state", lab.string() + ": " + problem.message());
  return {};
}

Result<nlohmann::json> ask(const fs::path& lab, const nlohmann::json& request) {
  const std::string path = (lab / "control").string();
  const auto no_answer = [&] {
    return fail("the lab's switch does not answer", path + ": " + std::strerror(errno),
                "whatwire lab down, then up again");
  };
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return fail("path of the control socket is too long", path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const timeval patience{10, 0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  const std::string text = request.dump();
  std::array<char, 65536> reply{};
  ssize_t length = -1;
  if (fd >= 0 && connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      send(fd, text.data(), text.size(), MSG_NOSIGNAL) >= 0)
    length = recv(fd, reply.data(), reply.size(), 0);
  if (fd >= 0) close(fd);
  if (length <= 0) return no_answer();
  const auto answer = nlohmann::json::parse(reply.data(), reply.data() + length, nullptr, false);
  if (answer.is_discarded()) return no_answer();
  if (answer.contains("error")) return fail("the lab's switch refuses", answer["error"].get<std::string>());
  return answer;
}

}  // namespace ww::lab
