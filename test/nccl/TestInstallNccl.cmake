# Installs the component nccl into an empty prefix, where a program finds it, and looks that others leave it out.
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component runtime --prefix ${prefix}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE early ${prefix}/*nccl*)
if(early)
  message(FATAL_ERROR "installed without being asked for: ${early}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --component nccl --prefix ${prefix}
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE library ${prefix}/libblink_nccl.so)
get_filename_component(folder ${library} DIRECTORY)
execute_process(COMMAND ${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/names.py ${folder} COMMAND_ERROR_IS_FATAL ANY)
