mkdir .claude/memory/progress_log.jsonl; mkfifo .claude/memory/decisions.jsonl
