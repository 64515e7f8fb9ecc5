-- Post an article under an id that the caller has reserved.
-- keys: article:{article} voted:{article} time: score: good: top: posted:{poster} once:{poster_id}-{token} groups:
--       group-aliases: link:{link_digest} user:{poster} domain-rules: held-articles: gone:{poster} changes: programs:{poster}
--       limit:{limits}*
-- args: article words poster poster_id program body own_vote vote_score max_lift good_votes listed_domain
--       voting_seconds allow_duplicate newcomer_seconds domains hold_posts groups rates*
-- helpers: articles: domain_rule list_article store_article; common: collect_in_small_steps exact finite now; members:
--          check_member check_program hit_rate_limits is_newcomer role_in_force sent sent_before; rankings: find_groups
--          find_place find_rankings first_free_time in_force rank
-- words are the article's, as JSON by field. own_vote and allow_duplicate, whether to post a link that was posted lately, are 0
-- or 1. listed_domain is that under which the link is listed, empty for none; domains are those whose rules are about it, the
-- closest first, with blanks between them.
-- program and body are those of check_program() and sent_before(); newcomer_seconds are those for which a member is a
-- newcomer; limits are those of newcomers, and rates those of hit_rate_limits(). hold_posts articles of a member who signed
-- up wait for a moderator.
-- Answers  posted <article> | waits <article> (it waits for a moderator) | posted-before <article> (this form was sent
--          before) | taken (the id is another's)
--          | other-body (another was sent with this token) | programs-off | no-right <right> (the program may not post)
--          | no-group <names> | logged-out (the poster has left or is banned)
--          | duplicate (the link was posted within these seconds), each article as a member of rankings
--          | rate-limited <1 or 2> <seconds to wait> <unix time from which it is accepted>
--          | domain-refused <domain> <why>
local before = sent_before(once_key, 'posted-before', body)
if before then
  return before
end
if redis.call('EXISTS', article_key) == 1 then
  return { 'taken' }
end
check_keys()
local refusal = check_member(user_key, poster_id, 'member') or check_program(user_key, programs_key, program, 'post')
if refusal then
  return refusal
end
local names, unknown = find_groups(groups_key, group_aliases_key, groups)
if #unknown > 0 then
  return { 'no-group', table.concat(unknown, ' ') }
end
local posted = first_free_time(time_key, now())
local time = finite(posted)
local rankings = find_rankings(time, listed_domain, names)
local action, domain, why = domain_rule(domain_rules_key, domains)
if action == 'refuse' then
  return { 'domain-refused', domain, why }
end
words = cjson.decode(words)
if words.link ~= '' and allow_duplicate == '0' then
  local oldest = '(' .. exact(time - LINK_SECONDS)
  if redis.call('ZCOUNT', link_key, oldest, '+inf') > 0 then
    return { 'duplicate' }
  end
end
local role, signed_up, second_factor = unpack(redis.call('HMGET', user_key, 'role', 'signed-up', 'second-factor'))
role = role_in_force(role, second_factor)
refusal = is_newcomer(signed_up, role, newcomer_seconds) and hit_rate_limits(limit_keys, rates, #limit_keys)
if refusal then
  return refusal
end
-- The first articles of a member wait until so many of theirs are listed.
local is_first = signed_up and redis.call('ZCARD', posted_key) < tonumber(hold_posts)
local is_held = role == 'member' and (action == 'hold' or is_first)
local votes, open_seconds = in_force(own_vote, voting_seconds, nil, 'own-vote', 'voting-seconds')
local member = 'article:' .. article
local place = find_place(member, time, votes, vote_score, max_lift, good_votes)
local closes = math.floor(time + open_seconds)

collect_in_small_steps()
local fields = { 'poster', poster, 'time', posted, 'groups', table.concat(names, ' ') }
if program ~= '' then
  fields[#fields + 1], fields[#fields + 2] = 'program', '1'
end
store_article(words, fields, votes, votes - 1, closes, poster_id)
sent(once_key, member, body)
if is_held then
  redis.call('HSET', article_key, 'gone', 'held')
  rank(held_articles_key, place.time, member)
  rank(gone_key, place.time, member)
  return { 'waits', member }
end
list_article(rankings, place, words.link)
return { 'posted', member }
