#include <algorithm>
#include <cctype>

#include "view/report_of.hpp"
#include "view/resources/resources.hpp"

namespace ww::view {
namespace {

constexpr std::int64_t most_found = 1000;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
    return c < 0x80 ? static_cast<char>(std::tolower(c)) : static_cast<char>(c);
  });
  return text;
}

// Where something is first, and how often it is there.
struct Place {
  std::int64_t from_ns = 0, to_ns = 0;
  std::size_t rank = 0;
  std::uint64_t count = 0;
  void take(std::size_t in, std::int64_t from, std::int64_t to) {
    if (count++ > 0 && from >= from_ns) return;
    rank = in;
    from_ns = from;
    to_ns = to;
  }
};

class Finder {
 public:
  Finder(const Trace& trace, const std::string& text, std::size_t limit)
      : trace_(trace), begin_ns_(trace.begin_ns()), text_(lower(text)), limit_(limit) {}

  nlohmann::json run() {
    find_calls();
    find_hosts();
    find_communicators();
    find_user();
    return {{"found", std::move(found_)}, {"left_out", left_out_}};
  }

 private:
  bool has(const std::string& name) const { return lower(name).find(text_) != std::string::npos; }
  // By index: is the name one that is looked for?
  template <class Names, class Name>
  std::vector<bool> those_of(const Names& names, Name name) const {
    std::vector<bool> wanted;
    for (const auto& one : names) wanted.push_back(has(name(one)));
    return wanted;
  }
  void add(const char* kind, const std::string& text, const Place* place) {
    if (found_.size() == limit_) {
      ++left_out_;
      return;
    }
    nlohmann::json one = {{"kind", kind}, {"text", text}};
    if (place != nullptr && place->count > 0) {
      one["rank"] = place->rank;
      one["from_ns"] = place->from_ns - begin_ns_;
      one["to_ns"] = place->to_ns - begin_ns_;
      one["count"] = place->count;
    }
    found_.push_back(std::move(one));
  }
  void add_places(const char* kind, const std::vector<bool>& wanted, const std::vector<Place>& places,
                  const auto& name) {
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i]) add(kind, name(i), &places[i]);
  }
  static bool any(const std::vector<bool>& wanted) {
    return std::find(wanted.begin(), wanted.end(), true) != wanted.end();
  }

  void find_calls() {
    const auto wanted = those_of(trace_.regions, [](const std::string& name) { return name; });
    if (!any(wanted)) return;
    std::vector<Place> places(wanted.size());
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const RankTrace& rank = trace_.ranks[r];
      for (std::size_t call = 0; call < rank.calls(); ++call)
        if (wanted[rank.region[call]])
          places[rank.region[call]].take(r, rank.enter_ns[call], rank.leave_ns[call]);
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (wanted[i] && places[i].count > 0) add("call", trace_.regions[i], &places[i]);
  }

  void find_hosts() {
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const RankTrace& rank = trace_.ranks[r];
      if (r > 0 && rank.host == trace_.ranks[r - 1].host) continue;
      if (!has(rank.host)) continue;
      Place place;
      place.take(r, rank.begin_ns, rank.end_ns);
      add("host", rank.host, &place);
    }
  }

  void find_communicators() {
    const auto wanted = those_of(trace_.comms, [](const Comm& comm) { return comm.name; });
    if (!any(wanted)) return;
    std::vector<Place> places(wanted.size());
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const RankTrace& rank = trace_.ranks[r];
      for (std::size_t call = 0; call < rank.calls(); ++call)
        for (std::uint32_t a = rank.first_action[call]; a < rank.first_action[call + 1]; ++a)
          if (rank.comm[a] < wanted.size() && wanted[rank.comm[a]])
            places[rank.comm[a]].take(r, rank.enter_ns[call], rank.leave_ns[call]);
    }
    add_places("communicator", wanted, places, [&](std::size_t i) { return trace_.comms[i].name; });
  }

  void find_user() {
    const UserNames& user = trace_.user;
    const auto itself = [](const std::string& name) { return name; };
    const auto regions = those_of(user.regions, itself), markers = those_of(user.texts, itself);
    const auto values = those_of(user.values, [](const ValueName& value) { return value.name; });
    std::vector<Place> in_regions(regions.size()), at_markers(markers.size()), at_values(values.size());
    for (std::size_t r = 0; r < trace_.ranks.size(); ++r) {
      const UserEvents& events = trace_.ranks[r].user;
      for (const UserRegion& one : events.regions)
        if (regions[one.region]) in_regions[one.region].take(r, one.enter_ns, one.leave_ns);
      for (const UserMarker& one : events.markers)
        if (markers[one.text]) at_markers[one.text].take(r, one.at_ns, one.at_ns);
      for (const UserValue& one : events.values)
        if (values[one.name]) at_values[one.name].take(r, one.at_ns, one.at_ns);
    }
    add_places("region", regions, in_regions, [&](std::size_t i) { return user.regions[i]; });
    add_places("marker", markers, at_markers, [&](std::size_t i) { return user.texts[i]; });
    add_places("value", values, at_values, [&](std::size_t i) { return user.values[i].name; });
  }

  const Trace& trace_;
  std::int64_t begin_ns_;
  std::string text_;
  std::size_t limit_;
  nlohmann::json found_ = nlohmann::json::array();
  std::uint64_t left_out_ = 0;
};

Result<Response> answer_find(const Inquiry& inquiry) {
  WW_TRY(const std::string text, inquiry.query.needed_text("text"));
  WW_TRY(const std::int64_t limit, inquiry.query.integer("limit", 1, most_found, 100));
  WW_TRY(const auto trace, inquiry.trace->trace());
  return json_response(Finder(*trace, text, static_cast<std::size_t>(limit)).run());
}

}  // namespace

const Resource find_resource = {
    .name = "find", .parameters = "text limit", .answer = answer_find, .of_calls = true};

}  // namespace ww::view
