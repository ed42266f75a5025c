#include "view/responder.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/column_store.hpp"
#include "base/exceptions.hpp"
#include "base/json_object.hpp"
#include "base/parallel.hpp"
#include "base/text.hpp"
#include "view/resources/resource.hpp"

namespace ww::view {
namespace {

constexpr std::size_t cache_bytes = std::size_t{64} << 20;
// Some of them only wait for what another is working out.
constexpr std::size_t least_places = 6;
constexpr std::size_t most_waiting = 20;
constexpr std::chrono::seconds patience{60};

// What a path names.
struct PathPlace {
  std::optional<int> number;  // of the trace
  std::string name;           // of the resource
};

std::optional<PathPlace> place_of(std::string_view path) {
  constexpr std::string_view root = "data/";
  if (!path.starts_with(root)) return std::nullopt;
  path.remove_prefix(root.size());
  PathPlace place;
  if (const std::size_t slash = path.find('/'); slash != std::string_view::npos) {
    int number = 0;
    const auto [end, error] = std::from_chars(path.data(), path.data() + slash, number);
    if (error != std::errc() || end != path.data() + slash || number < 0) return std::nullopt;
    place.number = number;
    path.remove_prefix(slash + 1);
  }
  place.name = path;
  return place;
}

const Resource* resource_at(const PathPlace& place) {
  for (const Resource* resource : resources())
    if (place.name == resource->name && place.number.has_value() == resource->of_trace) return resource;
  return nullptr;
}

Response no_such_path(const Request& request, const std::optional<PathPlace>& place) {
  std::vector<std::string> names;
  for (const Resource* resource : resources())
    if (!place || place->number.has_value() == resource->of_trace) names.emplace_back(resource->name);
  const std::string prefix = place && place->number ? "data/N/" : "data/";
  const auto near = place ? nearest_word(place->name, names) : std::nullopt;
  return refusal(404, "there is no such path: " + printable(request.path.substr(0, 200)),
                 near    ? fmt::format("do you mean {}{}?", prefix, *near)
                 : place ? fmt::format("below {} there is {}", prefix, fmt::join(names, ", "))
                         : "begin with data/traces");
}

}  // namespace

Responder::Responder(OpenTraces& traces)
    : traces_(traces), cache_(cache_bytes), gate_(std::max(least_places, 2 * processors())) {}

Response Responder::answer(const Request& request) {
  const auto place = place_of(request.path);
  const Resource* resource = place ? resource_at(*place) : nullptr;
  if (resource == nullptr) return no_such_path(request, place);
  std::shared_ptr<OpenTrace> trace;
  if (resource->of_trace && !(trace = traces_.find(*place->number)))
    return refusal(404, fmt::format("there is no trace {}", *place->number),
                   "data/traces lists those that there are; of predicted ones the oldest go");
  if (traces_.viewing().read_only && !resource->guests)
    return refusal(403, fmt::format("{} is not for guests: it is shared with --read-only", resource->name),
                   "start whatwire view yourself");
  if (trace != nullptr && trace->knows_calls_only() && !resource->of_calls)
    return refusal(409, "of this picture nothing but its calls is known",
                   "wait until the run has ended and all of it was put together: then it is shown as trace " +
                       std::to_string(trace->origin().of));
  const auto query = Query::parse(request.query);
  if (!query) return refusal(query.error());
  if (const auto good = query->only(resource->parameters); !good) return refusal(good.error());
  const std::string question = request.path + "?" + query->canonical();
  if (resource->kept)
    if (auto kept = cache_.find(question)) return *std::move(kept);
  const auto stop = request.stop ? request.stop : std::make_shared<Cancellation>();
  const auto worked_out = [&]() -> Response {
    std::optional<Gate::Place> work;
    if (resource->heavy) {
      work.emplace(gate_.enter(patience, most_waiting, *stop));
      if (!*work) return refusal(503, "too much is asked at once", "ask again in a while");
      if (resource->kept)  // somebody may have asked the same meanwhile
        if (auto kept = cache_.find(question)) return *std::move(kept);
    }
    auto response = resource->answer({*query, traces_, trace.get(), stop});
    if (!response && stop->requested()) return refusal(409, "it was given up", "ask again");
    if (!response) return refusal(response.error());
    if (resource->kept && response->status == 200) cache_.keep(question, *response);
    return *std::move(response);
  };
  const auto within_room = [&] {
    return caught<NoRoom>(worked_out, [](const NoRoom& error) {
      return refusal(503, error.what(), "make room on the disk, or set TMPDIR to one that has some");
    });
  };
  const auto within_memory = [&] {
    return caught<std::bad_alloc>(within_room, [](const std::bad_alloc&) {
      return refusal(503, "not enough memory for this answer", "ask for a smaller part");
    });
  };
  return caught<std::exception>(within_memory, [](const std::exception& error) {
    return refusal(500, std::string("this is a defect of whatwire: ") + error.what(),
                   "please report it with the page's address below the token");
  });
}

}  // namespace ww::view
