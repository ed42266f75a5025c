#include "view/exported_folder.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/new_result.hpp"
#include "base/text.hpp"
#include "trace/packed.hpp"
#include "view/answers/messages_window.hpp"
#include "view/exported_page.hpp"
#include "view/gzipped.hpp"
#include "view/marks.hpp"
#include "view/responder.hpp"
#include "view/selected.hpp"
#include "view/static_pieces.hpp"
#include "view/tile.hpp"

namespace ww::view {
namespace fs = std::filesystem;
namespace {

constexpr const char* page_folder = "exported";
constexpr const char* page_names[] = {"index.html", "view.js", "view-style.css", "engine-worker.js",
                                      "engine.bin"};

// A file of this many is some hundred KB. Of a longer time the page shows the longest calls, some messages, the longest regions.
constexpr std::uint64_t most_calls = 1 << 16, most_messages = 1 << 14, most_marks = 4096;
constexpr std::size_t calls_of_more = 4096, messages_of_more = 1000, marks_of_more = 2000;
constexpr auto no_limit = std::numeric_limits<std::size_t>::max();

constexpr owned::Entry piece_entries[] = {{"*.bin"}};
constexpr owned::ContentKind piece_kind{"pieces", piece_entries, false};
constexpr owned::Entry trace_entries[] = {{"*.json"},
                                          {"packed.bin"},
                                          {"tile", &piece_kind},
                                          {"calls", &piece_kind},
                                          {"messages", &piece_kind},
                                          {"marks", &piece_kind}};
constexpr owned::ContentKind trace_kind{"exported-trace", trace_entries, false};
constexpr owned::Entry data_entries[] = {{"traces.json"}, {"0", &trace_kind}};
constexpr owned::ContentKind data_kind{"exported-data", data_entries, false};
constexpr owned::Entry folder_entries[] = {{"index.html"}, {"view.js"},          {"view-style.css"},
                                           {"engine.bin"}, {"engine-worker.js"}, {"data", &data_kind}};
constexpr owned::ContentKind folder_kind{"exported-folder", folder_entries};

class Folder {
 public:
  Folder(const std::shared_ptr<OpenTrace>& trace, const std::string& made_by, fs::path root)
      : traces_({made_by, false, false}),
        open_(*trace),
        responder_(traces_),
        root_(std::move(root)),
        data_(root_ / "data" / "0") {
    traces_.add(trace);
  }

  Result<void> write(Diagnostics& diagnostics) {
    std::error_code problem;
    for (const char* name : {"tile", "calls", "messages", "marks"})
      if (fs::create_directories(data_ / name, problem); problem)
        return fail("cannot make a directory", (data_ / name).string(), problem.message());
    WW_TRY(trace_, open_.trace());
    WW_TRY(index_, open_.index());
    WW_CHECK(write_page());
    WW_CHECK(write_answers());
    nlohmann::json pieces = {{"version", 1}, {"top_level", index_->top_level()}};
    WW_TRY(pieces["groups"], write_tiles());
    WW_TRY(pieces["messages"], write_messages());
    WW_TRY(pieces["marks"], write_marks());
    pieces["name"] = open_.origin().name;
    const MachineModel* const machine = open_.machine();
    pieces["model"] = machine != nullptr ? json_text(to_json(*machine)) : "";  // as in an exported page
    WW_TRY(pieces["packed_bytes"], write_packed(diagnostics));
    pieces["engine_bytes"] = fs::file_size(root_ / "engine.bin", problem);
    return write_file(data_ / "pieces.json", json_text(pieces));
  }

 private:
  Result<void> write_page() {
    for (const char* name : page_names) {
      WW_TRY(const std::string text, read_file(helper_program(page_folder) / name));
      WW_CHECK(write_file(root_ / name, text));
    }
    return {};
  }

  Result<std::string> answer(const std::string& path, const std::string& query = "") {
    const Response response = responder_.answer({path, query});
    if (response.status == 200) return *response.body;
    const nlohmann::json said = nlohmann::json::parse(*response.body, nullptr, false);
    return fail(said.value("error", path), "", said.value("remedy", ""));
  }
  // What the page asks of every trace, as the server would answer it.
  Result<void> write_answers() {
    WW_TRY(const std::string listed, answer("data/traces"));
    nlohmann::json traces = nlohmann::json::parse(listed);
    for (auto& one : traces["traces"]) one["source"] = one["name"];
    WW_CHECK(write_file(root_ / "data" / "traces.json", json_text(traces)));
    for (const char* name : {"trace", "first", "report"}) {
      WW_TRY(const std::string body, answer(fmt::format("data/0/{}", name)));
      WW_CHECK(write_file(data_ / fmt::format("{}.json", name), body));
    }
    return {};
  }

  Result<void> write_piece(const char* kind, const std::string& name, std::string_view bytes) {
    WW_TRY(const std::string compressed, gzipped(bytes));
    return write_file(data_ / kind / (name + ".bin"), compressed);
  }
  Result<nlohmann::json> tree(const TileAt& top, std::uint64_t most,
                              const std::function<std::uint64_t(const PieceTime&)>& count,
                              const std::function<Result<std::uint64_t>(const PieceTime&, bool)>& write) {
    WW_TRY(PieceTree made, piece_tree(*index_, top, most, count, write));
    return nlohmann::json{{"nodes", std::move(made.nodes)}, {"counts", std::move(made.counts)}};
  }

