ln -s g l
ln -s nowhere gone
mkdir empty
ln f second
