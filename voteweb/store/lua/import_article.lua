-- Import one article from elsewhere, unless the same row was imported before.
-- keys: article:{article} voted:{article} time: score: good: top: posted:{poster} imported:{bucket} link:{link_digest} changes:
--       user:{poster} groups: group-aliases:
-- args: article words poster poster_id wanted_time votes vote_score max_lift good_votes domain voting_seconds row
--       groups
-- helpers: articles: list_article store_article; common: check_type collect_in_small_steps finite now; rankings:
--          find_groups find_place find_rankings first_free_time group_names voting_end
-- words are the article's, as JSON by field; wanted_time is in unix seconds; domain is that under which the link is listed,
-- empty for none; row is the row's fingerprint in its bucket.
-- Answers  imported | known | taken (the id is another's)
-- Groups that do not exist are made. While voting is open the poster is a voter, as with any article, and the other votes
-- are the base.
if redis.call('SISMEMBER', imported_key, row) == 1 then
  return { 'known' }
elseif redis.call('EXISTS', article_key) == 1 then
  return { 'taken' }
end
check_keys()
local posted = first_free_time(time_key, string.format('%.6f', tonumber(wanted_time)))
local time, names, unknown = finite(posted), find_groups(groups_key, group_aliases_key, groups)
local new_groups = group_names(table.concat(unknown, ' '))
for _, name in ipairs(new_groups) do
  check_type(prefix .. 'group-info:' .. name, 'hash')
end
local rankings = find_rankings(time, domain, names)
votes = assert(finite(votes), 'votes is no number')
local member = 'article:' .. article
local place = find_place(member, time, votes, vote_score, max_lift, good_votes)
local closes = voting_end(nil, time, 'voting-seconds', voting_seconds)
-- The deletion of an account has gone through its articles once: none may come under the name after that.
local has_left = redis.call('HEXISTS', user_key, 'left') == 1

words = cjson.decode(words)

collect_in_small_steps()
local base = tonumber(now()) < closes and not has_left and votes - 1 or votes
local fields = { 'poster', has_left and DELETED_MEMBER or poster, 'time', posted, 'groups', table.concat(names, ' ') }
store_article(words, fields, votes, base, closes, poster_id)
list_article(rankings, place, words.link, has_left)
for _, name in ipairs(new_groups) do
  redis.call('SADD', groups_key, name)
  redis.call('HSETNX', prefix .. 'group-info:' .. name, 'title', name)
end
redis.call('SADD', imported_key, row)
return { 'imported' }
