# blink_add_library(name SOURCES ... [LIBS ...]): a static library of own code.
function(blink_add_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC ${arg_LIBS} PRIVATE $<BUILD_INTERFACE:blink_options>)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>)
endfunction()

# blink_add_unit_test(name [QUICK] SOURCES ... [CASES ...] LIBS ...): a doctest program, and a ctest entry for each file
# of cases among its sources. CASES: those of objects among the sources.
function(blink_add_unit_test name)
  cmake_parse_arguments(arg "QUICK" "" "SOURCES;CASES;LIBS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} blink_doctest_main blink_options)
  target_compile_options(${name} PRIVATE ${BLINK_BRIEF_OPTIONS}) # what is tested is in libraries
  set(quick "")
  if(arg_QUICK)
    set(quick QUICK)
  endif()
  # So that ctest -j can share them out.
  set(files ${arg_SOURCES} ${arg_CASES})
  list(FILTER files INCLUDE REGEX "Test\\.cpp$")
  foreach(source IN LISTS files)
    get_filename_component(file ${source} NAME)
    string(REGEX REPLACE "Test\\.cpp$" "" shard ${file})
    blink_add_test(${name}.${shard} ${quick} COMMAND ${name} --source-file=*/${file})
    blink_test_name(test ${name}.${shard})
    set_tests_properties(${test} PROPERTIES FAIL_REGULAR_EXPRESSION "test cases: +0 ") # a filter that fits none
  endforeach()
endfunction()

# In a build under a sanitizer a test's name says so, since tools/test.sh runs all builds as one suite.
function(blink_test_name result name)
  if(BLINK_SANITIZE)
    string(APPEND name .${BLINK_SANITIZE})
  endif()
  set(${result} ${name} PARENT_SCOPE)
endfunction()

# blink_add_test(name [QUICK] [LONG] COMMAND ... [TIMEOUT seconds]): a ctest entry. What is QUICK has that label, but under
# sanitizers: all of it together takes less than a minute, and is run after each edit (ctest -L quick). What is LONG begins
# first, so that no processor is idle at the end.
function(blink_add_test name)
  cmake_parse_arguments(arg "QUICK;LONG" "TIMEOUT" "COMMAND" ${ARGN})
  blink_test_name(test ${name})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 1500) # for what hangs: machines are busy, and sanitizers slow
  endif()
  add_test(NAME ${test} COMMAND ${arg_COMMAND})
  set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT})
  if(arg_LONG)
    set_tests_properties(${test} PROPERTIES COST 100) # of a test that has run, seconds
  endif()
  if(BLINK_SANITIZE STREQUAL "thread")
    # It would wait for a second at the end of each process, in case threads are left that race. And UCX's hooks of
    # the kernel's memory calls take locks in threads of which it has seen the end, where it crashes.
    set_tests_properties(${test} PROPERTIES ENVIRONMENT "TSAN_OPTIONS=atexit_sleep_ms=0;UCX_MEM_MMAP_HOOK_MODE=none")
  endif()
  if(arg_QUICK AND NOT BLINK_SANITIZE)
    set_tests_properties(${test} PROPERTIES LABELS quick)
  endif()
endfunction()
