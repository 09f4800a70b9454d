// Reads contracts and records of any size, YAML and JSON, as a flat list of events with offsets: 12 MB take 1.2 s and 376 MB, as a
// tree of `yaml` 12.3 s and 880 MB.
// The only file that imports js-yaml.

import {
  COLLECTION_STYLE,
  CORE_SCHEMA,
  constructFromEvents,
  defineMappingTag,
  defineScalarTag,
  defineSequenceTag,
  EVENT_ID,
  type Event,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  mapTag,
  mergeTag,
  NOT_RESOLVED,
  parseEvents,
  SCALAR_STYLE,
  type ScalarTagDefinition,
  seqTag,
  strTag,
  type YAMLException,
} from 'js-yaml'
import { MAX_DEPTH } from '../json.ts'
import { getOrMake } from '../memo.ts'
import {
  describeSyntax,
  exactNumber,
  type ParsedText,
  type Reading,
  type TextFault,
  TOO_DEEP,
  TOO_MANY_ALIASES,
  unknownAlias,
} from './parsed-text.ts'
import type { Path } from './source.ts'

const exactTag = (tag: ScalarTagDefinition<number>) =>
  defineScalarTag<unknown>(tag.tagName, {
    ...tag,
    resolve: (source, isExplicit, tagName) => {
      const value = tag.resolve(source, isExplicit, tagName)
      return value === NOT_RESOLVED ? value : exactNumber(source, value)
    },
  })

/** The rules of YAML 1.2. An unknown tag has no effect. */
const SCHEMA = CORE_SCHEMA.withTags(
  mergeTag,
  exactTag(intCoreTag),
  exactTag(floatCoreTag),
  defineScalarTag('!', { ...strTag, matchByTagPrefix: true }),
  defineSequenceTag('!', { ...seqTag, matchByTagPrefix: true }),
  defineMappingTag('!', { ...mapTag, matchByTagPrefix: true }),
)

/** A text as a list of events. They take much more memory than the value. */
export class YamlEvents implements ParsedText {
  readonly #text: string
  readonly #events: readonly Event[] = []
  /** A mistake that leaves no events. */
  readonly #fault: TextFault | undefined
  readonly #children = new Map<number, ReadonlyMap<string, number>>()
  #anchors: ReadonlyMap<string, number> | undefined
  #extents: Extents | undefined
  #reading: Reading | undefined

  constructor(text: string) {
    this.#text = text
    try {
      this.#events = parseEvents(text, { maxDepth: MAX_DEPTH })
    } catch (error) {
      this.#fault = describeFault(text, error as Partial<YAMLException>)
    }
  }

  read(): Reading {
    this.#reading ??= this.#read()
    return this.#reading
  }

