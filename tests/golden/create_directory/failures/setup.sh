ln -s /tmp out
ln -s loop loop
