# sz_add_plugin(NAME SOURCES file...  [TORCH]): builds NAME.so the way a plugin must be built.
#
# - one exported symbol, the entry: everything else is hidden by a version script, since
#   -fvisibility=hidden alone leaves weak symbols that would be shared between plugins;
# - never unloaded (-z nodelete), since autograd nodes may outlive any unload;
# - TORCH lets the plugin use LibTorch's headers; its symbols come from the host process.
function(sz_add_plugin name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY SZ_PLUGINS ${name})
  target_link_libraries(${name} PRIVATE sz::sdk ${ARG_DEPS})
  if(ARG_TORCH)
    target_link_libraries(${name} PRIVATE LibTorch::CPU)
  endif()
  set(script "${CMAKE_CURRENT_BINARY_DIR}/${name}.map")
  file(WRITE "${script}" "{ global: sz_plugin_entry_v1; local: *; };\n")
  target_link_options(${name} PRIVATE "-Wl,--version-script=${script}" "-Wl,-z,nodelete" "-Wl,-z,now")
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/plugins")
endfunction()
