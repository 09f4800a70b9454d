// YAML (and JSON) text as a flat list of events with offsets: ten times as fast as a tree with comments, and enough for
// values and places. The only file that imports js-yaml; `yaml.ts` describes texts that it cannot read.

import {
  CORE_SCHEMA,
  constructFromEvents,
  defineScalarTag,
  EVENT_ID,
  type Event,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  mergeTag,
  NOT_RESOLVED,
  parseEvents,
  strTag,
  type YAMLException,
} from 'js-yaml'
import type { Decimal } from './json.ts'
import { decimalOf, MAX_DEPTH } from './parse-json.ts'
import type { KeyBounds, KnownKeys } from './surplus.ts'

export { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from 'js-yaml'

/** Keeps the digits of an integer beyond the safe range. */
const exactIntTag = defineScalarTag<number | bigint>(intCoreTag.tagName, {
  implicit: intCoreTag.implicit,
  implicitFirstChars: intCoreTag.implicitFirstChars,
  identify: () => false,
  resolve: (source, isExplicit, tagName) => {
    const value = intCoreTag.resolve(source, isExplicit, tagName)
    if (value === NOT_RESOLVED || Number.isSafeInteger(value) || !/^[-+]?\d+$/.test(source)) return value
    return BigInt(source.replace('+', ''))
  },
})

/** Keeps the digits of a number with a fraction where a double would be written otherwise. */
const exactFloatTag = defineScalarTag<number | Decimal>(floatCoreTag.tagName, {
  implicit: floatCoreTag.implicit,
  implicitFirstChars: floatCoreTag.implicitFirstChars,
  identify: () => false,
  resolve: (source, isExplicit, tagName) => {
    const value = floatCoreTag.resolve(source, isExplicit, tagName)
    return value === NOT_RESOLVED ? value : (decimalOf(source) ?? value)
  },
})

const SCHEMA = CORE_SCHEMA.withTags(mergeTag, exactIntTag)
/** The schema of data: most settings have no use for the digits of `0.10`. */
const DATA_SCHEMA = SCHEMA.withTags(exactFloatTag)

/** Fills in the variables of a scalar. */
export interface Filling {
  /** An unquoted scalar may become another type. */
  plain(text: string): unknown
  quoted(text: string): string
}

const holdsVariable = (text: string): boolean => text.includes('${')

/** The schema under which scalars with `${` in them are filled in. */
const filling = ({ plain, quoted }: Filling, decimals: boolean) =>
  (decimals ? DATA_SCHEMA : SCHEMA).withTags(
    defineScalarTag<unknown>('!variable', {
      implicit: true,
      identify: () => false,
      resolve: text => (holdsVariable(text) ? plain(text) : NOT_RESOLVED),
    }),
    defineScalarTag<string>(strTag.tagName, {
      identify: strTag.identify,
      resolve: text => (holdsVariable(text) ? quoted(text) : text),
    }),
  )

/** An error of the library, with its offset. */
export interface Unreadable {
  readonly fault: 'syntax' | 'too-deep' | 'too-many'
  readonly reason: string
  readonly at: number
}

/** A text with more keys and values than its reader accepts. */
export const TOO_MANY: Unreadable = { fault: 'too-many', reason: 'too many keys and values', at: 0 }

/** A text that has been read. */
export interface QuickRead {
  readonly value: unknown
  readonly aliased: boolean
  /** The number of unknown keys that were left out. See `KeyBounds`. */
  readonly surplus: number
  /** Whether the text is JSON. */
  readonly json?: true
}

/** The events of the last text, since its value and its places are mostly read one after the other. */
let last: { readonly text: string; readonly events: WeakRef<Event[]> } | undefined

/** Parses a text into events; throws where it is not YAML. */
export function eventsOf(text: string): Event[] {
  const known = last?.text === text ? last.events.deref() : undefined
  if (known !== undefined) return known
  const events = parseEvents(text, { maxDepth: MAX_DEPTH })
  last = { text, events: new WeakRef(events) }
  return events
}

/**
 * Parses a text.
 *
 * @param decimals whether a number such as `0.10` keeps its digits
 * @param fill fills in scalars that contain `${`; without it they stay unchanged
 */
export function readQuickly(
  text: string,
  fill?: Filling,
  decimals = false,
  bounds?: KeyBounds,
): QuickRead | Unreadable {
  try {
    const all = eventsOf(text)
    if (bounds !== undefined && all.length > bounds.most) return TOO_MANY
    const { events, surplus } = bounds === undefined ? { events: all, surplus: 0 } : withoutSurplus(all, text, bounds)
    const schema = fill !== undefined ? filling(fill, decimals) : decimals ? DATA_SCHEMA : SCHEMA
    const documents = constructFromEvents(events, { source: text, schema, maxTotalMergeKeys: 100_000 })
    if (documents.length !== 1 || documents[0] === null || documents[0] === undefined) {
      return { fault: 'syntax', reason: 'the file must contain exactly one document that is not empty', at: 0 }
    }
    return { value: documents[0], aliased: events.some(({ type }) => type === EVENT_ID.ALIAS), surplus }
  } catch (error) {
    const { reason = '', mark } = error as Partial<YAMLException>
    return { fault: reason.includes('maxDepth') ? 'too-deep' : 'syntax', reason, at: mark?.position ?? 0 }
  }
}

/** For each event, the index of the event behind the node that it opens. */
export function closingOf(events: readonly Event[]): Int32Array {
  const nexts = new Int32Array(events.length)
  const open: number[] = []
  for (let i = 0; i < events.length; i++) {
    const { type } = events[i] as Event
    if (type === EVENT_ID.SCALAR || type === EVENT_ID.ALIAS) nexts[i] = i + 1
    else if (type === EVENT_ID.POP) nexts[open.pop() as number] = i + 1
    else open.push(i)
  }
  return nexts
}

/** Returns the events without the unknown keys beyond the bound, and without their values. */
function withoutSurplus(
  events: Event[],
  text: string,
  { known, mostUnknown }: KeyBounds,
): { readonly events: Event[]; readonly surplus: number } {
  if (events.length < mostUnknown) return { events, surplus: 0 }
  const nexts = closingOf(events)
  const left = new Uint8Array(events.length)
  let surplus = 0
  // The first event opens the document.
  const places: [at: number, keys: KnownKeys][] = [[1, known]]
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    const [at, keys] = place
    if (events[at]?.type !== EVENT_ID.MAPPING) continue
    let unknown = 0
    for (let i = at + 1; events[i]?.type !== EVENT_ID.POP; ) {
      const key = events[i] as Event
      const value = nexts[i] as number
      const next = nexts[value] as number
      const inside = key.type === EVENT_ID.SCALAR ? keys(getScalarValue(text, key)) : 'open'
      if (typeof inside === 'function') places.push([value, inside])
      else if (inside === 'unknown' && ++unknown > mostUnknown && !hasAnchor(events, i, next)) {
        left.fill(1, i, next)
        surplus += 1
      }
      i = next
    }
  }
  return surplus === 0 ? { events, surplus } : { events: events.filter((_, i) => left[i] === 0), surplus }
}

/** Whether an alias elsewhere may repeat a part of these events. */
function hasAnchor(events: readonly Event[], from: number, to: number): boolean {
  for (let i = from; i < to; i++) {
    const event = events[i] as Event
    if (event.type !== EVENT_ID.ALIAS && 'anchorStart' in event && event.anchorStart >= 0) return true
  }
  return false
}
