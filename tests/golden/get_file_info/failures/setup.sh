touch secret
ln -s /etc/passwd out
