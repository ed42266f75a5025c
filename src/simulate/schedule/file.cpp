#include "simulate/schedule/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>

#include "base/mapped_file.hpp"
#include "base/unused_name.hpp"

namespace ww::schedule {
namespace {

constexpr std::array<char, 8> magic{'w', 'w', 's', 'c', 'h', 'e', 'd', '1'};
constexpr std::uint64_t alignment = 64;

struct Column {
  std::uint64_t offset = 0, count = 0;
};

struct Header {
  std::array<char, 8> magic = schedule::magic;
  std::uint32_t op_bytes = sizeof(Op), cpus = 1, nics = 1, unused = 0;
  std::uint64_t messages = 0, wildcards = 0, longest_ns = 0, largest_bytes = 0;
  Column ops, first_op, successors, order, text;  // text: JSON
};

std::uint64_t aligned(std::uint64_t offset) {
  return (offset + alignment - 1) / alignment * alignment;
}

template <class T>
bool take(const MappedFile& mapping, const Column& column, std::span<const T>& out) {
  return mapping.take(column.offset, column.count, out);
}

}  // namespace

Result<void> save(const Schedule& schedule, const nlohmann::json& about, const std::filesystem::path& file) {
  const std::string text = nlohmann::json{{"calls", schedule.calls}, {"about", about}}.dump(
      -1, ' ', false, nlohmann::json::error_handler_t::replace);
  Header header;
  header.cpus = schedule.cpus;
  header.nics = schedule.nics;
  header.messages = schedule.messages;
  header.wildcards = schedule.wildcards;
  header.longest_ns = schedule.longest_ns;
  header.largest_bytes = schedule.largest_bytes;
  std::uint64_t end = sizeof(Header);
  const auto place = [&](Column& column, std::uint64_t count, std::uint64_t each) {
    column = {aligned(end), count};
    end = column.offset + count * each;
  };
  place(header.ops, schedule.ops.size(), sizeof(Op));
  place(header.first_op, schedule.first_op.size(), sizeof(std::uint64_t));
  place(header.successors, schedule.successors.size(), sizeof(std::uint32_t));
  place(header.order, schedule.order.size(), sizeof(std::uint32_t));
  place(header.text, text.size(), 1);
  const std::filesystem::path beside = unused_beside(file);
  std::ofstream out(beside, std::ios::binary | std::ios::trunc);
  const auto put = [&](const Column& column, const void* data, std::uint64_t each) {
    out.seekp(static_cast<std::streamoff>(column.offset));
    out.write(static_cast<const char*>(data), static_cast<std::streamsize>(column.count * each));
  };
  out.write(reinterpret_cast<const char*>(&header), sizeof(header));
  put(header.ops, schedule.ops.data(), sizeof(Op));
  put(header.first_op, schedule.first_op.data(), sizeof(std::uint64_t));
  put(header.successors, schedule.successors.data(), sizeof(std::uint32_t));
  put(header.order, schedule.order.data(), sizeof(std::uint32_t));
  put(header.text, text.data(), 1);
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(beside, file, error);
  if (!out || error) {
    std::filesystem::remove(beside, error);
    return fail("cannot write the compiled program", file.string(),
                "is there room, and may you write there?");
  }
  return {};
}

bool is_schedule(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::array<char, 8> first{};
  return in.read(first.data(), first.size()) && first == magic;
}

Result<Stored> map(const std::filesystem::path& file) {
  const auto bad = [&](const char* what) {
    return fail(what, file.string(), "make it again with whatwire import");
  };
  const auto opened = MappedFile::open(file);
  if (!opened) return fail("cannot read the compiled program", file.string());
  const auto& mapping = *opened;
  if (mapping->bytes().size() < sizeof(Header)) return bad("a compiled program that is cut short");
  Header header;
  std::memcpy(&header, mapping->bytes().data(), sizeof(header));
  if (header.magic != magic || header.op_bytes != sizeof(Op))
    return bad("not a compiled program of this version");
  Stored out;
  Schedule& schedule = out.schedule;
  std::span<const char> text;
  if (!take(*mapping, header.ops, schedule.ops) || !take(*mapping, header.first_op, schedule.first_op) ||
      !take(*mapping, header.successors, schedule.successors) ||
      !take(*mapping, header.order, schedule.order) || !take(*mapping, header.text, text) ||
      schedule.ops.empty() || schedule.first_op.size() < 2 || header.cpus == 0 || header.cpus > 256 ||
      header.nics == 0 || header.nics > 256)
    return bad("a compiled program that is damaged or cut short");
  const nlohmann::json json = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
  if (!json.is_object() || !json.contains("calls") || !json["calls"].is_array() || !json.contains("about"))
    return bad("a compiled program that is damaged or cut short");
  for (const nlohmann::json& call : json["calls"])
    schedule.calls.push_back(call.is_string() ? call.get<std::string>() : "");
  out.about = json["about"];
  schedule.cpus = header.cpus;
  schedule.nics = header.nics;
  schedule.messages = header.messages;
  schedule.wildcards = header.wildcards;
  schedule.longest_ns = header.longest_ns;
  schedule.largest_bytes = header.largest_bytes;
  schedule.keeps = mapping;
  return out;
}

Result<void> check(const Schedule& schedule) {
  const auto bad = [](const char* what, std::uint64_t op) {
    return fail(fmt::format("a compiled program that is damaged: {}", what), fmt::format("operation {}", op),
                "make it again");
  };
  const std::uint64_t size = schedule.size();
  const Op* const ops = schedule.ops.data();
  const std::uint32_t* const successors = schedule.successors.data();
  if (size >= on_start) return bad("its size", size);
  if (schedule.first_op.front() != 0 || schedule.first_op.back() != size)
    return bad("where its ranks begin", 0);
  if (schedule.ops[0].first_successor != 0 ||
      schedule.ops[size].first_successor != schedule.successors.size())
    return bad("its successors", size);
  if (!schedule.order.empty() && schedule.order.size() != size) return bad("its order", size);
  std::uint64_t messages = 0;
  for (std::uint32_t rank = 0; rank < schedule.ranks(); ++rank) {
    const std::uint64_t first = schedule.first_op[rank], last = schedule.first_op[rank + 1];
    if (last < first || last > size) return bad("where a rank begins", first);
    std::uint32_t beyond = 0;
    for (std::uint64_t i = first; i < last && !schedule.order.empty(); ++i)
      beyond = std::max(beyond, schedule.order[i]);
    if (beyond >= last - first && beyond > 0) return bad("its order", first);
    std::uint64_t waits = 0;
    constexpr std::uint64_t ahead = 16;
    for (std::uint64_t i = first; i < last; ++i) {
      const Op& op = ops[i];
      if (i + ahead < size && ops[i + ahead].partner < size) __builtin_prefetch(&ops[ops[i + ahead].partner]);
      const std::uint32_t end = ops[i + 1].first_successor;
      if (end < op.first_successor || end > schedule.successors.size()) return bad("its successors", i);
      for (std::uint32_t s = op.first_successor; s < end; ++s)
        if ((successors[s] & ~on_start) >= last - first) return bad("a successor", i);
      waits += op.predecessors;
      messages += op.kind == OpKind::send;
      if (op.kind > OpKind::compute || op.cpu >= schedule.cpus || op.nic >= schedule.nics ||
          op.call >= schedule.calls.size())
        return bad("a kind or a processor", i);
      if (op.amount > (op.kind == OpKind::compute ? schedule.longest_ns : schedule.largest_bytes))
        return bad("an amount", i);
      if (op.kind == OpKind::compute) continue;
      if (op.partner >= size) return bad("an end of a message", i);
      const Op& other = ops[op.partner];
      // The other end is asked the same, so each names the other's rank.
      if (other.partner != i || other.peer != rank || other.kind == op.kind || other.kind == OpKind::compute)
        return bad("an end of a message", i);
    }
    const std::uint32_t from = first == size ? 0 : schedule.ops[first].first_successor;
    if (first < last && waits != schedule.ops[last].first_successor - from)
      return bad("how many an operation waits for", first);
  }
  if (messages != schedule.messages) return bad("how many messages it has", size);
  return {};
}

}  // namespace ww::schedule
