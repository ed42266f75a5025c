#include "instrument/rewrite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace ww::instrument {
namespace {

// As C and C++ write a text; names hold no control characters.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// Text that goes in at `at`. Of two at one place those that close come first, the innermost (that which began
// last) in front; then those that open, the outermost (that which ends last) in front.
struct Insertion {
  std::size_t at = 0;
  bool opens = false;
  std::size_t other_end = 0;
  std::string text;
  bool operator<(const Insertion& other) const {
    if (at != other.at) return at < other.at;
    if (opens != other.opens) return other.opens;
    return other_end > other.other_end;
  }
};

class Insertions {
 public:
  void around(std::size_t begin, std::size_t end, std::string before, std::string after) {
    all_.push_back({begin, true, end, std::move(before)});
    all_.push_back({end, false, begin, std::move(after)});
  }
  // Before all that opens there.
  void put(std::size_t at, std::string text) {
    all_.push_back({at, true, std::string::npos, std::move(text)});
  }
  // `replaced` are of the text and hold no insertion.
  std::string into(const std::string& text, const std::vector<IncludeSite>& replaced,
                   const CopyNames& names) {
    std::stable_sort(all_.begin(), all_.end());
    std::string out;
    std::size_t done = 0;
    auto next = all_.begin();
    const auto up_to = [&](std::size_t end) {
      for (; next != all_.end() && next->at <= end; ++next) {
        out.append(text, done, next->at - done);
        out += next->text;
        done = next->at;
      }
      out.append(text, done, end - done);
      done = end;
    };
    for (const IncludeSite& site : replaced) {
      up_to(site.begin);
      out += '"' + names.include(site.target) + '"';
      done = site.end;
    }
    up_to(text.size());
    return out;
  }

 private:
  std::vector<Insertion> all_;
};

void wrap(Insertions& insertions, const WatchSite& site) {
  const char* form = site.form == WatchSite::Form::assigned ? "assigned"
                     : site.form == WatchSite::Form::stored ? "stored"
                                                            : "stepped";
  const std::string step = site.form == WatchSite::Form::stepped_up     ? "1, "
                           : site.form == WatchSite::Form::stepped_down ? "-1, "
                                                                        : "";
  std::string condition;
  if (!site.indices.empty()) {
    // Which indices were the wanted ones: a variable of the function's own, so that threads and recursion
    // have each theirs, read when the whole expression has been evaluated.
    const std::string found = fmt::format("ww_found_{}", site.begin);
    insertions.put(site.body, fmt::format(" unsigned {} = 0;", found));
    unsigned bit = 1;
    for (const IndexSite& index : site.indices) {
      insertions.around(index.begin, index.end,
                        fmt::format("ww_index(&{}, {}u, {}, (", found, bit, index.wanted), "))");
      bit *= 2;
    }
    condition = fmt::format("&{}, {}u, ", found, bit - 1);
  }
  insertions.around(site.begin, site.end,
                    fmt::format("ww_{}_{}{}({}{}, {}(", form, condition.empty() ? "" : "element_", site.kind,
                                condition, quoted(site.name), step),
                    "))");
}

}  // namespace

void tell_apart(std::vector<FileSites>& files) {
  std::map<std::string, std::set<std::string>> variables, files_of_function;
  for (const FileSites& file : files) {
    for (const WatchSite& site : file.watches) variables[site.name].insert(site.variable);
    for (const FunctionSite& site : file.functions)
      files_of_function[site.name].insert(site.internal ? file.path : std::string());
  }
  for (FileSites& file : files) {
    for (WatchSite& site : file.watches)
      if (variables[site.name].size() > 1 && !site.function.empty()) site.name += '@' + site.function;
    for (FunctionSite& site : file.functions)
      if (site.internal && files_of_function[site.name].size() > 1)
        site.name += fmt::format(" ({})", std::filesystem::path(file.path).filename().string());
  }
}

std::string rewritten(const std::string& text, const FileSites& sites, const CopyNames& names) {
  Insertions insertions;
  for (const FunctionSite& site : sites.functions)
    insertions.put(site.at, fmt::format(" WW_FUNCTION(ww_region_{}, {});", site.line, quoted(site.name)));
  for (const WatchSite& site : sites.watches) wrap(insertions, site);
  std::vector<IncludeSite> includes = sites.includes;
  std::sort(includes.begin(), includes.end(),
            [](const IncludeSite& a, const IncludeSite& b) { return a.begin < b.begin; });
  std::string body = insertions.into(text, includes, names);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // which may stand first only
  if (body.starts_with(byte_order_mark)) body.erase(0, byte_order_mark.size());
  return fmt::format("#include \"{}\"\n#line 1 {}\n{}", names.header, quoted(names.source), body);
}

}  // namespace ww::instrument
