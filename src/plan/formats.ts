// The formats of texts in gateway.yaml: durations, sizes, rates, dates, origins, paths.

import { parseStart } from '../behaviours/deprecation.ts'
import { LONGEST_DURATION, parseByteRate, parseDuration, parseRate, parseSize } from '../kernel/units.ts'
import { parseDate } from '../world/clock.ts'

const DURATION = '\\d+(?:\\.\\d+)? ?(?:ms|s|m|h|d)'
const SIZE = '\\d+(?:\\.\\d+)? ?(?:B|[kKMG]B|[KM]iB)'
const RATE = '[1-9]\\d*/(?:0*[1-9]\\d*)?(?:s|m|h|d|sec|second|min|minute|hour|day)'
const LONGEST = `be at most ${LONGEST_DURATION} (100 years)`
const DATE =
  '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])(?:[Tt]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d+)?)?(?:[Zz]|[+-]\\d\\d:\\d\\d))?'

const matching = (pattern: string) => ({ pattern, test: (text: string) => new RegExp(`^(?:${pattern})$`).test(text) })
const readableBy = (parse: (text: string) => unknown) => (text: string) => parse(text) !== undefined

/**
 * The formats of texts in gateway.yaml: a check, a description, and a pattern for validators that do not know the format. `above`:
 * the texts that the check refuses only because they are above a maximum, if they are not valid.
 */
export const FORMATS = {
  'date or time': {
    test: readableBy(parseDate),
    like: '2030-12-05 or 2030-12-05T10:00:00Z',
    pattern: DATE,
  },
  'date, or time before the sunset': {
    test: (text: string) => parseStart(text, 0) !== undefined,
    like: '30d before sunset or 2030-11-05',
    pattern: `${DURATION} before sunset|${DATE}`,
    above: { pattern: `${DURATION} before sunset`, rule: LONGEST },
  },
  duration: {
    test: readableBy(parseDuration),
    like: '250ms, 10s, 5m, 2h or 30d',
    pattern: DURATION,
    above: { pattern: DURATION, rule: LONGEST },
  },
  rate: {
    test: readableBy(parseRate),
    like: '10/s, 100/m or 1000/15m',
    pattern: RATE,
    above: { pattern: RATE, rule: `have a window of at most ${LONGEST_DURATION} (100 years)` },
  },
  'byte rate': {
    test: readableBy(parseByteRate),
    like: '64B/s or 10kB/s',
    pattern: `${SIZE}/s`,
  },
  'duration or "always"': {
    test: (text: string) => text === 'always' || parseDuration(text) !== undefined,
    like: 'always or 1s',
    pattern: `always|${DURATION}`,
    above: { pattern: DURATION, rule: LONGEST },
  },
  'block or "off"': { ...matching('off'), like: 'off' },
  // A serialised origin (RFC 6454 §6.2), or `*`.
  origin: {
    ...matching('\\*|null|[a-z][a-z0-9+.-]*://[^\\s/?#@,]+'),
    like: 'https://app.example.com, http://localhost:5173 or "*"',
  },
  path: { ...matching('/[^\\s?#]*'), like: '/ or /api/v2' },
  size: { test: readableBy(parseSize), like: '64kB, 1MB or 2GB', pattern: SIZE },
}
