// Reads the document of a contract with the overlays over it. Nothing after it knows of overlays: the merged document is one
// source, whose values keep their places.

import { dirname, relative, resolve } from 'node:path'
import { type Document, roundBeyondExamples } from '../../contract/documents.ts'
import type { Diagnostics, Place } from '../../kernel/diagnostic.ts'
import { readNamed, refuseRemote } from '../../kernel/file/read-source.ts'
import { isObject, put } from '../../kernel/json.ts'
import { isOverlay, type Overlay, readOverlay } from './overlay.ts'
import { OverlayWriter } from './overlay-writer.ts'

/** A file of a contract, by its absolute path, and the place that names it. */
export interface NamedFile {
  readonly path: string
  readonly place: Place
}

/** The surroundings of reading a contract. */
export interface ContractReader {
  /** The folder that file names in messages are relative to. */
  readonly home: string
  readonly report: Diagnostics
  /** Is called with each file that is looked for. */
  note(file: string): void
}

/** Reads a document that is named elsewhere; see `readNamed`. */
export function readNamedDocument({ path, place }: NamedFile, reader: ContractReader): Document | undefined {
  const { home, report } = reader
  reader.note(path)
  const source = readNamed(path, relative(home, path) || path, place, report, 'contract')
  if (source === undefined) return undefined
  if (!isOverlay(source.value)) roundBeyondExamples(source.value)
  return { file: path, source }
}

/**
 * Applies overlays to a document, in order. One that is an overlay itself is applied to the document that it extends. Returns
 * `undefined` after reporting why that is impossible.
 */
export function withOverlays(
  first: Document,
  overlays: readonly NamedFile[],
  reader: ContractReader,
): Document | undefined {
  const { report } = reader
  const isFirst = isOverlay(first.source.value)
  if (!isFirst && overlays.length === 0) return first
  const documents = [...(isFirst ? [first] : []), ...overlays.map(one => readNamedDocument(one, reader))]
  const read = documents.map(one => {
    const overlay = one && readOverlay(one.source, report)
    return overlay && { ...overlay, file: (one as Document).file }
  })
  const base = isFirst ? extended(first, read[0], reader) : first
  if (base === undefined || !read.every(one => one !== undefined)) return undefined
  const writer = new OverlayWriter(base.source, report)
  for (const overlay of read) {
    warnOfOther(overlay, base, reader)
    const [from, to] = [dirname(overlay.file), dirname(base.file)]
    writer.apply(overlay, value => (from === to ? value : mapReferences(value, one => moved(one, from, to))))
  }
  const { source } = writer
  roundBeyondExamples(source.value)
  return { file: base.file, source }
}

/** Reads the document that an overlay extends. */
function extended(
  { file, source }: Document,
  overlay: Overlay | undefined,
  reader: ContractReader,
): Document | undefined {
  if (overlay === undefined) return undefined
  const { report } = reader
  if (overlay.extends === undefined) {
    const message = 'this overlay does not say which document it changes'
    report.error(
      'no-document',
      message,
      source.locate([]),
      'write extends: ./openapi.yaml, or name the document before it',
    )
    return undefined
  }
  const place = source.locate(['extends'])
  if (refuseRemote(overlay.extends, place, report)) return undefined
  const document = readNamedDocument({ path: resolve(dirname(file), overlay.extends), place }, reader)
  if (document === undefined || !isOverlay(document.source.value)) return document
  report.error('no-document', 'this names an overlay, not a document', place, 'name an OpenAPI document')
  return undefined
}

/** Warns of an overlay that is made for another file. A URL may be where this document was published. */
function warnOfOther(
  { file, source, extends: named }: Overlay & { file: string },
  base: Document,
  reader: ContractReader,
): void {
  if (named === undefined || /^[a-z][a-z0-9+.-]+:/i.test(named) || resolve(dirname(file), named) === base.file) return
  const own = relative(reader.home, base.file) || base.file
  const message = `this overlay extends ${named}, and is applied to ${own}`
  reader.report.warning('other-document', message, source.locate(['extends']), 'remove "extends", or name the document')
}

/** Returns a reference to a file as it is seen from another folder. */
function moved(reference: string, from: string, to: string): string {
  if (/^(?:#|[a-z][a-z0-9+.-]+:|\/)/i.test(reference)) return reference
  const [file = '', ...fragment] = reference.split(/(?=#)/)
  return relative(to, resolve(from, file)).replaceAll('\\', '/') + fragment.join('')
}

/** The members whose values are data, in which a `$ref` is not a reference. */
const DATA_KEYS = new Set(['example', 'default', 'enum', 'const', 'value'])

/** Returns a copy of a value with `change` applied to its references. */
function mapReferences(value: unknown, change: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map(item => mapReferences(item, change))
  if (!isObject(value)) return value
  const copy = {}
  for (const [key, item] of Object.entries(value)) {
    const isReference = key === '$ref' && typeof item === 'string'
    put(copy, key, isReference ? change(item) : DATA_KEYS.has(key) ? item : mapReferences(item, change))
  }
  return copy
}
