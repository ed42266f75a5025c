// PVM 3.4.
#pragma once
#include "library/library.hpp"

namespace ww::library {

// Its programs start themselves, and others on the hosts of a virtual machine that its daemons make.
inline constexpr Library pvm{.name = "pvm",
                             .title = "PVM",
                             .sonames = "libpvm3.so libgpvm3.so",
                             .static_symbols = "pvm_mytid pvmmytid",
                             .static_text = "libpvm [t%x]",
                             .wrap_section = "ww_pvm_wraps",
                             .wrap_package = "whatwire-pvm-wrap",
                             .version_begins = "PVM",
                             .build_with = "gcc",
                             .packages = "pvm pvm-dev netbase",
                             .launchers = "",
                             .daemon = "pvmd",
                             .servers = "pvmgs",
                             .settings = "PVM_ PVM3_",
                             .exported_by = "PVM_EXPORT",
                             .nested_calls = true};

}  // namespace ww::library
