// whatwire view: a page that shows traces, served on this machine.
#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/interruption.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/show.hpp"
#include "view/dilation_beside.hpp"
#include "view/machine_of.hpp"
#include "view/server.hpp"

extern char** environ;

namespace ww::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::vector<std::string> traces;
  std::string machine, dilation;
  view::ServerOptions server;
  bool read_only = false, no_browser = false, json = false;
};

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

// Is there a screen here, and not at the other end of ssh?
bool has_screen() {
  return (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && !is_set("SSH_CONNECTION");
}

// Started and left alone: what it says is nobody's business here, and it lives as long as it likes.
bool open_browser(const std::string& url) {
  const auto program = find_program("xdg-open");
  if (!program) return false;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string name = *program, address = url;
  char* arguments[] = {name.data(), address.data(), nullptr};
  pid_t child = 0;
  const bool good = posix_spawn(&child, program->c_str(), &files, &attributes, arguments, environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return good;
}

std::string ssh_line(int port) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const passwd* user = getpwuid(geteuid());
  return fmt::format("ssh -N -L {}:127.0.0.1:{} {}{}{}", port, port, user != nullptr ? user->pw_name : "",
                     user != nullptr ? "@" : "", printable(host.data()));
}

// What the user is told: on standard output the address alone, so that it can be taken from there.
void announce(const Options& options, const view::Server& server) {
  const std::string url = server.url();
  const bool opened = !options.no_browser && has_screen() && open_browser(url);
  const bool loopback = options.server.address == "127.0.0.1" || options.server.address == "::1";
  const std::string from_elsewhere = ssh_line(server.port());
  if (options.json) {
    nlohmann::json out = {{"url", url}, {"port", server.port()}, {"opened", opened}, {"pid", getpid()}};
    out["ssh"] = loopback ? nlohmann::json(from_elsewhere) : nlohmann::json();
    fmt::print("{}\n", json_text(out));
  } else {
    fmt::print("{}\n", url);
  }
  std::fflush(stdout);
  if (options.json) return;
  if (!opened && loopback && !has_screen())
    tell(fmt::format("To see it from another machine, run there, then open the address:\n  {}\n",
                     from_elsewhere));
  if (!loopback)
    tell("Everybody who has the address and reaches this machine can see the traces; it is not encrypted.\n");
  tell("Ctrl-C ends it.\n");
}

// A large trace may just be loaded, or a question worked on, which nobody waits for any more: neither does the end.
// What is kept on the disk gets its name when it is complete.
[[noreturn]] void end_now() {
  std::fflush(nullptr);
  _exit(0);
}

Result<int> serve(const Options& options) {
  std::shared_ptr<const MachineModel> machine;
  if (!options.machine.empty()) {
    WW_TRY(MachineModel model, load_model(options.machine));
    machine = std::make_shared<const MachineModel>(std::move(model));
  }
  std::shared_ptr<const nlohmann::json> dilation;
  if (!options.dilation.empty()) {
    WW_TRY(dilation, view::dilation_in(options.dilation));
  }
  // On the heap, and not ended: see end_now.
  auto* traces =
      new view::OpenTraces({.made_by = "whatwire " WHATWIRE_VERSION, .read_only = options.read_only});
  for (const std::string& trace : options.traces) {
    WW_CHECK(view::check_trace(trace));
    auto opened = std::make_shared<view::OpenTrace>(trace, machine ? machine : view::machine_of(trace));
    opened->keep_dilation(dilation ? dilation : view::dilation_beside(trace));
    traces->add(std::move(opened));
  }
  auto* responder = new view::Responder(*traces);
  WW_TRY(const auto server, view::Server::listen(*responder, options.server));
  const interruption::Heed heed;
  announce(options, *server);
  server->run([] {
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;  // the browser's starter
    if (interruption::requested()) end_now();
    return false;
  });
  return 0;
}

}  // namespace

void add_view(CLI::App& root, Chosen& chosen) {
  auto* command =
      root.add_subcommand("view", "A page that shows traces: where they wait, and what would change it");
  command->footer(
      "Prints the page's address and opens it where there is a screen; elsewhere it says the line for ssh "
      "-L.\n"
      "The address has a token of its own for each run: whoever does not know it is answered nothing.\n"
      "A run that still goes, hangs or was killed can be opened: the page says what each rank is in.\n"
      "Ctrl-C is its normal end, with exit code 0.\n\n"
      "Example:  whatwire view app.ww --machine machine.json\n"
      "          whatwire view before.ww after.ww --no-browser");
  auto options = std::make_shared<Options>();
  command
      ->add_option(
          "TRACE", options->traces,
          "Trace directories (one that is still recorded, too), anchors of any OTF2 archives, studies")
      ->required();
  add_model(*command, options->machine,
            "Model of the machine that recorded, for predictions; studies and predicted runs have their own");
  command
      ->add_option("--dilation", options->dilation,
                   "What whatwire dilate --json printed of the program; studies have their own")
      ->type_name("FILE");
  command->add_option("--address", options->server.address, "Where to listen")
      ->type_name("IP")
      ->capture_default_str();
  command->add_option("--port", options->server.port, "Of the page (default: a free one)")
      ->type_name("N")
      ->check(CLI::Range(0, 65535).description(""));
  command->add_flag("--read-only", options->read_only, "To share it: no predictions and no queries in SQL");
  command->add_flag("--no-browser", options->no_browser, "Opens no browser");
  add_json(*command, options->json);
  act(*command, chosen, options, serve);
}

}  // namespace ww::cli
