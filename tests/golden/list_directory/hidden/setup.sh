mkdir keep
touch keep/a secret .env
