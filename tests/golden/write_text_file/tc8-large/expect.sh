yes 0123456789abcde | head -n 65536 >large.txt