  // Of group 0 a leaf is its calls, from which the page works out finer tiles, those of larger groups too; an inner node a tile, and of
  // group 0 its longest calls.
  Result<nlohmann::json> write_tiles() {
    nlohmann::json groups = nlohmann::json::array();
    for (std::uint32_t group = 0; group <= index_->top_group(); ++group) {
      nlohmann::json blocks = nlohmann::json::array();
      for (std::uint32_t block = 0; index_->rows(group, block) > 0; ++block) {
        WW_TRY(nlohmann::json made, tree_of_block(group, block));
        blocks.push_back(std::move(made));
      }
      groups.push_back(std::move(blocks));
    }
    return groups;
  }
  Result<nlohmann::json> tree_of_block(std::uint32_t group, std::uint32_t block) {
    const std::size_t ranks = std::size_t{tile_rows} << (2 * group), first = block * ranks,
                      end = std::min(index_->ranks(), first + ranks);
    const auto count = [&](const PieceTime& time) {
      return index_->calls_about(first, end, time.from_ns, time.to_ns);
    };
    const auto write = [&](const PieceTime& time, bool is_leaf) -> Result<std::uint64_t> {
      const std::string name = fmt::format("{}-{}-{}-{}", group, block, time.at.level, time.at.tile);
      if (!is_leaf) {
        WW_TRY(const std::string tile, tile_bytes(*index_, time.at));
        WW_CHECK(write_piece("tile", name, tile));
      }
      if (group > 0) return std::max<std::uint64_t>(1, count(time));
      WW_TRY(const CallsPiece calls, piece_of_calls(*index_, time, is_leaf ? no_limit : calls_of_more));
      if (calls.all > 0) WW_CHECK(write_piece("calls", name, calls.bytes));
      return is_leaf ? calls.all : std::max<std::uint64_t>(1, calls.all);
    };
    return tree({index_->top_level(), group, block, 0}, most_calls, count, write);
  }

  static std::string name_of(const TileAt& at) { return fmt::format("{}-{}", at.level, at.tile); }
  Result<nlohmann::json> write_messages() {
    WW_TRY(const SelectedPart all, selected(open_, {}));
    const auto count = [&](const PieceTime& time) {
      return messages_in_window(all.part, time.from_ns, time.to_ns, 0).all;
    };
    const auto write = [&](const PieceTime& time, bool is_leaf) -> Result<std::uint64_t> {
      const MessagesWindow window =
          messages_in_window(all.part, time.from_ns, time.to_ns, is_leaf ? no_limit : messages_of_more);
      if (window.all > 0) WW_CHECK(write_piece("messages", name_of(time.at), messages_bytes(window)));
      return window.all;
    };
    return tree({index_->top_level(), 0, 0, 0}, most_messages, count, write);
  }
  Result<nlohmann::json> write_marks() {
    const auto count = [&](const PieceTime& time) -> std::uint64_t {
      const MarksWindow window = marks_in_window(*trace_, {}, time.from_ns, time.to_ns, no_limit);
      return window.markers.size() + window.regions.size();
    };
    const auto write = [&](const PieceTime& time, bool is_leaf) -> Result<std::uint64_t> {
      const std::uint64_t there = count(time);
      if (there == 0) return there;
      const std::uint64_t limit = !is_leaf ? marks_of_more : std::min<std::uint64_t>(there, 100'000);
      WW_TRY(const std::string body, answer("data/0/marks", fmt::format("from_ns={}&to_ns={}&limit={}",
                                                                        time.from_ns, time.to_ns, limit)));
      WW_CHECK(write_piece("marks", name_of(time.at), body));
      return there;
    };
    return tree({index_->top_level(), 0, 0, 0}, most_marks, count, write);
  }

  // What the module opens; null: there is more than a browser could.
  Result<nlohmann::json> write_packed(Diagnostics& diagnostics) {
    const std::string packed = pack(*trace_);
    if (packed.size() > most_packed_bytes) {
      diagnostics.add("page-without-analysis", fmt::format("{} MB packed, a browser opens at most {}",
                                                           packed.size() >> 20, most_packed_bytes >> 20));
      return nlohmann::json();
    }
    WW_TRY(const std::string compressed, gzipped(packed));
    WW_CHECK(write_file(data_ / "packed.bin", compressed));
    return nlohmann::json(compressed.size());
  }

  OpenTraces traces_;
  OpenTrace& open_;
  Responder responder_;
  fs::path root_, data_;
  std::shared_ptr<const Trace> trace_;
  std::shared_ptr<const Index> index_;
};

}  // namespace

Result<std::vector<std::string>> export_folder(const std::shared_ptr<OpenTrace>& trace,
                                               const std::string& made_by, const fs::path& folder,
                                               Diagnostics& diagnostics) {
  std::error_code ignored;
  if (!fs::exists(helper_program(page_folder) / "index.html", ignored)) return no_exported_page();
  WW_TRY(auto result, owned::NewResult::begin(folder, folder_kind));
  WW_CHECK(Folder(trace, made_by, result.directory()).write(diagnostics));
  return result.publish();
}

}  // namespace ww::view
