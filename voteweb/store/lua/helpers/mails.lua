-- A mail is an entry of outbox: or digests:, "<kind> <name in lower case>", or "changed <name> <language> <address>" to an
-- address that was the member's, by the time at which it is due, and a field of mails: with "<since> <tries> <claim>": when it was queued, or of a digest when the one before was sent; how often it was
-- tried; and the token of the attempt that goes on, or "-".

-- Put a mail into outbox:, KEYS[outbox], with its field of mails:, KEYS[mails], in place of one that waits.
local function put_mail(outbox, mails, entry)
  redis.call('ZADD', KEYS[outbox], now(), entry)
  redis.call('HSET', KEYS[mails], entry, now() .. ' 0 -')
end

-- Tell whether outbox: takes no further mail.
local function is_outbox_full(outbox, entry, most)
  return redis.call('ZCARD', KEYS[outbox]) >= tonumber(most) and not redis.call('ZSCORE', KEYS[outbox], entry)
end

-- Tell the address of a member, KEYS[user], that it is theirs no more, however many mails wait: who has stolen a session
-- could fill outbox:.
local function warn_address(user, outbox, mails, name)
  local address, language = unpack(redis.call('HMGET', KEYS[user], 'email', 'email-language'))
  put_mail(outbox, mails, table.concat({ 'changed', name, language or 'en', address }, ' '))
end

-- Put one of a member's digests into digests:, or take it out.
local function set_digest(digests, mails, entry, is_wanted, seconds)
  if not is_wanted then
    redis.call('ZREM', KEYS[digests], entry)
    redis.call('HDEL', KEYS[mails], entry)
  elseif not redis.call('ZSCORE', KEYS[digests], entry) then
    redis.call('ZADD', KEYS[digests], string.format('%.6f', tonumber(now()) + seconds), entry)
    redis.call('HSET', KEYS[mails], entry, now() .. ' 0 -')
  end
end

-- Make digests: agree with what a member has chosen. The first weekly one comes after these seconds.
local function set_digests(digests, mails, name, choices, weekly_seconds)
  local about_site = string.find(choices, 'replies', 1, true) or string.find(choices, 'reports', 1, true)
  set_digest(digests, mails, 'digest ' .. name, about_site, 0)
  set_digest(digests, mails, 'weekly ' .. name, string.find(choices, 'weekly', 1, true), tonumber(weekly_seconds))
end

-- Take all mails of a member out of outbox:, digests: and mails:.
local function remove_mails(outbox, digests, mails, name)
  for _, kind in ipairs({ 'confirm ', 'reset ', 'digest ', 'weekly ' }) do
    redis.call('ZREM', KEYS[outbox], kind .. name)
    redis.call('ZREM', KEYS[digests], kind .. name)
    redis.call('HDEL', KEYS[mails], kind .. name)
  end
end
