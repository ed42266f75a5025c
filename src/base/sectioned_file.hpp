// What was compiled of a trace or a program, in files that are mapped: a header, then sections of records, one
// behind the other.
// What the records say is not looked at here.
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

#include "base/mapped_file.hpp"

namespace ww {

enum class StoredKind : std::uint32_t { recorded_program = 1, schedule, view_index };
// What such a file is called in errors, and how it is made again.
struct StoredWords {
  const char *name, *remedy;
};
StoredWords words_of(StoredKind kind);

// Beside the file, which is the old one or the whole new one.
class SectionWriter {
 public:
  // `made_from`: for who asks whether it is still that.
  SectionWriter(std::filesystem::path file, StoredKind kind, std::uint64_t made_from = 0);
  // Of anything with data() and size(); or begun, and appended to in parts.
  template <class Values>
  void section(const Values& values) {
    begin(sizeof(*values.data()));
    append(values);
  }
  void begin(std::size_t bytes_each);
  template <class Values>
  void append(const Values& values) {
    header_.places[header_.sections - 1].count += values.size();
    put(values.data(), values.size() * sizeof(*values.data()));
  }
  // Errors: no room, no permission.
  Result<void> finish();

 private:
  friend class SectionReader;
  static constexpr std::size_t most_sections = 16;
  struct Place {
    std::uint64_t offset = 0, count = 0, bytes_each = 0;
  };
  struct Header {
    std::array<char, 8> magic{'w', 'w', 'p', 'r', 'o', 'g', '0', '3'};
    StoredKind kind{};
    std::uint32_t sections = 0;
    std::uint64_t made_from = 0, file_bytes = 0;
    std::array<Place, most_sections> places{};
  };
  void put(const void* data, std::size_t bytes);

  std::filesystem::path file_, beside_;
  std::ofstream out_;
  Header header_;
  std::uint64_t at_ = 0;
};

class SectionReader {
 public:
  // Errors: unreadable, of another kind or version, not as long as it says.
  static Result<SectionReader> open(const std::filesystem::path& file, StoredKind kind);
  static bool is(const std::filesystem::path& file, StoredKind kind);  // by its first bytes
  std::uint64_t made_from() const { return header_.made_from; }
  // The next section; false: there is none, not of such records, or not in the file.
  template <class T>
  bool take(std::span<const T>& out) {
    if (next_ >= header_.sections) return false;
    const SectionWriter::Place& place = header_.places[next_++];
    return place.bytes_each == sizeof(T) && file_->take(place.offset, place.count, out);
  }
  const std::shared_ptr<const MappedFile>& file() const { return file_; }  // what sections point into

 private:
  std::shared_ptr<const MappedFile> file_;
  SectionWriter::Header header_;
  std::size_t next_ = 0;
};

}  // namespace ww
