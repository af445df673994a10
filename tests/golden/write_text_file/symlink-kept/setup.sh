ln -s dir/target.txt link.txt
