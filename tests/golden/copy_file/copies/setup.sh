printf '\0\377' >bin
chmod 755 f
chmod 400 bin
ln f second
ln -s f l
