mkfifo fifo
ln -s /etc/hostname out
ln -s ignored.txt to-ignored
