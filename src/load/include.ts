// Lays the files that `include` names over a gateway file: objects are merged, lists and single values replaced, and `null`
// removes a setting of the files before. Each setting keeps the place where it is written. Every path in an included file is
// relative to the folder of the gateway file, as if it was written there.

import { basename, dirname, relative, resolve } from 'node:path'
import { filesMatching, isPattern } from '../kernel/file/pattern.ts'
import { isApiDocument, isBelow, readNamed, refuseRemote } from '../kernel/file/read-source.ts'
import { type Environment, fillVariables, type Path, type Source, type Spot } from '../kernel/file/source.ts'
import { isObject, put } from '../kernel/json.ts'
import type { ContractReader, NamedFile } from './contract-file.ts'

/** A gateway file before and after the environment is filled in. */
export interface FilledSource {
  readonly raw: Source
  readonly filled: Source
}

/** The surroundings of including files. */
export interface IncludeReader extends ContractReader {
  /** The folder of the gateway file. */
  readonly folder: string
  readonly environment: Environment
  /** Whether a value is an overlay. */
  isLayer(value: unknown): boolean
  /** Is called with each file that is included. */
  included(file: string): void
}

/** The maximum number of files that are laid over a gateway file: files that include each other twice can stand for billions. */
const MOST_FILES = 1000

/** Returns a gateway file with the files that it includes; the file itself if it includes none. */
export function withIncluded(file: string, main: FilledSource, reader: IncludeReader): FilledSource {
  if (!isObject(main.filled.value) || main.filled.value.include === undefined) return main
  const layers = [main]
  new Inclusion(reader, layers).follow(main.filled, [file])
  const combined = (part: keyof FilledSource) => combineLayers(layers.map(layer => layer[part]))
  return { raw: combined('raw'), filled: combined('filled') }
}

/** Collects the files that are laid over a gateway file, in their order. */
class Inclusion {
  readonly #reader: IncludeReader
  readonly #layers: FilledSource[]

  constructor(reader: IncludeReader, layers: FilledSource[]) {
    this.#reader = reader
    this.#layers = layers
  }

  /** Adds the files that a source includes. @param trail the files that led to it, and its own */
  follow(source: Source, trail: readonly string[]): void {
    const { include } = source.value as { readonly include?: unknown }
    const isList = Array.isArray(include)
    for (const [i, path] of (include === undefined ? [] : [include].flat()).entries()) {
      const place = source.locate(isList ? ['include', i] : ['include'])
      if (typeof path !== 'string') {
        // The schema reports it in the gateway file.
        const hint = 'write a list of paths: [./rules/*.yaml]'
        if (trail.length > 1)
          this.#reader.report.error('invalid-value', '"include" must be a list of paths', place, hint)
        // A variable that is not set is already reported.
      } else if (!path.includes('${')) this.#add(path, place, trail)
    }
  }

  #add(path: string, place: NamedFile['place'], trail: readonly string[]): void {
    const { folder, note, report } = this.#reader
    if (refuseRemote(path, place, report)) return
    const full = resolve(folder, path)
    const inFolder = path.slice(0, -basename(path).length).includes('*')
    if (inFolder || basename(path).includes('**')) {
      const hint = 'name each folder: [./rules/*.yaml, ./more/rules/*.yaml]'
      report.error('invalid-pattern', 'a * stands for a part of the name of a file, not for folders', place, hint)
      return
    }
    if (!isPattern(full)) {
      this.#addFile({ path: full, place }, trail)
      return
    }
    if (!this.#mayRead({ path: dirname(full), place }, path)) return
    // Watched too, for files that are added later.
    note(full)
    const files = filesMatching(full)
    const hint = 'create a file there, or remove the pattern; it is relative to the folder of the gateway file'
    if (files.length === 0) report.error('no-match', `no file matches ${path}`, place, hint)
    for (const file of files) this.#addFile({ path: file, place }, trail)
  }

