chmod 444 a.txt
