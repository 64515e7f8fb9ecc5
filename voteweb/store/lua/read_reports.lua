#!lua flags=no-writes
-- Read a page of the articles and comments with open reports, the one reported first before others.
-- keys: reports: removing:
-- args: shows_comments first size most fields*
-- helpers: common: try; listed: comment_row
-- Unless shows_comments is 1, comments are left out. first is the position of the first row, from 0; size how many rows;
-- most the number of open reports that each has, or somewhat more; fields are those of an article.
-- Answers  <number of rows in all>, then for each row its article's id, the fields of the article, the number of its open
--          reports, these by name, and for a comment its row as comment_row() in listed.lua makes it
local members, total = redis.call('ZRANGE', reports_key, first, first + size - 1), redis.call('ZCARD', reports_key)
if shows_comments ~= '1' then
  members, total = {}, 0
  for _, member in ipairs(redis.call('ZRANGE', reports_key, 0, -1)) do
    if string.find(member, 'article:', 1, true) == 1 then
      total = total + 1
      members[#members + 1] = total > first + 0 and total <= first + size and member or nil
    end
  end
end
local answer = { total }
for _, member in ipairs(members) do
  local kind, id, number = string.match(member, '^(%l+)%p(%d+)%.?(%d*)$')
  if id then
    local of_article = kind == 'article'
    local report_key = of_article and prefix .. 'report:' .. id or prefix .. 'comment-report:' .. id .. '.' .. number
    local reports = try('HSCAN', report_key, 0, 'COUNT', most) or { 0, {} }
    local article = of_article and try('HMGET', prefix .. 'article:' .. id, unpack(fields))
    answer[#answer + 1] = { id, article or {}, try('HLEN', report_key) or 0, reports[2],
      not of_article and comment_row(id, number) or nil }
  end
end
return answer
