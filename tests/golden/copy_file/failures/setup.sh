mkfifo fifo
ln -s nowhere l
ln -s /etc/hostname out
