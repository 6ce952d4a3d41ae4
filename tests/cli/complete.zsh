# complete.zsh SCRIPT WORDS WANTED: types WORDS and a tab into a zsh that has read SCRIPT, and waits for
# WANTED to stand in the line.
zmodload zsh/zpty || exit 1
zpty shell 'TERM=dumb zsh -f -i'
said=
wait_for() {
    local piece
    for _ in {1..400}; do
        while zpty -r -t shell piece; do said+=$piece; done
        [[ $said == *$1* ]] && return 0
        sleep 0.05
    done
    print -r -- "there was no $1 in: ${(q+)said}"
    return 1
}
zpty -w shell "PROMPT=; autoload -Uz compinit; compinit -u -D; source ${(q)1}; echo is'-'ready"
wait_for is-ready || exit 1
said=
zpty -w -n shell "$2"$'\t'
wait_for "$3"
