#include "report/dilation_check.hpp"

#include <nlohmann/json.hpp>

namespace ww {

check::Check dilation_check() {
  using namespace check;
  const Check components = object({{"user_s", is_number, required},
                                   {"communication_s", is_number, required},
                                   {"receive_wait_s", is_number, required},
                                   {"send_s", is_number, required}});
  const Check run = object({{"D", is_number, required},
                            {"elapsed_s", is_number, required},
                            {"normalised_s", is_number, required},
                            {"progress", is_string},
                            {"components", components}});
  const Check speedup = object(
      {{"D", is_number, required}, {"value", is_number, required}, {"low", is_number}, {"high", is_number}});
  const Check shares = object({{"D", is_number, required},
                               {"normalised_s", is_number, required},
                               {"user_percent", is_number, required},
                               {"communication_percent", is_number, required},
                               {"receive_wait_percent", is_number, required},
                               {"send_percent", is_number, required},
                               {"components", components}});
  return object({{"runs", list_of(run)},
                 {"speedup", list_of(speedup)},
                 {"shares", list_of(shares)},
                 {"flattens", object({{"D", is_number, required}, {"because", is_string, required}})},
                 {"verdict", is_string},
                 {"verdict_withheld", is_string},
                 {"because", is_string}});
}

}  // namespace ww
