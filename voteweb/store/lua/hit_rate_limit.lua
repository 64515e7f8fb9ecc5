-- Count one act against rate limits, or against none of them if one is exceeded.
-- Not idempotent: an act may count twice, which does no harm.
-- KEYS  limit:<kind>-<digest> of each limit
-- ARGV  two for each limit: acts at once, seconds per act in the long run
-- Answers  counted | rate-limited <number of the limit, from 1> <seconds to wait> <unix time from which it is accepted>
check_types(1, #KEYS, 'string')
return hit_rate_limits(1, 1, #KEYS, true) or { 'counted' }
