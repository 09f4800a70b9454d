// Files with overlays in a folder of a test, and their merged document.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import type { Diagnostics } from '../../../src/kernel/diagnostic.ts'
import type { LoadOptions } from '../../../src/load/load.ts'
import { Loading } from '../../../src/load/loading.ts'
import { WINGS } from '../../../src/wings.ts'
import { loadPlan } from '../../support/load.ts'

const home = mkdtempSync(join(tmpdir(), 'understudy-'))
after(() => rmSync(home, { recursive: true }))
let folders = 0

/** Writes files to a new folder, and returns its path. */
export function folderOf(files: Readonly<Record<string, string>>): string {
  folders += 1
  const folder = join(home, `${folders}`)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return folder
}

/** Returns each mistake in a line. */
export const told = (report: Diagnostics): string[] =>
  report.list.map(
    ({ severity, code, message, place, hint }) =>
      `${place.file}:${place.line}:${place.column} ${severity} ${code}: ${message} = ${hint}`,
  )

/** Reads the document of a contract with the overlays over it. */
export function readMerged(path: string, folder: string, options: LoadOptions = {}) {
  const loading = new Loading(path, folder, {}, { wings: WINGS, ...options })
  const document = loading.readFile()?.readContractFile()
  return { value: loading.report.failed ? undefined : document?.source.value, report: loading.report }
}

/** Applies overlays to a document; each begins with its actions. */
export function merge(document: string, overlays: readonly string[], options: LoadOptions = {}) {
  const files = overlays.map((text, i) => [
    `${i}.overlay.yaml`,
    /^overlay:/m.test(text) ? text : `overlay: 1.1.0\ninfo: { title: x, version: 1.0.0 }\nactions:\n${text}`,
  ])
  const folder = folderOf({ 'o.yaml': document, ...Object.fromEntries(files) })
  const { value, report } = readMerged('o.yaml', folder, { layers: files.map(([name]) => name as string), ...options })
  return { value, told: told(report), folder }
}

export const OVERLAY = 'overlay: 1.1.0\ninfo: { title: x, version: 1.0.0 }\nactions:\n'

/** Loads files, one of which is the configuration. */
export function load(files: Readonly<Record<string, string>>, options: LoadOptions = {}, first = 'gateway.yaml') {
  const folder = folderOf(files)
  const loaded = loadPlan(first, folder, {}, { thorough: true, ...options })
  return { ...loaded, folder, told: told(loaded.report).map(one => one.split(' = ')[0]) }
}
