#include "instrument/rewrite_fortran.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "instrument/fortran_lines.hpp"

namespace ww::instrument {
namespace {

constexpr std::size_t fixed_columns = 72, free_columns = 120, fixed_begin = 6;

std::string fortran_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

// A piece of the text that becomes another; where nothing is replaced begin == end. Of several at one place in the given order.
struct Edit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

class Copy {
 public:
  Copy(const std::string& text, const FileSites& sites, const std::string& source)
      : text_(text), sites_(sites), source_(source) {
    for (std::size_t at = 0; at < text.size(); at = line_end(at) + 1) lines_.push_back(at);
  }

  std::string run() {
    // What goes to one statement, together.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<const CallSite*>> of_statement;
    for (const CallSite& site : sites_.calls) {
      if (site.kind == CallSite::Kind::entered)
        enter(site);
      else
        of_statement[{site.begin, site.end}].push_back(&site);
    }
    for (const auto& [place, sites] : of_statement) at_statement(sites);
    std::stable_sort(edits_.begin(), edits_.end(),
                     [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string out = marker(1);
    std::size_t done = 0;
    for (const Edit& edit : edits_) {
      out.append(text_, done, edit.begin - done);
      out += edit.text;
      done = std::max(done, edit.end);
    }
    out.append(text_, done, std::string::npos);
    return out;
  }

 private:
  std::size_t line_end(std::size_t at) const { return std::min(text_.find('\n', at), text_.size()); }
  std::size_t number_of(std::size_t at) const {
    return static_cast<std::size_t>(std::upper_bound(lines_.begin(), lines_.end(), at) - lines_.begin());
  }
  std::size_t line_begin(std::size_t at) const { return lines_[number_of(at) - 1]; }
  std::string marker(std::size_t line) const { return fmt::format("# {} \"{}\"\n", line, source_); }

  // A statement from this column on, continued where the line is full; within a text, too.
  std::string statement(const std::string& words, std::size_t column) const {
    const std::size_t columns = sites_.fixed_form ? fixed_columns : free_columns;
    std::string out;
    std::size_t room = columns > column ? columns - column : 0;
    for (std::size_t at = 0; at < words.size();) {
      const std::size_t take = std::min(room, words.size() - at);
      out += words.substr(at, take);
      at += take;
      if (at == words.size()) break;
      out += sites_.fixed_form ? "\n     &" : "&\n&";
      room = sites_.fixed_form ? fixed_columns - fixed_begin : free_columns - 1;
    }
    return out;
  }
  std::string own_line(const std::string& words) const {
    return std::string(fixed_begin, ' ') + statement(words, fixed_begin) + "\n";
  }

  std::string call(const CallSite& site) const {
    switch (site.kind) {
      case CallSite::Kind::entered:
        return fmt::format("call wwregionbegin({})", fortran_text(sites_.functions[site.which].name));
      case CallSite::Kind::left:
        return fmt::format("call wwregionend({})", fortran_text(sites_.functions[site.which].name));
      case CallSite::Kind::assigned:
        break;
    }
    const std::string call = fmt::format("call {}({}, {})", site.routine,
                                         fortran_text(sites_.watches[site.which].name), site.value);
    return site.condition.empty() ? call : fmt::format("if ({}) {}", site.condition, call);
  }

  // In front of the first statement, its label, and the directives that belong to it.
  void enter(const CallSite& site) {
    std::size_t begin = line_begin(site.begin);
    const std::string_view before = std::string_view(text_).substr(begin, site.begin - begin);
    if (before.find(';') != std::string_view::npos) {  // another statement
      edits_.push_back({site.begin, site.begin,
                        statement(call(site), site.begin - begin) + "\n" + marker(number_of(begin)) +
                            std::string(fixed_begin, ' ')});
      return;
    }
    begin = begin_with_directives(text_, begin, sites_.fixed_form);
    edits_.push_back({begin, begin, own_line(call(site)) + marker(number_of(begin))});
  }

  void at_statement(const std::vector<const CallSite*>& sites) {
    const CallSite& first = *sites.front();
    std::string before, behind;
    for (const CallSite* const site : sites)
      if (site->kind == CallSite::Kind::assigned)
        behind += own_line(call(*site));
      else
        before = call(*site);
    const std::size_t begin = line_begin(first.begin), column = first.begin - begin;
    std::string ends_loop;
    if (first.label_end != 0) {
      const std::string label = text_.substr(first.label_begin, first.label_end - first.label_begin);
      edits_.push_back({first.label_begin, first.label_end, std::string(label.size(), ' ')});
      ends_loop = fmt::format("{:>5} continue\n", label);
    }
    if (first.condition_end != 0) {
      block(first, before, behind, ends_loop);
      return;
    }
    if (!before.empty())
      edits_.push_back({first.begin, first.begin,
                        statement(before, column) + "\n" + marker(number_of(first.begin)) +
                            std::string(std::max(column, fixed_begin), ' ')});
    if (!behind.empty() || !ends_loop.empty()) go_on(first.end, "", behind + ends_loop);
  }

  // "if (c) x = 1" becomes "if (c) then", x = 1 in the columns that it had, the calls and "end if".
  void block(const CallSite& site, const std::string& before, const std::string& behind,
             const std::string& ends_loop) {
    const std::size_t column = site.begin - line_begin(site.begin),
                      of_condition = site.condition_end - line_begin(site.condition_end - 1);
    const std::string then =
        sites_.fixed_form && of_condition + 5 > fixed_columns ? "\n     & then\n" : " then\n";
    std::string text = then;
    if (!before.empty()) text += own_line(before);
    text += marker(number_of(site.begin)) + std::string(std::max(column, fixed_begin), ' ');
    edits_.push_back({site.condition_end, site.begin, text});
    go_on(site.end, "\n", behind + own_line("end if") + ends_loop);
  }

  // Lines behind a statement that ends there; what is left of its own line stays in front, if it is no statement. `cut`: it goes.
  void go_on(std::size_t end, const std::string& cut, const std::string& lines) {
    const std::size_t last = line_end(end), rest = std::min(text_.find_first_not_of(" \t", end), last);
    const std::size_t number = number_of(end > 0 ? end - 1 : 0);
    if (rest < last && text_[rest] == ';') {
      const std::size_t next = std::min(text_.find_first_not_of(" \t;", rest), last);
      if (next < last && text_[next] != '!') {
        edits_.push_back({end, next, "\n" + lines + marker(number) + std::string(fixed_begin, ' ')});
        return;
      }
    }
    if (!cut.empty()) {
      edits_.push_back({end, last < text_.size() ? last + 1 : last, cut + lines + marker(number + 1)});
      return;
    }
    if (last == text_.size()) {
      edits_.push_back({last, last, "\n" + lines + marker(number + 1)});
      return;
    }
    const std::size_t at = behind_end_of_atomic(text_, last + 1, sites_.fixed_form);
    const auto passed = std::count(text_.begin() + static_cast<std::ptrdiff_t>(last),
                                   text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    edits_.push_back({at, at, lines + marker(number + static_cast<std::size_t>(passed))});
  }

  const std::string& text_;
  const FileSites& sites_;
  const std::string& source_;
  std::vector<std::size_t> lines_;
  std::vector<Edit> edits_;
};

}  // namespace

std::string read_as_fortran(const std::string& text) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  std::string out;
  out.reserve(text.size() + 1);
  for (std::size_t i = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0; i < text.size(); ++i)
    if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') out += text[i];
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out;
}

std::string rewritten_fortran(const std::string& text, const FileSites& sites, const std::string& source) {
  return Copy(text, sites, source).run();
}

}  // namespace ww::instrument
