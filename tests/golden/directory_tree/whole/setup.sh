mkdir -p src/base empty
printf "int main;\n" >src/main.c
printf x >src/base/a.h
ln -s src link
ln -s nothing dangling
mkfifo fifo
