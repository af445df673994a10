mkdir .github; echo x >.github/x
