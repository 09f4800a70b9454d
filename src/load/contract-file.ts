// Reads the document of a contract, and hands it to a wing where other documents are laid over it.

import { relative } from 'node:path'
import { type Document, roundBeyondExamples } from '../contract/documents.ts'
import type { Diagnostics, Place } from '../kernel/diagnostic.ts'
import { readNamed } from '../kernel/file/read-source.ts'
import { placeOfFile } from '../kernel/file/source.ts'
import type { PlanWing } from '../plan/house.ts'

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

/** Lays documents over a contract. */
export interface DocumentLayers {
  /** Whether a document changes another one, and is no contract by itself. */
  isLayer(value: unknown): boolean
  /**
   * Applies documents to a first one, in order. A first one that is a layer itself is applied to the document that it names.
   * Returns `undefined` after reporting why that is impossible.
   */
  apply(first: Document, layers: readonly NamedFile[], reader: ContractReader): Document | undefined
}

/** The part of a wing that reads files. */
export interface LoadWing extends PlanWing {
  readonly layers?: DocumentLayers
}

/** Returns the file that an option names. */
export const namedAt = (path: string, file: string, home: string): NamedFile => ({
  path: file,
  place: placeOfFile(relative(home, file) || path),
})

/** Reads a document that is named elsewhere; see `readNamed`. */
export function readNamedDocument(
  { path, place }: NamedFile,
  { home, report, note }: ContractReader,
  layers: DocumentLayers | undefined,
): Document | undefined {
  note(path)
  const source = readNamed(path, relative(home, path) || path, place, report, 'contract')
  if (source === undefined) return undefined
  if (layers?.isLayer(source.value) !== true) roundBeyondExamples(source.value)
  return { file: path, source }
}

/** Returns a document with others over it, if there are any. */
export function layDocuments(
  first: Document,
  over: readonly NamedFile[],
  reader: ContractReader,
  layers: DocumentLayers | undefined,
): Document | undefined {
  if (layers !== undefined) return layers.apply(first, over, reader)
  const [unread] = over
  if (unread === undefined) return first
  reader.report.error('no-layers', 'no document can be laid over a contract', unread.place, 'name one document')
  return undefined
}
