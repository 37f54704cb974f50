# sz_add_plugin(NAME SOURCES file... [DEPS target...] [TORCH]): builds NAME.so the way a plugin must be built.
#
# - one exported symbol, the entry: everything else is hidden by a version script, since
#   -fvisibility=hidden alone leaves weak symbols that would be shared between plugins;
# - never unloaded (-z nodelete), since autograd nodes may outlive any unload;
# - TORCH lets the plugin use the headers of the host's LibTorch (-DSZ_LIBTORCH=DIR); nothing of it is linked: its
#   symbols come from the host process.
# The target's folder is SZ_PLUGIN_DIR, by default plugins/ in the build tree.
set(SZ_PLUGIN_DIR "${CMAKE_BINARY_DIR}/plugins" CACHE PATH "Where plugins are built")

function(sz_add_plugin name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE sz::sdk ${ARG_DEPS})
  if(ARG_TORCH)
    sz_use_torch_headers(${name})
  endif()
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}.map")
  file(WRITE "${script}" "{ global: sz_plugin_entry_v1; local: *; };\n")
  target_link_options(${name} PRIVATE "-Wl,--version-script=${script}" "-Wl,-z,nodelete" "-Wl,-z,now")
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" POSITION_INDEPENDENT_CODE ON
    C_STANDARD 11 C_STANDARD_REQUIRED ON CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    LIBRARY_OUTPUT_DIRECTORY "${SZ_PLUGIN_DIR}")
  if(SZ_PLUGIN_DIR STREQUAL "${CMAKE_BINARY_DIR}/plugins")
    set_property(GLOBAL APPEND PROPERTY SZ_PLUGINS ${name})
  endif()
endfunction()

function(sz_use_torch_headers name)
  if(TARGET LibTorch::Headers)
    target_link_libraries(${name} PRIVATE LibTorch::Headers)
    return()
  endif()
  if(NOT EXISTS "${SZ_LIBTORCH}/include/ATen/ATen.h")
    message(FATAL_ERROR "${name} uses LibTorch: give the host's tree, with include/ATen, as -DSZ_LIBTORCH=DIR")
  endif()
  target_include_directories(${name} SYSTEM PRIVATE
    "${SZ_LIBTORCH}/include" "${SZ_LIBTORCH}/include/torch/csrc/api/include")
  # at::parallel_for is a header template guarded by _OPENMP: without the flag loops run serially, silently.
  target_compile_options(${name} PRIVATE -fopenmp)
endfunction()
