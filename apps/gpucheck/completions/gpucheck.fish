# Completion of gpucheck's command line in fish. gpucheck itself says what may follow; where it says nothing, a file may.
function __gpucheck_complete
    set -l words (commandline -opc) (commandline -ct)
    $words[1] help --complete=(string join \x1f -- $words) 2>/dev/null
    or true
end
complete -c gpucheck -a '(__gpucheck_complete)'
