ln -s /tmp .claude
