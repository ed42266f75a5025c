#include "trace/prase/convert.hpp"

#include <algorithm>
#include <array>

#include "trace/prase/human_file.hpp"

namespace ww::prase {
namespace {

template <auto content_of>
Result<std::vector<ConvertedFile>> file_each(const PraseRun& run, const Correlation&, Diagnostics&) {
  std::vector<ConvertedFile> files;
  for (const ProcessRecords& process : run.processes)
    files.push_back({file_name_of(process), content_of(process)});
  return files;
}

Result<std::vector<ConvertedFile>> human_file(const PraseRun& run, const Correlation& correlation,
                                              Diagnostics& diagnostics) {
  WW_TRY(const auto lines, human_of(run.processes, correlation));
  if (const std::uint64_t count = instantaneous(lines); count > 0)
    diagnostics.add("instantaneous-event", count);
  return std::vector<ConvertedFile>{{human_name, human_text_of(lines)}};
}

constexpr std::array forms = {
    RecordsForm{binary_form, "files n0_p0, n1_p0, ... of 32-byte records, as PRASE's collector wrote them",
                &prase_kind, file_each<binary_of>},
    RecordsForm{"prase-pv", "the same as text, a record a line, as PRASE's pv shows them", &prase_kind,
                file_each<pv_text_of>},
    RecordsForm{"seecube",
                "the file human of 14 fields a line for Seecube: messages and channels, no other records",
                &seecube_kind, human_file},
};

}  // namespace

std::span<const RecordsForm> records_forms() {
  return forms;
}

std::vector<std::string> form_names() {
  std::vector<std::string> names;
  for (const RecordsForm& form : forms) names.emplace_back(form.name);
  return names;
}

Result<Converted> convert(const PraseRun& run, const std::string& name) {
  const auto* const form =
      std::find_if(forms.begin(), forms.end(), [&](const RecordsForm& one) { return name == one.name; });
  if (form == forms.end()) return wrong_usage("no such form", name, "prase, prase-pv or seecube");
  Converted out;
  out.kind = form->kind;
  out.correlation = correlate(run.processes);
  out.diagnostics = run.diagnostics;
  tell(out.correlation, out.diagnostics);
  WW_TRY(out.files, form->files(run, out.correlation, out.diagnostics));
  for (const ProcessRecords& process : run.processes) out.records += process.records.size();
  return out;
}

}  // namespace ww::prase
