chmod 0750 run.sh
