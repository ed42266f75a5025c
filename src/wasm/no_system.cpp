// What is linked of the stages and needs a system, where there is none: files are not there, and no path that an exported page can
// take leads to the rest.
#include <nlohmann/json.hpp>

#include "base/column_store.hpp"
#include "machine/presets.hpp"
#include "simulate/by_loggops.hpp"
#include "simulate/predicted_run.hpp"
#include "trace/directory.hpp"
#include "trace/recording.hpp"
#include "view/kept_index.hpp"
#include "view/live.hpp"
#include "view/picture.hpp"
#include "view/resources/resources.hpp"
#include "view/trace_source.hpp"

namespace ww {
namespace {

tl::unexpected<Error> no_files() {
  return fail("an exported page has no files");
}

}  // namespace

ColumnStore::~ColumnStore() = default;
char* ColumnStore::allocate(std::uint64_t) {
  std::abort();
}
void ColumnStore::commit(char*, std::uint64_t) {
  std::abort();
}
void ColumnStore::release(char*, std::uint64_t) {
  std::abort();
}

Result<Trace> load_trace(const std::filesystem::path&, const Loading&) {
  return no_files();
}
bool is_unified(const std::filesystem::path&) {
  return false;
}
bool has_spool(const std::filesystem::path&) {
  return false;
}
bool awaits_unify(const std::filesystem::path&) {
  return false;
}
std::optional<std::string> recorder_of(const std::filesystem::path&) {
  return std::nullopt;
}

Result<MachineModel> load_model(const std::filesystem::path& name) {
  if (auto preset = find_preset(name.string())) return *std::move(preset);
  return fail("no such machine model", name.string(),
              "an exported page has the presets of `whatwire machine list`");
}

namespace simulate {

Result<std::optional<Conditions>> conditions_of(const std::filesystem::path&) {
  return std::nullopt;
}
Result<ByLogGops> ByLogGops::make(const Program&, const MachineModel&, const PredictOptions&) {
  return no_files();
}
Result<Prediction> ByLogGops::predict(const WhatIf&) const {
  return no_files();
}

}  // namespace simulate

namespace view {

namespace {
Result<Response> no_queries(const Inquiry&) {
  return fail("an exported page answers no SQL", "", "use whatwire view");
}
}  // namespace
const Resource query_resource = {.name = "query", .parameters = "sql", .answer = no_queries, .heavy = false};

Result<Live> look_live(const std::filesystem::path&) {
  return no_files();
}
nlohmann::json to_json(const Live&) {
  std::abort();
}

Result<CallsPicture> picture_of_spool(const std::filesystem::path&, std::size_t) {
  return no_files();
}
Result<CallsPicture> picture_of_archive(const std::filesystem::path&, std::size_t) {
  return no_files();
}
bool is_large_archive(const std::filesystem::path&) {
  return false;
}
Result<std::shared_ptr<const Trace>> trace_of_calls(const Trace&, const Index&) {
  return no_files();
}

std::shared_ptr<const Index> kept_index(const std::filesystem::path&, const MachineModel*) {
  return nullptr;
}
Result<std::shared_ptr<const Index>> make_index(const Trace& trace,
                                                const std::vector<Breakdown::CallSplit>& splits,
                                                const MachineModel*, std::string facts, Diagnostics&) {
  Building building;
  building.facts = [&] { return std::move(facts); };
  return build_index(TraceSource(trace, splits), building);
}

}  // namespace view
}  // namespace ww
