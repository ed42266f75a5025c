#include "launch/linked_in.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"
#include "base/text.hpp"

namespace ww {
namespace {

class Program {
 public:
  static std::optional<Program> read(const std::string& path) {
    auto file = MappedFile::open(path);
    if (!file) return {};
    Program program(*std::move(file));
    std::span<const Elf64_Ehdr> header;
    if (!program.file_->take(0, 1, header) || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
        header[0].e_ident[EI_CLASS] != ELFCLASS64 || header[0].e_shentsize != sizeof(Elf64_Shdr) ||
        !program.file_->take(header[0].e_shoff, header[0].e_shnum, program.sections_) ||
        header[0].e_shstrndx >= program.sections_.size())
      return {};
    program.names_ = program.bytes_of(program.sections_[header[0].e_shstrndx]);
    return program;
  }

  bool has_section(std::string_view name) const {
    return std::any_of(sections_.begin(), sections_.end(),
                       [&](const Elf64_Shdr& one) { return name_at(names_, one.sh_name) == name; });
  }

  bool is_stripped() const { return symbols().empty(); }

  bool defines(const std::vector<std::string_view>& wanted) const {
    std::vector<bool> found(wanted.size());
    const std::string_view names = symbol_names();
    for (const Elf64_Sym& symbol : symbols())
      for (std::size_t i = 0; i < wanted.size(); ++i)
        if (symbol.st_shndx != SHN_UNDEF && ELF64_ST_BIND(symbol.st_info) != STB_LOCAL &&
            name_at(names, symbol.st_name) == wanted[i])
          found[i] = true;
    return std::find(found.begin(), found.end(), false) == found.end();
  }

  bool has_text(std::string_view text) const {
    const auto all = file_->bytes();
    return std::string_view(all.data(), all.size()).find(text) != std::string_view::npos;
  }

 private:
  explicit Program(std::shared_ptr<const MappedFile> file) : file_(std::move(file)) {}

  std::string_view bytes_of(const Elf64_Shdr& section) const {
    std::span<const char> bytes;
    if (section.sh_type == SHT_NOBITS || !file_->take(section.sh_offset, section.sh_size, bytes)) return {};
    return {bytes.data(), bytes.size()};
  }
  static std::string_view name_at(std::string_view names, std::size_t at) {
    if (at >= names.size()) return {};
    return names.substr(at, names.find('\0', at) - at);
  }
  const Elf64_Shdr* symbol_table() const {
    const auto found = std::find_if(sections_.begin(), sections_.end(),
                                    [](const Elf64_Shdr& one) { return one.sh_type == SHT_SYMTAB; });
    return found == sections_.end() || found->sh_link >= sections_.size() ? nullptr : &*found;
  }
  std::span<const Elf64_Sym> symbols() const {
    const Elf64_Shdr* const table = symbol_table();
    std::span<const Elf64_Sym> all;
    if (table == nullptr || !file_->take(table->sh_offset, table->sh_size / sizeof(Elf64_Sym), all))
      return {};
    return all;
  }
  std::string_view symbol_names() const {
    const Elf64_Shdr* const table = symbol_table();
    return table == nullptr ? std::string_view() : bytes_of(sections_[table->sh_link]);
  }

  std::shared_ptr<const MappedFile> file_;
  std::span<const Elf64_Shdr> sections_;
  std::string_view names_;
};

}  // namespace

std::optional<LinkedIn> linked_in(const std::string& path) {
  std::optional<Program> program;
  for (const Library* one : libraries()) {
    if (*one->static_symbols == '\0') continue;
    if (!program && !(program = Program::read(path))) return {};
    if (program->has_section(one->wrap_section)) return LinkedIn{one, true};
    if (program->is_stripped() ? program->has_text(one->static_text)
                               : program->defines(split_words(one->static_symbols)))
      return LinkedIn{one, false};
  }
  return {};
}

Error calls_unseen(const Library& library, const std::string& program) {
  return {
      fmt::format("linked with {} statically, so that its calls do not come by the recorder", library.title),
      program,
      fmt::format("link it again with $(pkg-config --libs {}) right in front of {}'s libraries, or with its "
                  "shared libraries (docs/launch-lines.md)",
                  library.wrap_package, library.title)};
}

}  // namespace ww
