rm 'run.sh'
chmod 750 bin/run.sh
