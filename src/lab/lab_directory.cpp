#include "lab/lab_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "lab/lab_entries.hpp"
#include "lab/runtime.hpp"

namespace ww::lab {

namespace fs = std::filesystem;

namespace {

Result<int> open_and_lock(const fs::path& file, int flags, int how) {
  const int fd = open(file.c_str(), O_RDWR | flags | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return fail("cannot open a lock", file.string() + ": " + std::strerror(errno));
  while (flock(fd, how) != 0) {
    if (errno == EINTR) continue;
    const int problem = errno;
    close(fd);
    return fail("lock is held", file.string() + ": " + std::strerror(problem));
  }
  return fd;
}

// The kernel ends init with its switch, and with init all that runs on the hosts: this waits for it.
void await_the_end_of_programs(const Running& running) {
  constexpr int patience_ms = 1000;
  if (ProcessHold::find(running.process)) return;  // a copy of the state of a lab that lives
  const ProcessHold init = ProcessHold::find(running.init);
  if (!init.ended_within(patience_ms)) {
    init.signal(SIGKILL);
    init.ended_within(patience_ms);
  }
}

// A switch that was killed closes its socket first, and its lock after all that ran on its hosts has ended.
bool ends_soon(const fs::path& lab) {
  constexpr int patience_ms = 2000, step_ms = 5;
  for (int waited_ms = 0; alive(lab); waited_ms += step_ms) {
    if (waited_ms >= patience_ms) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(step_ms));
  }
  return true;
}

}  // namespace

Result<Lock> Lock::take(const fs::path& file) {
  WW_TRY(const int fd, open_and_lock(file, O_CREAT, LOCK_EX));
  return Lock(fd);
}

Result<Lock> Lock::take_if_free(const fs::path& file) {
  WW_TRY(const int fd, open_and_lock(file, O_CREAT, LOCK_EX | LOCK_NB));
  return Lock(fd);
}

Lock::~Lock() {
  if (fd_ >= 0) close(fd_);
}

Result<Lock> lock_all_labs() {
  WW_TRY(const fs::path labs, directory_of_labs());
  return Lock::take(labs / ".lock");
}

bool alive(const fs::path& lab) {
  const int fd = open((lab / "lock").c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  const bool held = flock(fd, LOCK_EX | LOCK_NB) != 0;
  close(fd);
  return held;
}

Result<fs::path> find_alive(const LabName& name) {
  WW_TRY(const fs::path lab, lab_directory(name));
  const auto none = [&] {
    return fail("there is no such lab", name.text(), "whatwire lab up --hosts 2 --rate 10Mb/s");
  };
  if (!fs::exists(lab)) return none();
  if (!alive(lab)) {
    // One that is being made right now holds this lock until it is alive.
    WW_TRY(const Lock all, lock_all_labs());
    if (!fs::exists(lab)) return none();
    if (!alive(lab)) {
      WW_CHECK(clean_away(lab));
      return fail("the lab's switch has died; what was left of it is removed", name.text(),
                  "whatwire lab up --hosts 2 --rate 10Mb/s");
    }
  }
  if (fs::exists(lab / "running.json")) return lab;
  return fail("the lab is not complete yet", name.text(), "wait for whatwire lab up to end");
}

Result<void> clean_away(const fs::path& lab) {
  const owned::Look look = owned::look_at(lab, directory_kind);
  std::error_code ignored;
  if (look.state == owned::FileState::empty) fs::remove(lab, ignored);  // made by one who was killed then
  if (look.state == owned::FileState::absent || look.state == owned::FileState::empty) return {};
  if (look.state == owned::FileState::unmarked || look.state == owned::FileState::foreign)
    return fail("this is not a lab that whatwire made; it is left alone",
                lab.string() + ": " + (look.why.empty() ? "it has no marker" : look.why),
                "remove it yourself");
  if (const auto running = read_running(lab)) await_the_end_of_programs(*running);
  return remove_directory(lab);
}

Result<void> remove_directory(const fs::path& lab) {
  WW_TRY(const owned::Removed removed, owned::remove(lab, directory_kind));
  if (removed.whole) return {};
  return fail("a lab's directory holds what is not the lab's", lab.string() + removed.to_string(),
              "remove it yourself");
}

void clean_away_dead_labs(const fs::path& labs) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(labs, problem))
    if (LabName::parse(entry.path().filename().string()) && entry.is_directory(problem) &&
        !alive(entry.path()))
      (void)clean_away(entry.path());  // what is not ours stays, and is named when its name is wanted
}

Result<nlohmann::json> ask(const fs::path& lab, const nlohmann::json& request) {
  const std::string path = (lab / "control").string();
  const auto no_answer = [&](int problem) {
    return fail("the lab's switch does not answer", path + ": " + std::strerror(problem),
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
  const int problem = length < 0 ? errno : EPIPE;
  if (fd >= 0) close(fd);
  if (length <= 0 && problem != EAGAIN && ends_soon(lab))
    if (const auto name = LabName::parse(lab.filename().string()))
      if (auto gone = find_alive(*name); !gone) return tl::unexpected(std::move(gone.error()));
  if (length <= 0) return no_answer(problem);
  const auto answer = nlohmann::json::parse(reply.data(), reply.data() + length, nullptr, false);
  if (answer.is_discarded()) return no_answer(EPROTO);
  if (answer.contains("error")) return fail("the lab's switch refuses", answer["error"].get<std::string>());
  return answer;
}

}  // namespace ww::lab
