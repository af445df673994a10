ln -s "$PWD/dir/target.txt" link.txt
