// Lays overlays over the document of a contract. Nothing after it knows of overlays: the merged document is one
// source, whose values keep their places.

import { dirname, resolve } from 'node:path'
import { type Document, roundBeyondExamples } from '../../contract/documents.ts'
import { refuseRemote } from '../../kernel/file/read-source.ts'
import {
  type ContractReader,
  type DocumentLayers,
  type NamedFile,
  readNamedDocument,
} from '../../load/contract-file.ts'
import { isOverlay, type Overlay, readOverlay } from './overlay.ts'
import { OverlayWriter } from './overlay-writer.ts'

/**
 * Applies overlays to a document, in order. One that is an overlay itself is applied to the document that it extends. Returns
 * `undefined` after reporting why that is impossible.
 */
function withOverlays(first: Document, overlays: readonly NamedFile[], reader: ContractReader): Document | undefined {
  const { report } = reader
  const isFirst = isOverlay(first.source.value)
  if (!isFirst && overlays.length === 0) return first
  const documents = [
    ...(isFirst ? [first] : []),
    ...overlays.map(overlay => readNamedDocument(overlay, reader, overlayLayers)),
  ]
  const read = documents.map(one => one && readOverlay(one.source, report))
  const base = isFirst ? extended(first, read[0], reader) : first
  if (base === undefined || !read.every(one => one !== undefined)) return undefined
  const writer = new OverlayWriter(base.source, report)
  for (const overlay of read) writer.apply(overlay)
  if (read.some(({ isMistaken }) => isMistaken)) return undefined
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
  const base = { path: resolve(dirname(file), overlay.extends), place }
  const document = readNamedDocument(base, reader, overlayLayers)
  if (document === undefined || !isOverlay(document.source.value)) return document
  report.error('no-document', 'this names an overlay, not a document', place, 'name an OpenAPI document')
  return undefined
}

export const overlayLayers: DocumentLayers = { isLayer: isOverlay, apply: withOverlays }