  #addFile({ path, place }: NamedFile, trail: readonly string[]): void {
    const { home, report, note, included, environment } = this.#reader
    const nameOf = (file: string) => relative(home, file) || file
    const name = nameOf(path)
    if (trail.includes(path)) {
      const circle = [...trail.slice(trail.indexOf(path)), path].map(nameOf).join(' → ')
      report.error('include-circle', `this file includes itself: ${circle}`, place, `take ${name} out of "include"`)
      return
    }
    if (this.#layers.length > MOST_FILES) {
      if (this.#layers.length > MOST_FILES + 1) return
      this.#layers.push(this.#layers[0] as FilledSource)
      report.error('too-many-files', `more than ${MOST_FILES} files are included`, place, 'include each file once')
      return
    }
    if (!this.#mayRead({ path, place }, name)) return
    note(path)
    const raw = readNamed(path, name, place, report, 'gateway')
    if (raw === undefined || !this.#isSettings(raw, { path, place })) return
    included(path)
    const filled = fillVariables(raw, environment, report)
    this.#layers.push({ raw, filled })
    this.follow(filled, [...trail, path])
  }

  /** Whether a file is below the folder of the gateway file or the working directory, as the files of a contract must be. */
  #mayRead({ path, place }: NamedFile, name: string): boolean {
    const { folder, home, report } = this.#reader
    if (isBelow([folder, home], path)) return true
    const message = `${name} is outside the folder of the gateway file and the working directory`
    report.error('outside-file', message, place, 'start in a folder that contains both')
    return false
  }

  /** Whether a file has settings; reports one that has none. */
  #isSettings({ file, value }: Source, { place }: NamedFile): boolean {
    const { report, isLayer } = this.#reader
    const refuse = (what: string, hint: string) =>
      void report.error('not-settings', `${file} is ${what}, not settings`, place, hint)
    if (isApiDocument(value)) refuse('an OpenAPI document', `name it in "contract": contract: ./${basename(file)}`)
    else if (isLayer(value)) refuse('an overlay', `name it in "contract", behind the document that it changes`)
    else if (Array.isArray(value))
      refuse('a list', 'write keys in it, as in this file; records are the "seed" of a resource')
    else if (!isObject(value)) refuse('a single value', 'write keys in it, as in this file')
    else return true
    return false
  }
}

/** A value with the source that it is written in. */
interface Layer {
  readonly value: unknown
  readonly source: Source
  /** The members that other sources wrote or removed. */
  readonly below?: ReadonlyMap<string, Layer>
}

/** Returns the sources laid over the first one, with its text. A value has the same path in all of them. */
function combineLayers([first, ...over]: readonly Source[]): Source {
  const main = first as Source
  let root: Layer = { value: main.value, source: main }
  for (const source of over) root = layOver(root, withoutInclude(source.value), source)
  return main.combine(root.value, path => spotIn(root, path), main.text)
}

const withoutInclude = (value: unknown): unknown => {
  const { include: _, ...settings } = value as Record<string, unknown>
  return settings
}

function layOver(base: Layer, value: unknown, source: Source): Layer {
  if (!isObject(base.value) || !isObject(value)) return { value, source }
  const members: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(base.value)) put(members, key, item)
  const below = new Map(base.below)
  for (const [key, item] of Object.entries(value)) {
    const isWritten = Object.hasOwn(members, key)
    if (item === null && isWritten) {
      delete members[key]
      below.set(key, { value: undefined, source })
      continue
    }
    const before = isWritten ? (below.get(key) ?? { value: members[key], source: base.source }) : undefined
    const member = before === undefined ? { value: item, source } : layOver(before, item, source)
    put(members, key, member.value)
    below.set(key, member)
  }
  return { value: members, source: base.source, below }
}

function spotIn(root: Layer, path: Path): Spot {
  let layer = root
  for (const part of path) {
    const next = layer.below?.get(String(part))
    if (next === undefined) break
    layer = next
  }
  return { source: layer.source, path }
}
