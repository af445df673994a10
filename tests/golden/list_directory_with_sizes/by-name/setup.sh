mkdir d
printf 12345678901234 >b.c
truncate -s 1152 B
truncate -s 1310720 a_
: >_
ln -s B l
ln -s no x
