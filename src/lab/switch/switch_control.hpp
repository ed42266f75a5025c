// The switch's ear: a socket in the lab's directory that takes one JSON object a connection and answers one.
//   {"do":"status"}                            -> counters; of a bus "bus": collisions and such
//   {"do":"set","wire":{...}}                  -> {} or {"error"}; what of a wire can change is taken over
//   {"do":"wake"}                              -> {}: a program is about to start (awake_cores.hpp)
//   {"do":"stop"}                              -> {} and the switch ends
#pragma once
#include <filesystem>
#include <string>

#include "lab/lab_plan.hpp"
#include "lab/switch/build.hpp"
#include "lab/switch/pump.hpp"

namespace ww::lab {

class Control {
 public:
  static Result<Control> listen(const std::filesystem::path& socket_path);
  Control(Control&& other) noexcept : socket_(other.socket_) { other.socket_ = -1; }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  ~Control();

  // Answers until told to stop, until SIGTERM, SIGINT or SIGHUP (blocked by the caller) comes, or until
  // `ended` is readable.
  void serve(const Plan& plan, Built& built, Pump& pump, int ended, const std::string& missing_rights);

 private:
  explicit Control(int socket) : socket_(socket) {}
  int socket_;
};

}  // namespace ww::lab
