// What is looked for in one translation unit; each adds to what was found in others.
#pragma once
#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/Frontend/CompilerInstance.h>

#include "instrument/clang/places.hpp"
#include "instrument/sites.hpp"

namespace ww::instrument {

void find_functions(clang::ASTContext& context, Places& places, const FinderRequest& request, Found& found);
void find_watched(clang::ASTContext& context, Places& places, const FinderRequest& request, Found& found);
// While the unit is read: includes of copied files by others, or by their names in angle brackets.
void watch_includes(clang::CompilerInstance& compiler, Places& places, Found& found);
// After it: names in quotes that stand beside a copied file, in all branches of #if.
void find_includes(Places& places, Found& found);

FileSites& found_of(const std::string& path, Found& found);

// With namespaces and classes as far as they have names, without parameters: "nas::finish".
std::string name_of(const clang::FunctionDecl& function);

}  // namespace ww::instrument
