// YAML (and JSON) text as a flat list of events with offsets: ten times as fast as a tree with comments, and enough for
// values and for places. The only file that knows js-yaml; `source.ts` words what it cannot read.

import {
  COLLECTION_STYLE,
  CORE_SCHEMA,
  constructFromEvents,
  defineScalarTag,
  EVENT_ID,
  type Event,
  getScalarValue,
  intCoreTag,
  mergeTag,
  NOT_RESOLVED,
  parseEvents,
  SCALAR_STYLE,
} from 'js-yaml'
import { MAX_DEPTH } from './json.ts'

/** An integer beyond the safe range keeps its digits. */
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

const SCHEMA = CORE_SCHEMA.withTags(mergeTag, exactIntTag)

/** The value of a text, and whether it has aliases in it; `undefined` where the text is not one sound document. */
export function readQuickly(text: string): { readonly value: unknown; readonly aliased: boolean } | undefined {
  try {
    const events = parseEvents(text, { maxDepth: MAX_DEPTH })
    const documents = constructFromEvents(events, { source: text, schema: SCHEMA, maxTotalMergeKeys: 100_000 })
    if (documents.length !== 1 || documents[0] === null || documents[0] === undefined) return undefined
    return { value: documents[0], aliased: events.some(({ type }) => type === EVENT_ID.ALIAS) }
  } catch {
    return undefined
  }
}

/** Finds places in a text, by offsets. */
export interface EventIndex {
  /** From and to of the value at a path, or of the key it hangs on, or of the deepest part of the path that exists. */
  locate(path: readonly (string | number)[], part: 'key' | 'value'): readonly [number, number]
}

/** `undefined` where the text cannot be read so. */
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
  /** A collection ends with its last child, and in flow style with the bracket behind it. */
  const endOf = (index: number): number => {
    const event = events[index]
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return rangeOf(index)[1]
    let last = -1
    for (let i = index + 1; events[i]?.type !== EVENT_ID.POP; i = nexts[i] as number) last = i
    const inside = last === -1 ? event.start : endOf(last)
    if (event.style !== COLLECTION_STYLE.FLOW) return inside
    return text.indexOf(event.type === EVENT_ID.MAPPING ? '}' : ']', inside) + 1
  }
  return {
    locate(path, part) {
      let at = 1
      let range = rangeOf(at)
      for (const key of path) {
        at = dereference(at)
        const event = events[at]
        if (event?.type === EVENT_ID.MAPPING) {
          let child = at + 1
          let found = -1
          while (child < events.length && events[child]?.type !== EVENT_ID.POP) {
            const value = nexts[child] as number
            const name = events[child]
            // The last of two equal keys holds.
            if (name?.type === EVENT_ID.SCALAR && getScalarValue(text, name) === String(key)) found = child
            child = nexts[value] as number
          }
          if (found === -1) break
          at = nexts[found] as number
          range = rangeOf(part === 'key' || isEmpty(events[at]) ? found : at)
        } else if (event?.type === EVENT_ID.SEQUENCE) {
          let child = at + 1
          for (let i = 0; i < Number(key) && events[child]?.type !== EVENT_ID.POP; i++) child = nexts[child] as number
          if (events[child]?.type === EVENT_ID.POP) break
          at = child
          range = rangeOf(at)
        } else break
      }
      return range
    },
  }
}

type Scalar = Extract<Event, { valueStart: number }>

const isEmpty = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.SCALAR && event.valueStart >= event.valueEnd && event.style === SCALAR_STYLE.PLAIN

/** A quoted scalar's quotes belong to it. */
function rangeOfScalar({ valueStart, valueEnd }: Scalar, text: string): readonly [number, number] {
  const quote = text[valueStart - 1]
  return (quote === '"' || quote === "'") && text[valueEnd] === quote
    ? [valueStart - 1, valueEnd + 1]
    : [valueStart, valueEnd]
}

/** For each event, the index of what follows the node that it opens. */
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
