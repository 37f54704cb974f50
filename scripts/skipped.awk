# Lists what was skipped, of ctest's LastTest.log: ctest says of a suite that it passed, whatever was skipped in it.
function tell(test, why) { print "skipped: " suite (test == "" ? "" : ": " test) ": " why }

/^[0-9]+\/[0-9]+ Test: / { suite = $3; test = "" }

# GoogleTest: "file:line: Skipped", the reason, "[  SKIPPED ] Suite.Test (0 ms)".
/: Skipped$/ { getline why }
/^\[  SKIPPED \] .* ms\)$/ { tell($4, why) }

# unittest -v: "test (place) ... skipped 'reason'"; a test's description stands on a line of its own before the dots.
/^ *[A-Za-z_][A-Za-z_0-9]* \([A-Za-z_0-9.]+\)/ { test = $1 }
match($0, / \.\.\. skipped /) { tell(test, substr($0, RSTART + RLENGTH + 1, length($0) - RSTART - RLENGTH - 1)) }

# A program that ends with ctest's code for a skip says itself why.
/^skipped: / { tell("", substr($0, 10)) }
