// Finds the places of values in YAML and JSON text, by the events of its parser.

import { COLLECTION_STYLE, closingOf, EVENT_ID, type Event, eventsOf, getScalarValue, SCALAR_STYLE } from './events.ts'

/** Finds places in a text, by offsets. */
export interface EventIndex {
  /** Returns the offsets of the value at a path, or of its key, or of the deepest part of the path that exists. */
  locate(path: readonly (string | number)[], part: 'key' | 'value'): readonly [number, number]
}

/** Returns `undefined` if the text cannot be parsed. */
export function indexEvents(text: string): EventIndex | undefined {
  let events: Event[]
  try {
    events = eventsOf(text)
  } catch {
    return undefined
  }
  const nexts = closingOf(events)
  const anchors = new Map<string, number>()
  for (let index = 0; index < events.length; index++) {
    const event = events[index] as Event
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
  const indexes = new Map<number, Children>()
  /** Returns the event of a collection's key or item. Looks no further than to it: there may be very many. */
  const childOf = (at: number, key: string): number | undefined => {
    const keyed = events[at]?.type === EVENT_ID.MAPPING
    let children = indexes.get(at)
    if (children === undefined) {
      children = { known: new Map(), next: at + 1, count: 0 }
      indexes.set(at, children)
    }
    while (!children.known.has(key) && children.next < events.length && events[children.next]?.type !== EVENT_ID.POP) {
      const child = children.next
      const name = events[child]
      if (!keyed) children.known.set(String(children.count++), child)
      else if (name?.type === EVENT_ID.SCALAR) children.known.set(getScalarValue(text, name), child)
      children.next = nexts[keyed ? (nexts[child] as number) : child] as number
    }
    return children.known.get(key)
  }
  return {
    locate(path, part) {
      let at = 1
      let shown = at
      for (const key of path) {
        at = dereference(at)
        const type = events[at]?.type
        if (type !== EVENT_ID.MAPPING && type !== EVENT_ID.SEQUENCE) break
        const found = childOf(at, String(key))
        if (found === undefined) break
        at = type === EVENT_ID.MAPPING ? (nexts[found] as number) : found
        shown = type === EVENT_ID.MAPPING && (part === 'key' || isEmpty(events[at])) ? found : at
      }
      return rangeOf(shown)
    },
  }
}

/** The children of a collection that have been passed in looking for one of them, by key or index. */
interface Children {
  readonly known: Map<string, number>
  next: number
  count: number
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
