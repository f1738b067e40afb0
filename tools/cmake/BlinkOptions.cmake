# Compiler, linker and sanitizer settings for Blink's own code.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(BLINK_CCACHE ccache)
if(BLINK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the source folder, so that another clone finds the same objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_NOHASHDIR=true CCACHE_SLOPPINESS=pch_defines,time_macros ${BLINK_CCACHE})
endif()
find_program(BLINK_LLD ld.lld)
if(BLINK_LLD)
  add_link_options(-fuse-ld=lld)
endif()

find_package(Threads REQUIRED)

# Own code is compiled with warnings as errors; headers of others are not ours. Compilers to come have warnings to come.
option(BLINK_WERROR "Warnings are errors" ON)
add_library(blink_options INTERFACE)
target_compile_options(blink_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wno-unused-parameter -fno-strict-aliasing>
  # Meant for headers: in a unity build each file is one.
  $<$<AND:$<BOOL:${CMAKE_UNITY_BUILD}>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-subobject-linkage>
  # What libstdc++ calls itself in std::stable_sort.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>
  # AddressSanitizer's own calls use what is not initialized yet.
  $<$<AND:$<STREQUAL:${BLINK_SANITIZE},address>,$<COMPILE_LANG_AND_ID:CXX,GNU>>:-Wno-maybe-uninitialized>
  $<$<AND:$<BOOL:${BLINK_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
target_include_directories(blink_options INTERFACE
  $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>)

if(BLINK_SANITIZE)
  if(NOT BLINK_SANITIZE MATCHES "^(address|thread)$")
    message(FATAL_ERROR "BLINK_SANITIZE is '${BLINK_SANITIZE}': expected address or thread")
  endif()
  add_compile_options(-fsanitize=${BLINK_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${BLINK_SANITIZE})
  if(BLINK_SANITIZE STREQUAL "address")
    add_compile_options(-fsanitize=undefined -fno-sanitize=vptr -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=undefined)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      add_compile_definitions(__SANITIZE_ADDRESS__=1) # clang defines it from version 21 on
      # C functions found by their names have enums of their own.
      add_compile_options(-fno-sanitize=function)
    endif()
  endif()
endif()

# With libFuzzer's counters everywhere, for the targets of test/fuzz/.
option(BLINK_FUZZ "Build the fuzz targets for libFuzzer; needs clang" OFF)
if(BLINK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT BLINK_SANITIZE STREQUAL "address")
    message(FATAL_ERROR "BLINK_FUZZ needs clang and BLINK_SANITIZE=address: the preset `fuzz` has both")
  endif()
  # Without hooks at comparisons, which take 66 % of the time of `compile` and 20 % of a reader's (R191).
  add_compile_options(-fsanitize=fuzzer-no-link,float-cast-overflow -fno-sanitize-recover=float-cast-overflow
                      -fno-sanitize-coverage=trace-cmp)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

# UCX rewrites mmap() and others in the libraries where it finds them, not in programs.
if(BLINK_SANITIZE STREQUAL "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT BLINK_FUZZ)
  set(library libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library} COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_VARIABLE library OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(GET library PARENT_PATH folder)
  add_link_options(-shared-libsan -Wl,-rpath,${folder})
endif()

# Under AddressSanitizer: for what runs there for moments and would be compiled for minutes. Two thirds of what
# UndefinedBehaviorSanitizer adds are looks at each pointer that is followed: whether it is null, which AddressSanitizer
# sees, too, and how it is aligned, which is left to what lays out bytes itself: schedules/, runtime/ and verify/.
# libFuzzer's build has both for all readers, and runs them long.
set(BLINK_BRIEF_OPTIONS "")
if(BLINK_SANITIZE STREQUAL "address" AND NOT BLINK_FUZZ)
  set(BLINK_BRIEF_OPTIONS -O0 -fno-sanitize=null,alignment)
endif()
