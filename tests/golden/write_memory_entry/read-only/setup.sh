chmod 444 .claude/memory/progress_log.jsonl
