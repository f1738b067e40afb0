# Finds Python and nanobind and sets BLINK_HAVE_PYTHON.
#
# AUTO takes what tools/install-deps.sh --python has put into build/venv; pip
# says ON, and where Python and nanobind are.
set(BLINK_HAVE_PYTHON OFF)
set(venv ${PROJECT_SOURCE_DIR}/build/venv)
if(BLINK_PYTHON STREQUAL "ON" OR (BLINK_PYTHON STREQUAL "AUTO" AND EXISTS ${venv}/bin/python AND NOT BLINK_SANITIZE))
  if(NOT BLINK_PYTHON STREQUAL "ON")
    set(Python_EXECUTABLE ${venv}/bin/python)
  endif()
  find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module
               OPTIONAL_COMPONENTS Development.SABIModule)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  find_package(nanobind CONFIG REQUIRED)
  set(BLINK_HAVE_PYTHON ON)
  message(STATUS "Python: ${Python_VERSION} (${Python_EXECUTABLE})")
else()
  message(STATUS "Python: not built")
endif()
