ln -s f l
ln -s /etc/hostname out
ln -s nowhere gone
ln -s d to
