mkfifo fifo
mkdir empty
