touch "$(printf 'a\nb')" "$(printf '\033[1m')" "$(printf 'c\377')" 'é'
