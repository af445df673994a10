mkdir real
ln -s real to
