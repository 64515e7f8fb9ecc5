-- Post an article under an id that the caller has reserved.
-- KEYS  1 article:<id>  2 voted:<id>  3-8 rankings of the site  9 posted:<poster>  10 once:<member>-<token>
--       11 groups:  12 link:<digest>  13 user:<poster>  14, 15 limit:<kind>-<digest> of newcomers
--       16 domain-rules:  17 held-articles:  18 gone:<poster>  19 changes:  then for each group its four keys
-- ARGV  1 the article as a member of rankings  2 title  3 link  4 text  5 poster's name  6 poster's id
--       7 own vote (0 or 1)  8 seconds per vote  9-11 the other ranking arguments  12 the day of KEYS[7]
--       13 whether the link has a domain (0 or 1)  14 voting seconds  15 seconds that the set of voters outlives them
--       16 seconds to remember the form  17 seconds a link is remembered
--       18 whether to post a link that was posted within them (0 or 1)  19 seconds for which a member is a newcomer
--       20-23 of both limits of newcomers, articles at once and seconds per article in the long run
--       24 the domains whose rules are about the link, the closest first, with blanks between them
--       25 articles of a member who signed up that wait for a moderator  then the groups' names
-- Answers  posted <article> | waits <article> (it waits for a moderator) | posted-before <article> (this form was sent
--          before) | taken (the id is another's)
--          | no-group <names> | logged-out (the poster has left or is banned)
--          | duplicate (the link was posted within these seconds), each article as a member of rankings
--          | rate-limited <1 or 2> <seconds to wait> <unix time from which it is accepted>
--          | domain-refused <domain> <why>
--          | again <unix time> (name the day of this time)
local member, title, link, text, poster, poster_id, own_vote, vote_score, max_lift, good_votes, max_ranked, day,
  has_domain, voting_seconds, grace, form_seconds, link_seconds, allow_duplicate, newcomer_seconds, newcomer_burst,
  newcomer_interval, newcomer_day_burst, newcomer_day_interval, domains, hold_posts = unpack(ARGV)
local LIMIT_KEY, FIRST_GROUP_KEY, LIMIT, FIRST_GROUP_NAME = 14, 20, 20, 26
local before = redis.call('GET', KEYS[10])
if before then
  return { 'posted-before', before }
end
if redis.call('EXISTS', KEYS[1]) == 1 then
  return { 'taken' }
end
check_types(2, 2, 'set')
check_types(3, 9, 'zset')
check_types(11, 11, 'set')
check_types(12, 12, 'zset')
check_types(LIMIT_KEY, LIMIT_KEY + 1, 'string')
check_types(16, 16, 'hash')
check_types(17, 18, 'zset')
check_types(19, 19, 'stream')
check_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY)
local refusal = check_member(KEYS[13], poster_id, 'member')
if refusal then
  return refusal
end
local names, unknown = {}, {}
for i = FIRST_GROUP_NAME, #ARGV do
  names[#names + 1] = ARGV[i]
  if redis.call('SISMEMBER', KEYS[11], ARGV[i]) == 0 then
    unknown[#unknown + 1] = ARGV[i]
  end
end
if #unknown > 0 then
  return { 'no-group', table.concat(unknown, ' ') }
end
local posted = first_free_time(KEYS[3], now())
local time = finite(posted)
if day_of(time) ~= day then
  return { 'again', posted }
end
local action, domain, why = domain_rule(KEYS[16], domains)
if action == 'refuse' then
  return { 'domain-refused', domain, why }
end
if link ~= '' and allow_duplicate == '0' then
  local oldest = '(' .. exact(time - tonumber(link_seconds))
  if redis.call('ZCOUNT', KEYS[12], oldest, '+inf') > 0 then
    return { 'duplicate' }
  end
end
local role, signed_up = unpack(redis.call('HMGET', KEYS[13], 'role', 'signed-up'))
refusal = is_newcomer(signed_up, role, newcomer_seconds) and hit_rate_limits(LIMIT_KEY, LIMIT, LIMIT_KEY + 1)
if refusal then
  return refusal
end
-- The first articles of a member wait until so many of theirs are listed.
local is_first = signed_up and redis.call('ZCARD', KEYS[9]) < tonumber(hold_posts)
local is_held = (role or 'member') == 'member' and (action == 'hold' or is_first)
local votes, open_seconds = in_force(own_vote, voting_seconds, nil, 'own-vote', 'voting-seconds')
local place = find_place(member, time, votes, vote_score, max_lift, good_votes, max_ranked)
local closes = math.floor(time + open_seconds)

collect_in_small_steps()
redis.call('HSET', KEYS[1], 'title', title, 'link', link, 'poster', poster, 'time', posted,
  'votes', string.format('%d', votes), 'base', string.format('%d', votes - 1), 'closes', string.format('%d', closes),
  'groups', table.concat(names, ' '))
if text ~= '' then
  redis.call('HSET', KEYS[1], 'text', text)
end
redis.call('SADD', KEYS[2], poster_id)
redis.call('EXPIREAT', KEYS[2], string.format('%d', closes + tonumber(grace)))
redis.call('SET', KEYS[10], member, 'EX', form_seconds)
if is_held then
  redis.call('HSET', KEYS[1], 'gone', 'held')
  rank(KEYS[17], time, member)
  rank(KEYS[18], time, member)
  return { 'waits', member }
end
enter_site(3, place, has_domain)
rank(KEYS[9], time, member)
if link ~= '' then
  remember_link(KEYS[12], time, tonumber(link_seconds), member)
end
enter_groups(FIRST_GROUP_NAME, FIRST_GROUP_KEY, place)
record_change(KEYS[19], 'a', member)
return { 'posted', member }
