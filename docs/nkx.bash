# bash completion for nkx, written by `nkx help --completion`
_nkx()
{
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "run check profile list test repl diff parse isa explain help" -- "$cur"))
    return
  fi
  case $prev in
    --target) COMPREPLY=($(compgen -W "trn1 inf2 gen2 trn2 gen3 trn3 gen4" -- "$cur")); return ;;
    --machine) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --nki) COMPREPLY=($(compgen -W "0.3 0.4 0.5 0.6" -- "$cur")); return ;;
    --path) COMPREPLY=($(compgen -d -- "$cur")); return ;;
    --allow) COMPREPLY=($(compgen -W "$(nkx explain --names)" -- "$cur")); return ;;
    --output|-o) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --json) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --trace) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --callgrind) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    --format) COMPREPLY=($(compgen -W "text json" -- "$cur")); return ;;
  esac
  local words=
  case $command in
    run) words="--target --machine --threads --seed --nki --path --allow --strict --lenient --fp32 --nan-fill --max-errors --max-steps --max-bytes --output --check --rtol --atol --precision --format --quiet --help " ;;
    check) words="--target --machine --threads --seed --nki --path --allow --strict --lenient --fp32 --nan-fill --max-errors --max-steps --max-bytes --format --help " ;;
    profile) words="--target --machine --threads --seed --nki --path --allow --strict --lenient --fp32 --nan-fill --max-errors --max-steps --max-bytes --output --check --rtol --atol --no-data --json --trace --html --annotate --callgrind --format --quiet --help " ;;
    list) words="--target --machine --threads --seed --nki --path --allow --strict --lenient --fp32 --nan-fill --max-errors --max-steps --max-bytes --data --format --help " ;;
    test) words="--target --machine --threads --seed --nki --path --allow --strict --lenient --fp32 --nan-fill --max-errors --max-steps --max-bytes --only --format --quiet --help " ;;
    repl) words="--target --machine --threads --seed --nki --path --allow --strict --lenient --fp32 --nan-fill --max-errors --max-steps --max-bytes --format --help " ;;
    diff) words="--format --help " ;;
    parse) words="--quiet --json --help " ;;
    isa) words="--names --markdown --example --help " ;;
    explain) words="--names --markdown --wrong --right --help " ;;
    help) words="--markdown --machines --man --completion --help " ;;
  esac
  case $command in
    isa) words="$words $(nkx isa --names)" ;;
    explain) words="$words $(nkx explain --names)" ;;
  esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
    *) case $command in
        isa|explain) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
        *) COMPREPLY=($(compgen -f -- "$cur")) ;;
      esac ;;
  esac
}
complete -o filenames -F _nkx nkx
