// YAML (and JSON) text as a flat list of events with offsets: ten times as fast as a tree with comments, and enough for
// values and places. The only file that imports js-yaml; `yaml.ts` describes texts that it cannot read.

import {
  COLLECTION_STYLE,
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
  SCALAR_STYLE,
  strTag,
  type YAMLException,
} from 'js-yaml'
import { type Decimal, decimalOf, MAX_DEPTH } from './json.ts'

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
/** The schema of data: settings have no use for the digits of `0.10`. */
const DATA_SCHEMA = SCHEMA.withTags(exactFloatTag)

/** Fills in the variables of a scalar. */
export interface Filling {
  /** An unquoted scalar may become another type. */
  plain(text: string): unknown
  quoted(text: string): string
}

const holdsVariable = (text: string): boolean => text.includes('${')

/** The schema under which scalars with `${` in them are filled in. */
const filling = ({ plain, quoted }: Filling) =>
  SCHEMA.withTags(
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
  readonly fault: 'syntax' | 'too-deep'
  readonly reason: string
  readonly at: number
}

/**
 * Parses a text. Returns its value, and whether it has aliases.
 *
 * @param decimals whether a number such as `0.10` keeps its digits
 * @param fill fills in scalars that contain `${`; without it they stay unchanged
 */
export function readQuickly(
  text: string,
  fill?: Filling,
  decimals = false,
): { readonly value: unknown; readonly aliased: boolean } | Unreadable {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH })
    const schema = fill !== undefined ? filling(fill) : decimals ? DATA_SCHEMA : SCHEMA
    const documents = constructFromEvents(events, { source: text, schema, maxTotalMergeKeys: 100_000 })
    if (documents.length !== 1 || documents[0] === null || documents[0] === undefined) {
      return { fault: 'syntax', reason: 'this is not one document with something in it', at: 0 }
    }
    return { value: documents[0], aliased: events.some(({ type }) => type === EVENT_ID.ALIAS) }
  } catch (error) {
    const { reason = '', mark } = error as Partial<YAMLException>
    return { fault: reason.includes('maxDepth') ? 'too-deep' : 'syntax', reason, at: mark?.position ?? 0 }
  }
}

/** Finds places in a text, by offsets. */
export interface EventIndex {
  /** Returns the offsets of the value at a path, or of its key, or of the deepest part of the path that exists. */
  locate(path: readonly (string | number)[], part: 'key' | 'value'): readonly [number, number]
}

/** Returns `undefined` if the text cannot be parsed. */
export function indexEvents(text: string): EventIndex | undefined {
  let events: Event[]
  try {
    events = parseEvents(text, { maxDepth: MAX_DEPTH })
  } catch {
    return undefined
  }
  const nexts = closingOf(events)
  const anchors = new Map<string, number>()
  for (const [index, event] of events.entries()) {
    if ('anchorStart' in event && event.anchorStart >= 0 && event.type !== EVENT_ID.ALIAS) {
      anchors.set(text.slice(event.anchorStart, event.anchorEnd), index)
    }
  }
  const dereference = (index: number): number => {
    const event = events[index]
    if (event?.type !== EVENT_ID.ALIAS) return index
    return anchors.get(text.slice(event.anchorStart, event.anchorEnd)) ?? index
  }
  const rangeOf = (index: number): readonly [number, number] => {
    const event = events[index]
    if (event === undefined) return [0, 0]
    if (event.type === EVENT_ID.SCALAR) return rangeOfScalar(event, text)
    if (event.type === EVENT_ID.ALIAS) return [event.anchorStart - 1, event.anchorEnd]
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return [event.start, endOf(index)]
    return [0, 0]
  }
  const ends = new Map<number, number>()
  /** A collection ends with its last child; in flow style, with its closing bracket. */
  const endOf = (index: number): number => {
    const event = events[index]
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return rangeOf(index)[1]
    const known = ends.get(index)
    if (known !== undefined) return known
    let last = -1
    for (let i = index + 1; events[i]?.type !== EVENT_ID.POP; i = nexts[i] as number) last = i
    const inside = last === -1 ? event.start : endOf(last)
    const flow = event.style === COLLECTION_STYLE.FLOW
    const end = flow ? text.indexOf(event.type === EVENT_ID.MAPPING ? '}' : ']', inside) + 1 : inside
    ends.set(index, end)
    return end
  }
  const indexes = new Map<number, ReadonlyMap<string, number>>()
  /** The events of a collection's keys or items, by key or index. Built once, because many may be looked up. */
  const childrenOf = (at: number): ReadonlyMap<string, number> => {
    const known = indexes.get(at)
    if (known !== undefined) return known
    const children = new Map<string, number>()
    const keyed = events[at]?.type === EVENT_ID.MAPPING
    let count = 0
    for (let child = at + 1; child < events.length && events[child]?.type !== EVENT_ID.POP; ) {
      const name = events[child]
      // The last of two equal keys wins.
      if (!keyed) children.set(String(count++), child)
      else if (name?.type === EVENT_ID.SCALAR) children.set(getScalarValue(text, name), child)
      child = nexts[keyed ? (nexts[child] as number) : child] as number
    }
    indexes.set(at, children)
    return children
  }
  return {
    locate(path, part) {
      let at = 1
      let shown = at
      for (const key of path) {
        at = dereference(at)
        const type = events[at]?.type
        if (type !== EVENT_ID.MAPPING && type !== EVENT_ID.SEQUENCE) break
        const found = childrenOf(at).get(String(key))
        if (found === undefined) break
        at = type === EVENT_ID.MAPPING ? (nexts[found] as number) : found
        shown = type === EVENT_ID.MAPPING && (part === 'key' || isEmpty(events[at])) ? found : at
      }
      return rangeOf(shown)
    },
  }
}

type Scalar = Extract<Event, { valueStart: number }>

const isEmpty = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.SCALAR && event.valueStart >= event.valueEnd && event.style === SCALAR_STYLE.PLAIN

/** A quoted scalar includes its quotes. */
function rangeOfScalar({ valueStart, valueEnd }: Scalar, text: string): readonly [number, number] {
  const quote = text[valueStart - 1]
  return (quote === '"' || quote === "'") && text[valueEnd] === quote
    ? [valueStart - 1, valueEnd + 1]
    : [valueStart, valueEnd]
}

/** For each event, the index of the event behind the node that it opens. */
function closingOf(events: readonly Event[]): Int32Array {
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
