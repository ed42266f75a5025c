// A trace as one HTML file that opens without a server and asks nothing of anybody: the viewer's page with the packed trace
// (trace/packed.hpp) and the analysis and the simulator as WebAssembly in it (wasm/, src/wasm).
#pragma once
#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "machine/model.hpp"
#include "trace/trace.hpp"

namespace ww::view {

// Packed, before compression: some four million calls. Browsers give a page 4 GB at most, of which a call takes up to 300 bytes.
inline constexpr std::size_t most_packed_bytes = std::size_t{32} << 20;

// The error of a whatwire that was built without the page.
tl::unexpected<Error> no_exported_page();

// `machine`: that recorded it, if known. Errors: the trace is too large for a page; this whatwire was built without the page.
Result<std::string> exported_page(const Trace& trace, const std::string& name, const MachineModel* machine);

// Is the file one of ours, which may be written anew?
bool is_exported_page(const std::filesystem::path& file);

}  // namespace ww::view
