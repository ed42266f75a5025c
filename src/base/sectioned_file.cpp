#include "base/sectioned_file.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

#include "base/unused_name.hpp"

namespace ww {

StoredWords words_of(StoredKind kind) {
  if (kind == StoredKind::view_index) return {"viewer's index", "remove it: whatwire view makes it again"};
  return {"compiled program", "make it again with whatwire import"};
}

SectionWriter::SectionWriter(std::filesystem::path file, StoredKind kind, std::uint64_t made_from)
    : file_(std::move(file)),
      beside_(unused_beside(file_)),
      out_(beside_, std::ios::binary | std::ios::trunc) {
  header_.kind = kind;
  header_.made_from = made_from;
  put(&header_, sizeof(header_));  // room
}

void SectionWriter::begin(std::size_t bytes_each) {
  WW_INVARIANT(header_.sections < most_sections);
  constexpr std::size_t alignment = 64;
  constexpr std::array<char, alignment> zeros{};
  put(zeros.data(), (alignment - at_ % alignment) % alignment);
  header_.places[header_.sections++] = {at_, 0, bytes_each};
}

void SectionWriter::put(const void* data, std::size_t bytes) {
  out_.write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  at_ += bytes;
}

Result<void> SectionWriter::finish() {
  header_.file_bytes = at_;
  out_.seekp(0);
  put(&header_, sizeof(header_));
  out_.close();
  std::error_code error;
  if (out_) std::filesystem::rename(beside_, file_, error);
  if (out_ && !error) return {};
  std::filesystem::remove(beside_, error);
  return fail(std::string("cannot write the ") + words_of(header_.kind).name, file_.string(),
              "is there room, and may you write there?");
}

Result<SectionReader> SectionReader::open(const std::filesystem::path& file, StoredKind kind) {
  const StoredWords words = words_of(kind);
  const auto bad = [&](std::string what) { return fail(std::move(what), file.string(), words.remedy); };
  SectionReader out;
  auto opened = MappedFile::open(file);
  if (!opened) return fail(std::string("cannot read the ") + words.name, file.string());
  out.file_ = std::move(*opened);
  const std::span<const char> bytes = out.file_->bytes();
  const std::string cut_short = std::string("a ") + words.name + " that is cut short";
  if (bytes.size() < sizeof(out.header_)) return bad(cut_short);
  std::memcpy(&out.header_, bytes.data(), sizeof(out.header_));
  if (out.header_.magic != SectionWriter::Header().magic || out.header_.kind != kind)
    return bad(std::string("not a ") + words.name + " of this version");
  if (out.header_.file_bytes != bytes.size()) return bad(cut_short);
  if (out.header_.sections > SectionWriter::most_sections)
    return bad(std::string("a ") + words.name + " that is damaged");
  return out;
}

bool SectionReader::is(const std::filesystem::path& file, StoredKind kind) {
  std::ifstream in(file, std::ios::binary);
  SectionWriter::Header first;
  const auto magic = first.magic;
  in.read(reinterpret_cast<char*>(&first), offsetof(SectionWriter::Header, sections));
  return in && first.magic == magic && first.kind == kind;
}

}  // namespace ww
