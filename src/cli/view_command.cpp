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
#include "cli/run_planner.hpp"
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
  bool read_only = false, allow_run = false, no_browser = false, json = false;
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
std::optional<pid_t> open_browser(const std::string& url) {
  const auto program = find_program("xdg-open");
  if (!program) return std::nullopt;
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
  return good ? std::optional(child) : std::nullopt;
}

std::string ssh_line(int port) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const passwd* user = getpwuid(geteuid());
  return fmt::format("ssh -N -L {}:127.0.0.1:{} {}{}{}", port, port, user != nullptr ? user->pw_name : "",
                     user != nullptr ? "@" : "", printable(host.data()));
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

// What the user is told: on standard output the address alone, so that it can be taken from there. Gives the browser's starter, if
// there is one.
std::optional<pid_t> announce(const Options& options, const view::Server& server) {
  const std::string url = server.url();
  std::optional<pid_t> browser;
  if (!options.no_browser && has_screen()) browser = open_browser(url);
  const bool opened = browser.has_value(), loopback = is_loopback(options.server.address);
  const std::string from_elsewhere = ssh_line(server.port());
  if (options.json) {
    nlohmann::json out = {{"url", url}, {"port", server.port()}, {"opened", opened}, {"pid", getpid()}};
    out["ssh"] = loopback ? nlohmann::json(from_elsewhere) : nlohmann::json();
    fmt::print("{}\n", json_text(out));
  } else {
    fmt::print("{}\n", url);
  }
  std::fflush(stdout);
  if (options.json) return browser;
  if (!opened && loopback && !has_screen())
    tell(fmt::format("To see it from another machine, run there, then open the address:\n  {}\n",
                     from_elsewhere));
  if (!loopback)
    tell("Everybody who has the address and reaches this machine can see the traces; it is not encrypted.\n");
  if (options.allow_run)
    tell(fmt::format("Whoever has the address can run programs here as you, in {}.\n",
                     printable(std::filesystem::current_path().string())));
  tell("Ctrl-C ends it.\n");
  return browser;
}

// A large trace may just be loaded, or a question worked on, which nobody waits for any more: neither does the end.
// What is kept on the disk gets its name when it is complete.
[[noreturn]] void end_now() {
  std::fflush(nullptr);
  _exit(0);
}

Result<void> check_usage(const Options& options) {
  if (!options.allow_run)
    return options.traces.empty()
               ? wrong_usage("TRACE is required", "", "see whatwire view --help; without one: --allow-run")
               : Result<void>();
  if (options.read_only)
    return wrong_usage("guests run nothing", "--allow-run with --read-only", "leave one of them out");
  if (!is_loopback(options.server.address))
    return wrong_usage("whoever reaches this address could run programs as you",
                       "--allow-run with --address " + options.server.address,
                       "leave --address out; from elsewhere, reach it by ssh -L");
  return {};
}

std::shared_ptr<view::OpenTrace> opened(const std::filesystem::path& trace,
                                        const std::shared_ptr<const MachineModel>& machine,
                                        const std::shared_ptr<const nlohmann::json>& dilation) {
  auto open = std::make_shared<view::OpenTrace>(trace, machine ? machine : view::machine_of(trace));
  open->keep_dilation(dilation ? dilation : view::dilation_beside(trace));
  return open;
}

Result<int> serve(const Options& options) {
  WW_CHECK(check_usage(options));
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
  auto* traces = new view::OpenTraces({.made_by = "whatwire " WHATWIRE_VERSION,
                                       .read_only = options.read_only,
                                       .may_run = options.allow_run});
  for (const std::string& trace : options.traces) {
    WW_CHECK(view::check_trace(trace));
    traces->add(opened(trace, machine, dilation));
  }
  auto* responder = new view::Responder(*traces);
  view::GuidedRuns* runs = nullptr;
  if (options.allow_run)
    runs = new view::GuidedRuns(
        run_knowledge(fs::current_path()), *traces,
        [machine, dilation](const fs::path& trace) { return opened(trace, machine, dilation); });
  WW_TRY(const auto server, view::Server::listen(*responder, options.server, runs));
  const interruption::Heed heed;
  std::optional<pid_t> browser = announce(options, *server);
  server->run([&browser, runs] {
    // No other child: those have whoever waits for them.
    if (browser && waitpid(*browser, nullptr, WNOHANG) != 0) browser = std::nullopt;
    if (!interruption::requested()) return false;
    if (runs != nullptr)
      runs->end([](const std::string& name) {
        tell(fmt::format("whatwire: ends the run that goes; what it did until now is kept in {}\n", name));
      });
    end_now();
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
      "With --allow-run the page starts programs of this folder as whatwire record does, shows them while "
      "they go\n"
      "and keeps their traces; whoever has the address can run anything as you. It is for this machine alone "
      "(ssh -L).\n"
      "Ctrl-C is its normal end, with exit code 0; a run that goes is ended as by Ctrl-C, and kept.\n\n"
      "Example:  whatwire view app.ww --machine machine.json\n"
      "          whatwire view before.ww after.ww --no-browser\n"
      "          whatwire view --allow-run");
  auto options = std::make_shared<Options>();
  command->add_option(
      "TRACE", options->traces,
      "Trace directories (one that is still recorded, too), anchors of any OTF2 archives, studies; at least\n"
      "one without --allow-run");
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
  command->add_flag("--allow-run", options->allow_run,
                    "The page can run programs of this folder, record them and show them");
  command->add_flag("--no-browser", options->no_browser, "Opens no browser");
  add_json(*command, options->json);
  act(*command, chosen, options, serve);
}

}  // namespace ww::cli
