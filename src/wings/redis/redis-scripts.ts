// The scripts that run inside Redis, each in one step that nothing interrupts. Three keys hold a log: a hash with its ends,
// a list of the entries, and a snapshot. They share a hash tag, so that one node of a cluster has them all.

import { createHash } from 'node:crypto'

/**
 * Each entry in the list begins with the token of the append that brought it, and a blank. A reader names the token of the
 * last entry it has: a log that was replaced by another one of the same length (a failover) is recognised by that.
 */
const HEAD = `
local head = redis.call('HMGET', KEYS[1], 'log', 'at', 'from', 'mark', 'fromMark', 'bytes', 'snapshotBytes', 'snap')
local at, from, snap = tonumber(head[2]), tonumber(head[3]), tonumber(head[8])

local function markAt(position)
  if position == at then return head[4] end
  if position == from then return head[5] end
  local entry = redis.call('LINDEX', KEYS[2], position - from - 1)
  return entry and string.match(entry, '^%S+')
end

local function news(log, position, mark, most)
  if head[1] ~= log then return {'anew', 'log'} end
  if position > at then return {'anew', 'shorter'} end
  if position < from then return {'anew', 'behind'} end
  if markAt(position) ~= mark then return {'anew', 'other'} end
  local entries = {}
  if position < at then entries = redis.call('LRANGE', KEYS[2], position - from, -1) end
  if #entries ~= at - position then return {'anew', 'damaged'} end
  local bytes = 0
  for _, entry in ipairs(entries) do bytes = bytes + #entry end
  if bytes > most then return {'large'} end
  return {'news', at, head[4], entries, head[6], head[7]}
end
`

/**
 * Raises an error that begins with `FOREIGN` where a key holds contents of another program, which the other scripts could
 * not read. The keys are those of the log, then those of the requests and of the number of processes.
 */
const CHECK = `
local expected = {'hash', 'list', 'string', 'list', 'string'}
for i, key in ipairs(KEYS) do
  local found = redis.call('TYPE', key).ok
  if found ~= 'none' and found ~= expected[i] then
    return redis.error_reply('FOREIGN the key ' .. key .. ' holds a ' .. found .. ' instead of a ' .. expected[i])
  end
end
local head = redis.call('HMGET', KEYS[1], 'log', 'mark', 'fromMark', 'at', 'from', 'bytes', 'snapshotBytes', 'snap')
local exists = redis.call('EXISTS', KEYS[1]) == 1
for i = 1, 8 do
  local field = head[i]
  local isValid = field and (i < 4 or #field < 16 and string.match(field, '^%d+$'))
  if exists and not isValid and not (i == 8 and field == false) then
    return redis.error_reply('FOREIGN the hash ' .. KEYS[1] .. ' has fields of another program')
  end
end
if exists and redis.call('LLEN', KEYS[2]) > tonumber(head[4]) - tonumber(head[5]) then
  return redis.error_reply('FOREIGN the list ' .. KEYS[2] .. ' has entries of another program')
end
if redis.call('EXISTS', KEYS[5]) == 1 and not string.match(redis.call('GET', KEYS[5]), '^%d+$') then
  return redis.error_reply('FOREIGN the key ' .. KEYS[5] .. ' holds no number')
end
return 1
`

/**
 * Arguments: the name for a new log. Creates the log if there is none, or only a part of one; the last item of the reply
 * tells these apart.
 */
const OPEN = `${HEAD}
local length = redis.call('LLEN', KEYS[2])
if head[1] and length > at - from then
  return redis.error_reply('FOREIGN the list ' .. KEYS[2] .. ' has entries of another program')
end
local whole = head[1] and length == at - from
if whole and snap then whole = redis.call('EXISTS', KEYS[3]) == 1 end
if not whole then
  local parts = redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3])
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  redis.call('HSET', KEYS[1], 'log', ARGV[1], 'at', 0, 'from', 0, 'mark', '', 'fromMark', '', 'bytes', 0, 'snapshotBytes', 0)
  return {ARGV[1], 0, '', false, {}, '0', '0', parts}
end
local entries = redis.call('LRANGE', KEYS[2], (snap or 0) - from, -1)
return {head[1], at, head[4], snap ~= nil and redis.call('GET', KEYS[3]), entries, head[6], head[7], 0}
`

/** Arguments: log, position and mark of the reader, the most bytes to reply with. */
const SINCE = `${HEAD}
return news(ARGV[1], tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]))
`

/**
 * Arguments: log, position and mark of the writer, the most bytes to reply with, the token of this append, the entries. An append that is sent again,
 * because its reply was lost, is found by its token, and is not done twice.
 */
const APPEND = `${HEAD}
local position, count = tonumber(ARGV[2]), #ARGV - 5
if head[1] == ARGV[1] then
  if at == position and head[4] == ARGV[3] then
    if redis.call('LLEN', KEYS[2]) ~= at - from then return {'anew', 'damaged'} end
    local bytes = 0
    for i = 6, #ARGV, 1000 do
      redis.call('RPUSH', KEYS[2], unpack(ARGV, i, math.min(i + 999, #ARGV)))
    end
    for i = 6, #ARGV do bytes = bytes + #ARGV[i] end
    redis.call('HSET', KEYS[1], 'at', at + count, 'mark', ARGV[5])
    return {'appended', at + count, redis.call('HINCRBY', KEYS[1], 'bytes', bytes), head[7]}
  end
  if at >= position + count and position >= from and markAt(position + count) == ARGV[5] then
    return {'appended', position + count, head[6], head[7]}
  end
end
return news(ARGV[1], position, ARGV[3], tonumber(ARGV[4]))
`

/**
 * Arguments: log, position and mark of the snapshot, the bytes of entries that it replaces, how many of these entries stay
 * for readers that are a little behind, the snapshot.
 */
const COMPACT = `${HEAD}
local position = tonumber(ARGV[2])
if head[1] ~= ARGV[1] or position > at or position < from or (snap and position <= snap) then return 0 end
if markAt(position) ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[3], ARGV[6])
redis.call('HSET', KEYS[1], 'snap', position, 'snapshotBytes', #ARGV[6], 'bytes', math.max(0, tonumber(head[6]) - tonumber(ARGV[4])))
local first = math.max(from, position - tonumber(ARGV[5]))
if first > from then
  local mark = markAt(first)
  redis.call('LTRIM', KEYS[2], first - from, -1)
  redis.call('HSET', KEYS[1], 'from', first, 'fromMark', mark)
end
return 1
`

/** Returns the number of a process, counted from 0. Arguments: the number it has, or -1. A server may have lost the count. */
const CLAIM = `
local mine, given = tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1]) or '0')
if mine < 0 then mine = given end
if mine >= given then redis.call('SET', KEYS[1], mine + 1) end
return mine
`

/** Drops the oldest requests of more than a number, and counts them. */
const TRIM = `
local dropped = redis.call('LLEN', KEYS[1]) - tonumber(ARGV[1])
if dropped <= 0 then return 0 end
redis.call('LTRIM', KEYS[1], dropped, -1)
return redis.call('INCRBY', KEYS[2], dropped)
`

export interface Script {
  readonly text: string
  /** SHA-1 of the text: the name of a loaded script in Redis. */
  readonly sha: string
}

const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') })

export const SCRIPTS = {
  check: script(CHECK),
  open: script(OPEN),
  since: script(SINCE),
  append: script(APPEND),
  compact: script(COMPACT),
  claim: script(CLAIM),
  trim: script(TRIM),
}
