# Writes a schedule to FILE with WRITER, runs EXAMPLE on it and looks at what it
# says; then once more on a damaged copy.
execute_process(COMMAND ${WRITER} ${FILE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${EXAMPLE} ${FILE} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
if(NOT said STREQUAL "8 ranks, 1000003 elements each, 0 wrong\n")
  message(FATAL_ERROR "unexpected output: ${said}")
endif()
file(APPEND ${FILE} "12345678")
execute_process(COMMAND ${EXAMPLE} ${FILE} RESULT_VARIABLE result ERROR_VARIABLE said)
if(NOT result EQUAL 1 OR NOT said MATCHES "invalid argument: .*example.sched: the checksum does not match")
  message(FATAL_ERROR "a damaged file gave ${result}: ${said}")
endif()
