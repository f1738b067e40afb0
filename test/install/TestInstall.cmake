# Installs the runtime into an empty prefix, then configures, builds and runs a
# project that knows nothing but that prefix.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${prefix} ${WORK}/consumer)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component runtime --prefix ${prefix}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE license ${prefix}/*/LICENSE)
if(NOT license)
  message(FATAL_ERROR "no LICENSE among the installed files")
endif()
if(NOT EXISTS ${prefix}/share/man/man1/blink-perf.1)
  message(FATAL_ERROR "blink-perf has no manual page among the installed files")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK}/consumer
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DWANTED=${VERSION}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/consumer OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/consumer/consumer OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "${VERSION}\n")
  message(FATAL_ERROR "expected ${VERSION}, the installed library says ${said}")
endif()

# The archive, and the pkg-config file, too.
execute_process(COMMAND ${WORK}/consumer/consumer_static OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "${VERSION}\n")
  message(FATAL_ERROR "expected ${VERSION}, the installed archive says ${said}")
endif()
find_program(pkg_config pkg-config)
if(pkg_config)
  file(GLOB_RECURSE pc ${prefix}/*/blink.pc)
  get_filename_component(folder ${pc} DIRECTORY)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder}
    ${pkg_config} --cflags --libs blink OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  execute_process(COMMAND ${CXX} -x c++ ${CONSUMER}/main.cpp ${flags} -o ${WORK}/consumer/by_pkg_config
    COMMAND_ERROR_IS_FATAL ANY)
endif()
