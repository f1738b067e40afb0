# Installs the tools into an empty prefix and takes the first steps of a user there.
set(prefix ${WORK}/tools-prefix)
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component tools --prefix ${prefix}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(file share/man/man1/blinkc.1 share/man/man1/blinkc-compile.1 share/man/man1/blink-opt.1
        share/bash-completion/completions/blinkc
        share/zsh/site-functions/_blinkc share/fish/vendor_completions.d/blinkc.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not installed")
  endif()
endforeach()
set(blinkc ${prefix}/bin/blinkc)
set(schedule ${prefix}/allreduce.sched)
execute_process(COMMAND ${prefix}/bin/blink-opt --version OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${blinkc} compile ${prefix}/share/blink/topologies/dgx1.topo -o ${schedule}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${blinkc} verify ${schedule} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
