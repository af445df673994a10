mkfifo fifo
ln -s /etc/hostname out
