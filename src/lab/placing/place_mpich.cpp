// MPICH on the hosts of a lab.
#include <cstdlib>
#include <utility>

#include "base/files.hpp"
#include "lab/placing.hpp"

namespace ww::lab {
namespace {

// The library that lets MPI_Finalize end (mpich/finalize.c), behind what is preloaded already: by the user's
// line, by the recorder in front of the program ("/usr/bin/env LD_PRELOAD=..."), or by the environment.
void preload_finalize(LaunchLine& launch, LaunchLine& options) {
  const std::string library = preload_library("libwhatwire-lab-mpich.so");
  bool named = false;
  const auto append = [&](std::string& list, std::size_t begin) {
    list += (list.size() > begin ? ":" : "") + library;
    named = true;
  };
  const std::string assignment = "LD_PRELOAD=";
  for (std::size_t i = 1; i < launch.size(); ++i)
    if (launch[i].starts_with(assignment))
      append(launch[i], assignment.size());
    else if (launch[i] == "LD_PRELOAD" && i + 1 < launch.size())  // -genv LD_PRELOAD list
      append(launch[++i], 0);
  if (named) return;
  const char* already = std::getenv("LD_PRELOAD");
  std::string list = already == nullptr ? "" : already;
  append(list, 0);
  add(options, {"-genv", "LD_PRELOAD", list});
}

}  // namespace

// hydra's. UCX, below Debian's MPICH, would find that all hosts are one machine and use its memory: it is
// told to take the wire. Ranks of one host share memory above it.
PlacingOptions placed_by_mpich(const Plan& plan, LaunchLine& launch, const std::vector<Context>& contexts) {
  PlacingOptions all(contexts.size());
  LaunchLine& options = all[0];
  std::string hosts;
  for (const PlannedHost& host : plan.hosts) hosts += (hosts.empty() ? "" : ",") + host.name;
  add(options, {"-launcher", "ssh", "-launcher-exec", helper_program("ww-lab-agent"), "-hosts", hosts,
                "-iface", management_interface});
  for (const auto& [name, value] :
       {std::pair{"UCX_TLS", "tcp,self"}, std::pair{"UCX_NET_DEVICES", wire_interface}})
    if (std::getenv(name) == nullptr && !has_option(launch, contexts, {name}))
      add(options, {"-genv", name, value});
  preload_finalize(launch, options);
  for (std::size_t i = 0; i < contexts.size(); ++i)
    if (!contexts[i].ranks) add(all[i], {"-n", std::to_string(plan.hosts.size())});
  return all;
}

}  // namespace ww::lab
