# LibTorch for CPU programs: imported targets LibTorch::Headers and LibTorch::CPU.
#
# The wheel's own TorchConfig.cmake insists on a CUDA toolkit, though a CPU program needs libtorch_cpu and libc10
# alone. Those of a CUDA build need libcudart and libcupti at run time, even without a GPU: from the folder that
# scripts/setup.sh fills (SZ_CUDA_RUNTIME_DIR), else from an installed CUDA toolkit. The linker puts each library's
# folder into the run path. A LibTorch built without CUDA needs neither.
set(SZ_CUDA_RUNTIME_DIR "${CMAKE_SOURCE_DIR}/.deps/cuda_runtime" CACHE PATH "Folder with libcudart and libcupti")

find_path(LibTorch_INCLUDE_DIR ATen/ATen.h PATHS "${SZ_LIBTORCH}/include" NO_DEFAULT_PATH)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS "${SZ_LIBTORCH}/lib" NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 PATHS "${SZ_LIBTORCH}/lib" NO_DEFAULT_PATH)

# The names with versions (libcudart.so.13) are read from libtorch_cpu itself, so that any CUDA version will do.
set(_cuda_variables "")
if(LibTorch_CPU_LIBRARY)
  execute_process(COMMAND "${CMAKE_READELF}" -d "${LibTorch_CPU_LIBRARY}" OUTPUT_VARIABLE _dynamic ERROR_QUIET)
  foreach(_name cudart cupti)
    if(_dynamic MATCHES "\\(NEEDED\\)[^\n]*\\[(lib${_name}\\.so\\.[0-9]+)\\]")
      string(TOUPPER "LibTorch_${_name}" _variable)
      find_library(${_variable} NAMES "${CMAKE_MATCH_1}"
        HINTS "${SZ_CUDA_RUNTIME_DIR}"
        PATHS /usr/local/cuda /usr/local/cuda-13.0
        PATH_SUFFIXES lib64 lib extras/CUPTI/lib64)
      list(APPEND _cuda_variables ${_variable})
    endif()
  endforeach()
endif()

set(_version_header "${SZ_LIBTORCH}/include/torch/headeronly/version.h")
if(EXISTS "${_version_header}")
  file(STRINGS "${_version_header}" _lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9]*([0-9]+)[^0-9]+([0-9]+)[^0-9]+([0-9]+)[^0-9]*$" "\\1.\\2.\\3" LibTorch_VERSION "${_lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR ${_cuda_variables}
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "run scripts/setup.sh, or give a LibTorch tree as -DSZ_LIBTORCH=DIR")

if(LibTorch_FOUND AND NOT TARGET LibTorch::CPU)
  add_library(LibTorch::Headers INTERFACE IMPORTED)
  target_include_directories(LibTorch::Headers SYSTEM INTERFACE
    "${LibTorch_INCLUDE_DIR}" "${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  # at::parallel_for is a header template guarded by _OPENMP: without the flag loops run serially, silently.
  target_compile_options(LibTorch::Headers INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)

  add_library(LibTorch::CPU INTERFACE IMPORTED)
  target_link_libraries(LibTorch::CPU INTERFACE
    LibTorch::Headers "${LibTorch_CPU_LIBRARY}" "${LibTorch_C10_LIBRARY}")
  # By flag, not by path: the wheel brings its own libgomp, and a process must have only one.
  target_link_options(LibTorch::CPU INTERFACE -fopenmp)
  # A program must name libcudart and libcupti itself, though it calls neither: a run path does not reach the
  # libraries that libtorch_cpu needs. Compilers that pass --as-needed would drop the two.
  target_link_options(LibTorch::CPU INTERFACE LINKER:--no-as-needed)
  foreach(_variable IN LISTS _cuda_variables)
    target_link_libraries(LibTorch::CPU INTERFACE "${${_variable}}")
  endforeach()
endif()
