chmod 0444 ro.txt
