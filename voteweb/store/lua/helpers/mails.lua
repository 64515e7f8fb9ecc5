-- A mail is an entry of outbox:, "<kind> <name in lower case>", or "changed <name> <language> <address>" to an address that
-- was the member's, by the time at which it is due, and a field of mails: with "<since> <tries> <claim>": when it was
-- queued; how often it was tried; and the token of the attempt that goes on, or "-".

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

-- Take the mails of a member out of outbox: and mails:.
local function remove_mails(outbox, mails, name)
  for _, kind in ipairs({ 'confirm ', 'reset ' }) do
    redis.call('ZREM', KEYS[outbox], kind .. name)
    redis.call('HDEL', KEYS[mails], kind .. name)
  end
end
