ln -s g l
ln -s nowhere gone
ln -s /etc/hostname out
mkdir empty
ln third second
ln -s d to
