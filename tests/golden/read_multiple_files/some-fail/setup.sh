printf "a\r\nb" >a
printf "\000\001" >bin
mkfifo p
: >e
printf "S=1\n" >.env
