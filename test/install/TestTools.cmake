# Installs the tools into an empty prefix and takes the first steps of a user there.
set(prefix ${WORK}/tools-prefix)
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component tools --prefix ${prefix}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
set(blinkc ${prefix}/bin/blinkc)
set(schedule ${prefix}/allreduce.sched)
execute_process(COMMAND ${prefix}/bin/blink-opt --version OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${blinkc} compile ${prefix}/share/blink/topologies/dgx1.topo -o ${schedule}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${blinkc} verify ${schedule} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
