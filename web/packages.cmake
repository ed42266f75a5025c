# cmake -DNPM=npm -DSTAMP=FILE -P packages.cmake: what package-lock.json names, into node_modules. Builds of several
# presets share it, so only one installs at a time, and the next finds the stamp that npm itself writes.
file(LOCK ${CMAKE_CURRENT_LIST_DIR}/.packages.lock)
foreach(file package.json package-lock.json)
  if(NOT EXISTS ${STAMP} OR ${CMAKE_CURRENT_LIST_DIR}/${file} IS_NEWER_THAN ${STAMP})
    set(stale TRUE)
  endif()
endforeach()
if(stale)
  # No package's own script runs: esbuild's binary is a package of its own.
  execute_process(
    COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR
      "npm ci failed (its own words are above): the packages of web/package-lock.json, with which the report's page is built, are missing.\n"
      "They come from the npm registry, once for each lock file. Without a network: build once where there is one and copy its "
      "web/node_modules or its npm cache (~/.npm) here, or name a mirror with npm_config_registry.")
  endif()
endif()
file(TOUCH ${STAMP})
