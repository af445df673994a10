mkdir -p a/b/c; echo x >a/b/c/new.txt
