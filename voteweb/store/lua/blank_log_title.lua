-- Take the title of an article out of a log entry, whose reason stays.
-- KEYS  1 log-entries:
-- ARGV  1 id of the entry  2 id of the article
-- Answers  blanked | unchanged (the entry is about another article, or has no title)
check_types(1, 1, 'list')
local id = tonumber(ARGV[1])
local entry = read_log_entry(KEYS[1], id)
if not entry or (entry[ARTICLE] or '') ~= ARGV[2] or (entry[TITLE] or '') == '' then
  return { 'unchanged' }
end
entry[TITLE] = ''
store_log_entry(KEYS[1], entry, id)
return { 'blanked' }
