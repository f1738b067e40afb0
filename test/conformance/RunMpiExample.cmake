# Writes a schedule for 8 ranks to FILE with WRITER and has MPIRUN start EXAMPLE on it; then on one for other ranks.
set(mpi ${CMAKE_COMMAND} -E env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
  OMPI_MCA_plm=isolated OMPI_MCA_oob_tcp_if_include=lo ${MPIRUN} --oversubscribe)
execute_process(COMMAND ${WRITER} ${FILE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${mpi} -n 8 ${EXAMPLE} ${FILE} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "8 processes, 1000003 elements each, 0 wrong\n")
  message(FATAL_ERROR "unexpected output: ${said}")
endif()
execute_process(COMMAND ${mpi} -n 3 ${EXAMPLE} ${FILE} RESULT_VARIABLE result ERROR_VARIABLE said OUTPUT_QUIET)
if(result EQUAL 0 OR NOT said MATCHES "blinkCommInitRank.*: invalid usage: ")
  message(FATAL_ERROR "a schedule for other ranks gave ${result}: ${said}")
endif()
