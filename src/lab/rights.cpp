#include "lab/rights.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ww::lab {
namespace {

tl::unexpected<Error> refused(const char* what, int problem) {
  const std::string where =
      fmt::format("{}, and in a user namespace: {}: {}", geteuid() == 0 ? "root may not" : "not root", what,
                  std::strerror(problem));
  if (problem == ENOSPC)
    return fail("cannot make namespaces", where, "allow them: sysctl user.max_user_namespaces=10000");
  return fail("cannot make namespaces", where,
              "run as root; a container needs --privileged (or --cap-add SYS_ADMIN,NET_ADMIN); or allow user "
              "namespaces: sysctl kernel.unprivileged_userns_clone=1 "
              "kernel.apparmor_restrict_unprivileged_userns=0, as far as they exist");
}

bool write_to(const char* file, const std::string& text) {
  std::ofstream out(file);
  out << text << std::flush;
  return out.good();
}

Result<Rights> make_all() {
  WW_TRY(const Rights rights, take_rights());
  if (unshare(CLONE_NEWNET | CLONE_NEWUTS | CLONE_NEWNS | CLONE_NEWPID) != 0)
    return refused("unshare", errno);
  return rights;
}

}  // namespace

Result<Rights> take_rights() {
  if (unshare(CLONE_NEWNET) == 0) return Rights::root;
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(CLONE_NEWUSER) != 0) return refused("unshare", errno);
  (void)write_to("/proc/self/setgroups", "deny");
  if (!write_to("/proc/self/uid_map", fmt::format("0 {} 1", uid)) ||
      !write_to("/proc/self/gid_map", fmt::format("0 {} 1", gid)))
    return refused("no numbers of users in it", EPERM);
  if (unshare(CLONE_NEWNET) != 0) return refused("unshare", errno);
  return Rights::user_namespace;
}

Result<Rights> possible() {
  std::array<int, 2> answer{};
  if (pipe2(answer.data(), O_CLOEXEC) != 0) return fail("cannot make a pipe", std::strerror(errno));
  const pid_t child = fork();
  if (child == 0) {
    const auto made = make_all();
    const nlohmann::json text = made ? nlohmann::json({{"user_namespace", *made == Rights::user_namespace}})
                                     : nlohmann::json({{"what", made.error().what},
                                                       {"where", made.error().where},
                                                       {"remedy", made.error().remedy}});
    const std::string line = text.dump();
    [[maybe_unused]] const ssize_t written = write(answer[1], line.data(), line.size());
    _exit(0);
  }
  close(answer[1]);
  std::array<char, 4096> text{};
  const ssize_t length = child < 0 ? 0 : read(answer[0], text.data(), text.size());
  close(answer[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  const auto said =
      nlohmann::json::parse(text.data(), text.data() + std::max<ssize_t>(length, 0), nullptr, false);
  if (!said.is_object()) return fail("cannot try to make namespaces");
  if (said.contains("what"))
    return fail(said.value("what", ""), said.value("where", ""), said.value("remedy", ""));
  return said.value("user_namespace", false) ? Rights::user_namespace : Rights::root;
}

}  // namespace ww::lab
