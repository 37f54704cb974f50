# LibTorch for CPU programs: imported targets LibTorch::Headers and LibTorch::CPU.
#
# The wheel's own TorchConfig.cmake insists on a CUDA toolkit, though a CPU program needs
# libtorch_cpu and libc10 alone. These two need libcudart.so.13 and libcupti.so.13 at run time:
# from an installed CUDA toolkit, else from the folder that scripts/setup.sh fills
# (SZ_CUDA_RUNTIME_DIR); both are put into the run path.
find_path(LibTorch_INCLUDE_DIR ATen/ATen.h PATHS "${SZ_LIBTORCH}/include" NO_DEFAULT_PATH)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS "${SZ_LIBTORCH}/lib" NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 PATHS "${SZ_LIBTORCH}/lib" NO_DEFAULT_PATH)
set(SZ_CUDA_RUNTIME_DIR "${CMAKE_SOURCE_DIR}/.deps/cuda_runtime" CACHE PATH "Folder with libcudart.so.13 and libcupti.so.13")
find_library(LibTorch_CUDART NAMES libcudart.so.13
  PATHS "${SZ_CUDA_RUNTIME_DIR}" /usr/local/cuda/lib64 /usr/local/cuda-13.0/lib64 /usr/local/cuda-13.0/lib)
find_library(LibTorch_CUPTI NAMES libcupti.so.13
  PATHS "${SZ_CUDA_RUNTIME_DIR}" /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64 /usr/local/cuda-13.0/lib64 /usr/local/cuda-13.0/lib)

if(EXISTS "${SZ_LIBTORCH}/include/torch/headeronly/version.h")
  file(STRINGS "${SZ_LIBTORCH}/include/torch/headeronly/version.h" _v REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9]*([0-9]+)[^0-9]+([0-9]+)[^0-9]+([0-9]+)[^0-9]*$" "\\1.\\2.\\3" LibTorch_VERSION "${_v}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR LibTorch_CUDART LibTorch_CUPTI
  VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "run scripts/setup.sh, or give a LibTorch tree as -DSZ_LIBTORCH=DIR")

if(LibTorch_FOUND AND NOT TARGET LibTorch::CPU)
  find_package(OpenMP REQUIRED COMPONENTS CXX)
  add_library(LibTorch::Headers INTERFACE IMPORTED)
  target_include_directories(LibTorch::Headers SYSTEM INTERFACE
    "${LibTorch_INCLUDE_DIR}" "${LibTorch_INCLUDE_DIR}/torch/csrc/api/include")
  # at::parallel_for is a header template guarded by _OPENMP: without the flag loops run serially, silently.
  target_compile_options(LibTorch::Headers INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>)

  add_library(LibTorch::CPU INTERFACE IMPORTED)
  get_filename_component(_cudart_dir "${LibTorch_CUDART}" DIRECTORY)
  get_filename_component(_cupti_dir "${LibTorch_CUPTI}" DIRECTORY)
  target_link_libraries(LibTorch::CPU INTERFACE LibTorch::Headers
    "${LibTorch_CPU_LIBRARY}" "${LibTorch_C10_LIBRARY}" "${LibTorch_CUDART}" "${LibTorch_CUPTI}" OpenMP::OpenMP_CXX)
endif()
