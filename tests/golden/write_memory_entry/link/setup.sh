cd .claude/memory; ln -s ../../other/progress_log.jsonl progress_log.jsonl; ln -s /tmp/none decisions.jsonl; ln -s nothing best_practices.md
