#include "measure/samples.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>

#include "base/files.hpp"
#include "base/json_check.hpp"
#include "base/text.hpp"
#include "library/libraries.hpp"

namespace ww::measure {
namespace {

using nlohmann::json;

constexpr std::string_view mark = "@ww ";
constexpr double most_of_a_kind = 1e6;  // ranks, messages of a train

enum class Type { number, signed_number, count, numbers, signed_numbers, text, texts, flag, timer };

const std::map<std::string, std::map<std::string, Type>>& needed_keys() {
  static const std::map<std::string, std::map<std::string, Type>> needed{
      {"host", {{"host", Type::text}, {"clock_hz", Type::number}}},
      {"pair", {{"between", Type::text}}},
      {"pingpong", {{"between", Type::text}, {"bytes", Type::number}, {"one_way_s", Type::numbers}}},
      {"eager-threshold",
       {{"between", Type::text}, {"low_bytes", Type::number}, {"high_bytes", Type::number}}},
      {"sender-progress", {{"between", Type::text}, {"away_s", Type::number}, {"received_s", Type::numbers}}},
      {"sent-ahead",
       {{"between", Type::text},
        {"bytes", Type::number},
        {"send_s", Type::numbers},
        {"there_s", Type::numbers}}},
      {"cost",
       {{"between", Type::text}, {"term", Type::text}, {"bytes", Type::number}, {"seconds", Type::numbers}}},
      {"six",
       {{"between", Type::text},
        {"experiment", Type::count},
        {"hops", Type::count},
        {"bytes", Type::number},
        {"computation", Type::text},
        {"seconds", Type::signed_numbers}}},
      {"reduction", {{"between", Type::text}, {"bytes", Type::number}, {"seconds", Type::numbers}}},
      {"wire-bytes",
       {{"between", Type::text},
        {"bytes", Type::number},
        {"messages", Type::number},
        {"mtu_bytes", Type::number},
        {"sent_bytes", Type::number},
        {"sent_frames", Type::number},
        {"received_bytes", Type::number},
        {"received_frames", Type::number}}},
      {"two-way", {{"between", Type::text}, {"bytes", Type::number}, {"exchange_s", Type::numbers}}},
      {"disturbance",
       {{"between", Type::text}, {"involuntary_switches", Type::number}, {"elapsed_s", Type::number}}},
      {"sweep", {{"between", Type::text}, {"bytes", Type::number}, {"one_way_s", Type::numbers}}},
      {"message-rate",
       {{"between", Type::text},
        {"bytes", Type::number},
        {"window", Type::count},
        {"window_s", Type::numbers}}},
      {"parametrised",
       {{"between", Type::text},
        {"bytes", Type::number},
        {"train", Type::count},
        {"one_s", Type::numbers},
        {"train_s", Type::numbers},
        {"delayed_s", Type::numbers},
        {"delay_s", Type::numbers},
        {"receive_s", Type::numbers}}},
      {"overlap",
       {{"between", Type::text},
        {"bytes", Type::number},
        {"transfer_s", Type::numbers},
        {"computation_s", Type::numbers},
        {"both_s", Type::numbers}}},
      {"after-computation",
       {{"between", Type::text},
        {"bytes", Type::number},
        {"call", Type::text},
        {"warm_s", Type::numbers},
        {"after_s", Type::numbers}}},
      {"busy",
       {{"between", Type::text},
        {"bytes", Type::number},
        {"idle_s", Type::numbers},
        {"busy_s", Type::numbers}}},
      {"group", {{"hosts", Type::texts}}},
      {"matrix",
       {{"ranks", Type::count},
        {"hosts", Type::texts},
        {"small_bytes", Type::number},
        {"latency_s", Type::numbers},
        {"large_bytes", Type::number},
        {"stream_s", Type::numbers}}},
      {"relay", {{"hops", Type::count}, {"bytes", Type::number}, {"echo_s", Type::numbers}}},
      {"interference",
       {{"neighbours", Type::count},
        {"bytes", Type::number},
        {"alone_s", Type::numbers},
        {"with_s", Type::numbers},
        {"message_s", Type::numbers}}},
      {"forwarding",
       {{"between", Type::text},
        {"bytes", Type::number},
        {"computation", Type::text},
        {"route", Type::text},
        {"hosts", Type::count},
        {"task_on_core", Type::flag},
        {"daemon_on_core", Type::flag},
        {"loss_s", Type::signed_numbers},
        {"echo_s", Type::numbers},
        {"idle_echo_s", Type::numbers}}},
      {"congestion",
       {{"pairs", Type::count},
        {"bytes", Type::number},
        {"message_s", Type::numbers},
        {"alone_s", Type::number}}},
      {"collective",
       {{"name", Type::text},
        {"ranks", Type::count},
        {"bytes", Type::number},
        {"seconds", Type::numbers},
        {"late", Type::number}}},
      {"collective-late",
       {{"name", Type::text}, {"ranks", Type::count}, {"bytes", Type::number}, {"late", Type::number}}},
      {"problem", {{"what", Type::text}, {"remedy", Type::text}}},
      {"end", {}},
  };
  return needed;
}

// What a record may have beside, if it is not null.
const std::map<std::string, Type>& other_keys() {
  static const std::map<std::string, Type> other{{"check", Type::flag},
                                                 {"within_margin", Type::flag},
                                                 {"elapsed_s", Type::number},
                                                 {"timer", Type::timer},
                                                 {"shortest_s", Type::signed_number},
                                                 {"longest_s", Type::signed_number},
                                                 {"final_message_s", Type::numbers},
                                                 {"task_s", Type::numbers},
                                                 {"daemon_s", Type::numbers}};
  return other;
}

bool is_number(const json& value) {
  return value.is_number() && std::isfinite(value.get<double>());
}

bool is_of(const json& value, Type type) {
  if (type == Type::signed_number) return is_number(value);
  if (type == Type::number) return is_number(value) && value.get<double>() >= 0;
  if (type == Type::count) return check::is_whole(value, "") && value >= 0 && value <= most_of_a_kind;
  if (type == Type::text) return value.is_string();
  if (type == Type::flag) return value.is_boolean();
  if (type == Type::texts) return bool(check::list_of(check::is_string)(value, ""));
  if (type == Type::timer) return bool(check::map_of(check::is_number)(value, ""));
  if (!value.is_array() || value.empty()) return false;
  for (const json& one : value)
    if (!is_number(one) || (type == Type::numbers && one.get<double>() < 0)) return false;
  return true;
}

// What is wrong with a record, or "".
std::string problem_of(const json& record) {
  if (!record.is_object() || !record.contains("kind") || !record["kind"].is_string())
    return "a record without a kind";
  const auto kind = needed_keys().find(record["kind"].get<std::string>());
  if (kind == needed_keys().end()) return "an unknown kind of record";
  for (const auto& [key, type] : kind->second)
    if (!record.contains(key) || !is_of(record[key], type))
      return fmt::format("a {} record without a good {}", kind->first, key);
  for (const auto& [key, type] : other_keys())
    if (record.contains(key) && !is_of(record[key], type))
      return fmt::format("a {} record with a damaged {}", kind->first, key);
  return "";
}

}  // namespace

std::vector<const json*> Samples::of_kind(const std::string& kind, const std::string& between) const {
  std::vector<const json*> out;
  for (const json& record : records)
    if (record["kind"] == kind && (between.empty() || check::text_of(record, "between") == between))
      out.push_back(&record);
  return out;
}

bool is_simulated(const Samples& samples) {
  return samples.environment.contains("simulated");
}

const Library* library_of(const Samples& samples) {
  for (const json* record : samples.of_kind("host"))
    if (const auto said = record->find("mpi"); said != record->end() && said->is_string())
      if (const Library* library = library_of_version(said->get<std::string>())) return library;
  return nullptr;
}

void emit_record(const json& record) {
  const std::string line = fmt::format("{}{}\n", mark, json_text(record));
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

Samples parse_output(const std::string& output) {
  Samples samples;
  int damaged = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find(mark);  // a launcher may put the rank before it
    if (at == std::string::npos) continue;
    json record = json::parse(line.substr(at + mark.size()), nullptr, false);
    if (record.is_discarded() || !problem_of(record).empty()) {
      ++damaged;
      continue;
    }
    if (record["kind"] == "end") {
      samples.complete = true;
      samples.elapsed_s = record.value("elapsed_s", 0.0);
    } else {
      samples.records.push_back(std::move(record));
    }
  }
  if (damaged > 0) samples.environment["damaged_records"] = damaged;
  return samples;
}

json to_json(const Samples& samples) {
  return {{"whatwire_samples", 1},
          {"environment", samples.environment},
          {"complete", samples.complete},
          {"records", samples.records}};
}

Result<Samples> samples_from_json(const json& from) {
  if (!from.is_object() || !from.contains("whatwire_samples") || !from.contains("records") ||
      !from["records"].is_array())
    return fail("this is no file of samples", "", "give a file that `whatwire measure` left beside a model");
  Samples samples;
  samples.complete = from.contains("complete") && from["complete"] == true;
  if (from.contains("environment") && from["environment"].is_object())
    samples.environment = from["environment"];
  make_printable(samples.environment);
  for (std::size_t i = 0; i < from["records"].size(); ++i) {
    const json& record = from["records"][i];
    if (const std::string problem = problem_of(record); !problem.empty())
      return fail(problem, fmt::format("key records[{}]", i), "measure again");
    samples.records.push_back(record);
  }
  return samples;
}

Result<Samples> load_samples(const std::filesystem::path& file) {
  WW_TRY(const std::string text, read_file(file));
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded())
    return fail("the file of samples is not JSON", file.string(), "give a file that `whatwire measure` left");
  auto samples = samples_from_json(parsed);
  if (!samples) {
    Error error = samples.error();
    error.where = error.where.empty() ? file.string() : fmt::format("{}, {}", file.string(), error.where);
    return tl::unexpected(std::move(error));
  }
  return samples;
}

std::filesystem::path samples_beside(std::filesystem::path model) {
  model.replace_extension();
  return model.string() + ".samples.json";
}

Result<void> save_samples(const Samples& samples, const std::filesystem::path& file) {
  return write_file(file, json_text(to_json(samples)) + "\n");
}

}  // namespace ww::measure
