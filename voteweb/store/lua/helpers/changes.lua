-- The length of the stream of changes, about: 3 MB. Who has not read for longer compares everything with the site;
-- changes.py has the same number. An entry takes 3 of the 150 microseconds of a post.
local MAX_CHANGES = 100000

-- Note in the stream changes: that what is searched of these may be another now: of an article ("a"), of a comment ("c"),
-- or of an article and all of its comments ("t"); or that it was purged, an article with its comments or a comment ("p"),
-- so that no file may have its words any more. what ends with the article's id or "<article's id>.<comment's number>".
local function record_change(key, kind, what)
  redis.call('XADD', key, 'MAXLEN', '~', MAX_CHANGES, '*', kind, string.match(what, '[%d.]+$'))
end
