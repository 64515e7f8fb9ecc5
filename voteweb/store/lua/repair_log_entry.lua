-- Mark a log entry as undone by a later one.
-- KEYS  1 log-entries:
-- ARGV  1 id of the entry
-- Answers  repaired | unchanged
check_types(1, 1, 'list')
return { mark_undone(KEYS[1], tonumber(ARGV[1])) and 'repaired' or 'unchanged' }
