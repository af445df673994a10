mkdir .git; echo x >.git/config; mkdir a/.git
