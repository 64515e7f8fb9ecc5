-- Counts one act against limits, unless one of them is used up: then against none.
-- Not the same when run twice: an act may count twice, which harms nobody.
-- KEYS  1 limit:<kind>-<digest>, and so on: one for each limit
-- ARGV  1 acts at once  2 seconds per act in the long run, and so on for each limit
-- Answers  counted | full <number of the limit, from 1> <seconds to wait> <unix time from which it is taken>
check(1, #KEYS, 'string')
return charge(1, 1) or { 'counted' }
