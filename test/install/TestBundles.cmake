# Builds the bundle of a small machine by the rule of the target `bundles`, installs it beside the runtime, and has a
# project that knows nothing but that prefix find it and play it.
set(prefix ${WORK}/bundles-prefix)
file(REMOVE_RECURSE ${prefix} ${WORK}/player ${BUILD}/bundles-test)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target bundles-test
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(component runtime bundles-test)
  execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component ${component} --prefix ${prefix}
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(GLOB_RECURSE bundles RELATIVE ${prefix} ${prefix}/share/blink/bundles/*)
if(NOT bundles STREQUAL "share/blink/bundles/a100-nv4.sched")
  message(FATAL_ERROR "expected the bundle of one machine and nothing else, got: ${bundles}")
endif()

execute_process(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK}/player
  -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_COMMAND} --build ${WORK}/player OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${WORK}/player/player OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "42\n")
  message(FATAL_ERROR "expected 42, the allreduce of the installed bundle says ${said}")
endif()
