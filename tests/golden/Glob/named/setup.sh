mkdir .git
printf '*.o\nout/\n' >.gitignore
