# Completion of gpucheck's command line in bash. gpucheck itself says what may follow; where it says nothing, a file may.
_gpucheck() {
  local separator=$'\x1f' words=() word joined='' stem line
  # bash takes "=" and ":" for words of their own: they are put back.
  for word in "${COMP_WORDS[@]:0:COMP_CWORD + 1}"; do
    if [ ${#words[@]} -gt 0 ] && { [[ $word == [=:]* ]] || [[ ${words[-1]} == *[=:] && $joined == glued ]]; }; then
      words[-1]+=$word
      joined=glued
    else
      words+=("$word")
      joined=''
    fi
  done
  stem=${words[-1]%"${words[-1]##*[=:]}"}
  COMPREPLY=()
  while IFS=$'\t' read -r line _; do
    COMPREPLY+=("${line#"$stem"}")
  done < <(IFS=$separator; "${COMP_WORDS[0]}" help --complete="${words[*]}" 2>/dev/null)
  if [ ${#COMPREPLY[@]} -eq 0 ]; then
    compopt -o default
  elif [ ${#COMPREPLY[@]} -eq 1 ] && [[ ${COMPREPLY[0]} == *[=:] ]]; then
    compopt -o nospace
  fi
}
complete -F _gpucheck gpucheck
