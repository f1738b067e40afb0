#!/bin/bash
# interrupt.sh SIGNAL FOLDER COMMAND...: runs the command with FOLDER for temporary files, sends it the signal when there is
# one, and waits until there is none.
signal=$1 folder=$2
shift 2
# A shell lets what it runs in the background ignore Ctrl-C.
TMPDIR=$folder env --default-signal=INT "$@" > "$folder.log" 2>&1 &
until ls "$folder" | grep -q .; do sleep 0.01; done
kill -"$signal" $!
wait $!
while ls "$folder" | grep -q .; do sleep 0.01; done
