-- Count one act against rate limits, or against none of them if one is exceeded.
-- Not idempotent: an act may count twice, which does no harm.
-- keys: limit:{limits}*
-- args: mode rates*
-- helpers: common: exact now; members: hit_rate_limits
-- mode and rates are those of hit_rate_limits() in members.lua.
-- Answers  counted (also if it would be) <seconds for which the acts of the first limit are used up> | rate-limited <number
--          of the limit, from 1> <seconds to wait> <unix time from which it is accepted>
check_keys()
local refusal, used_until = hit_rate_limits(limit_keys, rates, #limit_keys, mode)
return refusal or { 'counted', exact((used_until[1] or 0) - tonumber(now())) }
