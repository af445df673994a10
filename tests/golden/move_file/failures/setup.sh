mkfifo fifo
ln -s /tmp out