  #read(): Reading {
    if (this.#fault !== undefined) return { faults: [this.#fault], repeated: [] }
    try {
      return { ...this.#construct(false), repeated: [] }
    } catch (error) {
      const { reason = '' } = error as Partial<YAMLException>
      if (reason.startsWith('unidentified alias')) return { faults: this.#unknownAliases(), repeated: [] }
      if (!reason.startsWith('duplicated'))
        return { faults: [describeFault(this.#text, error as Partial<YAMLException>)], repeated: [] }
      return { ...this.#construct(true), repeated: this.#repeatedKeys() }
    }
  }

  #construct(repeats: boolean): Pick<Reading, 'value' | 'alias' | 'faults'> {
    const documents = constructFromEvents(this.#events as Event[], {
      source: this.#text,
      schema: SCHEMA,
      json: repeats,
      maxTotalMergeKeys: 100_000,
    })
    if (documents.length > 1) {
      const at = this.#span(this.#events.findIndex(({ type }, index) => index > 0 && type === EVENT_ID.DOCUMENT) + 1)[0]
      return { faults: [{ code: 'syntax', message: 'the file has more than one document', from: at, to: at + 1 }] }
    }
    const alias = this.#events.findLastIndex(({ type }) => type === EVENT_ID.ALIAS)
    return { value: documents[0], alias: alias === -1 ? undefined : this.#span(alias), faults: [] }
  }

  #unknownAliases(): TextFault[] {
    const anchors = new Set<string>()
    return this.#events.flatMap((event, index) => {
      if (!('anchorStart' in event) || event.anchorStart < 0) return []
      const name = this.#text.slice(event.anchorStart, event.anchorEnd)
      if (event.type !== EVENT_ID.ALIAS) anchors.add(name)
      const [from, to] = this.#span(index)
      return event.type === EVENT_ID.ALIAS && !anchors.has(name) ? [{ ...unknownAlias(name), from, to }] : []
    })
  }

  /** Returns the offsets of duplicate keys. */
  #repeatedKeys(): number[] {
    return this.#events.flatMap(({ type }, index) => {
      if (type !== EVENT_ID.MAPPING) return []
      const seen = new Set<string>()
      return this.#childrenIn(index).flatMap(key => {
        const name = this.#nameOf(key)
        if (name === undefined || name === '<<') return []
        const isRepeated = seen.has(name)
        seen.add(name)
        return isRepeated ? this.#span(key)[0] : []
      })
    })
  }

  span(path: Path, part: 'key' | 'value'): readonly [from: number, to: number] {
    const [at, key] = this.#find(path)
    return this.#span(key !== undefined && (part === 'key' || this.#isEmpty(at)) ? key : at)
  }

  isPlain(path: Path): boolean {
    const event = this.#events[this.#dereference(this.#find(path)[0])]
    return event?.type === EVENT_ID.SCALAR && event.style === SCALAR_STYLE.PLAIN
  }

  /** Returns the event of the deepest node on a path, and that of its key. */
  #find(path: Path): readonly [node: number, key?: number] {
    // The first event opens the document.
    let found: readonly [node: number, key?: number] = [1]
    for (const step of path) {
      const at = this.#dereference(found[0])
      const child = this.#childrenOf(at).get(String(step))
      if (child === undefined) break
      found = this.#events[at]?.type === EVENT_ID.MAPPING ? [this.#behind(child), child] : [child]
    }
    return found
  }

  #dereference(index: number): number {
    const event = this.#events[index]
    if (event?.type !== EVENT_ID.ALIAS) return index
    this.#anchors ??= new Map(
      this.#events.flatMap((one, at) =>
        'anchorStart' in one && one.anchorStart >= 0 && one.type !== EVENT_ID.ALIAS
          ? [[this.#text.slice(one.anchorStart, one.anchorEnd), at] as const]
          : [],
      ),
    )
    return this.#anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd)) ?? index
  }

  /** Returns the events of a collection's keys by name, or of its items by position. */
  #childrenOf(at: number): ReadonlyMap<string, number> {
    return getOrMake(this.#children, at, () => {
      const isMap = this.#events[at]?.type === EVENT_ID.MAPPING
      return new Map(this.#childrenIn(at).map((child, i) => [(isMap ? this.#nameOf(child) : `${i}`) ?? '', child]))
    })
  }

  /** Returns the events of a mapping's keys, or of a sequence's items. */
  #childrenIn(at: number): number[] {
    const children: number[] = []
    const type = this.#events[at]?.type
    if (type !== EVENT_ID.MAPPING && type !== EVENT_ID.SEQUENCE) return children
    for (let child = at + 1; this.#events[child]?.type !== EVENT_ID.POP; child = this.#behind(child)) {
      children.push(child)
      if (type === EVENT_ID.MAPPING) child = this.#behind(child)
    }
    return children
  }

  get #extent(): Extents {
    this.#extents ??= extentsOf(this.#text, this.#events)
    return this.#extents
  }

  #behind(node: number): number {
    return this.#extent.nexts[node] as number
  }

  #nameOf(key: number): string | undefined {
    const event = this.#events[key]
    return event?.type === EVENT_ID.SCALAR ? getScalarValue(this.#text, event) : undefined
  }

  #isEmpty(at: number): boolean {
    const event = this.#events[at]
    return event?.type === EVENT_ID.SCALAR && event.valueStart >= event.valueEnd && event.style === SCALAR_STYLE.PLAIN
  }

  #span(index: number): readonly [number, number] {
    const event = this.#events[index]
    const end = this.#extent.ends[index] as number
    if (event?.type === EVENT_ID.MAPPING || event?.type === EVENT_ID.SEQUENCE) return [event.start, end]
    const [from, to] = spanOfLeaf(this.#text, event)
    if (from >= 0) return [from, to]
    // An empty item is its dash, an empty key its colon.
    const sign = end + Math.max(0, this.#text.slice(end).search(/(?<=[\n{,?][^\S\n]*):|-/))
    return [sign, sign + 1]
  }
}

/** The offsets of a scalar, with its quotes or the sign of its block, or of an alias. */
function spanOfLeaf(text: string, event: Event | undefined): readonly [number, number] {
  if (event?.type === EVENT_ID.ALIAS) return [event.anchorStart - 1, event.anchorEnd]
  if (event?.type !== EVENT_ID.SCALAR) return [0, 0]
  const { valueStart, valueEnd, style } = event
  const sign = style === SCALAR_STYLE.LITERAL_BLOCK ? '|' : style === SCALAR_STYLE.FOLDED_BLOCK ? '>' : undefined
  if (sign !== undefined) return [text.lastIndexOf(sign, valueStart - 1), valueEnd]
  const quote = text[valueStart - 1]
  const isQuoted = (quote === '"' || quote === "'") && text[valueEnd] === quote
  return isQuoted ? [valueStart - 1, valueEnd + 1] : [valueStart, valueEnd]
}

/** For the event that opens a node: the index of the event behind the node, and the offset of the node's end. */
interface Extents {
  readonly nexts: Int32Array
  readonly ends: Int32Array
}

/** A collection ends with its last child; in flow style, with its closing bracket. */
function extentsOf(text: string, events: readonly Event[]): Extents {
  const [nexts, ends] = [new Int32Array(events.length), new Int32Array(events.length)]
  const open: number[] = []
  let end = 0
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as Event
    let node = i
    if (event.type === EVENT_ID.POP) {
      node = open.pop() as number
      const opened = events[node] as Event
      if ('style' in opened && opened.style === COLLECTION_STYLE.FLOW)
        end = text.indexOf(opened.type === EVENT_ID.MAPPING ? '}' : ']', end) + 1
    } else if (event.type === EVENT_ID.SCALAR || event.type === EVENT_ID.ALIAS)
      end = Math.max(end, spanOfLeaf(text, event)[1])
    else {
      open.push(i)
      if ('start' in event) end = event.start
      continue
    }
    nexts[node] = i + 1
    ends[node] = end
  }
  return { nexts, ends }
}

function describeFault(text: string, { reason = '', mark }: Partial<YAMLException>): TextFault {
  const at = mark?.position ?? 0
  if (reason.includes('maxDepth')) return { ...TOO_DEEP, from: at, to: at + 1 }
  if (reason.startsWith('merge keys exceeded')) return TOO_MANY_ALIASES
  return describeSyntax(text, at, undefined, reason)
}
