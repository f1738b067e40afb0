# blink_add_manuals(program component [words...]): manual pages and completions for bash, zsh and fish, which the program
# itself writes of its options, built with all else and installed with the component. `words`: how it is asked for a
# script, in front of the shell's name.
function(blink_add_manuals program component)
  if(BLINK_SANITIZE OR CMAKE_CROSSCOMPILING) # nothing is installed of the one, and the other cannot run here
    return()
  endif()
  set(share ${PROJECT_BINARY_DIR}/manuals/${program})
  add_custom_command(OUTPUT ${share}/done
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${share}/man1
    COMMAND ${program} --man-pages ${share}/man1
    COMMAND ${program} ${ARGN} bash > ${share}/${program}
    COMMAND ${program} ${ARGN} zsh > ${share}/_${program}
    COMMAND ${program} ${ARGN} fish > ${share}/${program}.fish
    COMMAND ${CMAKE_COMMAND} -E touch ${share}/done
    DEPENDS ${program} COMMENT "Writing manual pages and completions of ${program}")
  add_custom_target(${program}-manuals ALL DEPENDS ${share}/done)
  install(DIRECTORY ${share}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT ${component})
  install(FILES ${share}/${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    COMPONENT ${component})
  install(FILES ${share}/_${program} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT ${component})
  install(FILES ${share}/${program}.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
    COMPONENT ${component})
endfunction()
