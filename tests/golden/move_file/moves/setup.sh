chmod 640 f
ln f second
touch -d 2001-02-03 f
