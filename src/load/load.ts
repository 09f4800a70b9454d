// Makes a `Plan` of the file with a given name: reads the files that it needs, and collects all mistakes.

import { relative, resolve } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import { readContract } from '../contract/document/read-contract.ts'
import { readDocument } from '../contract/documents.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import { refuseRemote } from '../kernel/file/read-source.ts'
import { type Environment, placeOfFile } from '../kernel/file/source.ts'
import type { Progress } from '../kernel/terminal.ts'
import { houseWith } from '../plan/house.ts'
import { confine } from './confine.ts'
import { type LoadWing, layDocuments, namedAt } from './contract-file.ts'
import { type Loaded, Loading, type LoadOptions } from './loading.ts'

export type { Loaded, LoadOptions } from './loading.ts'

/**
 * Loads a gateway file, or a bare OpenAPI document.
 *
 * @param path relative to `home`, or absolute
 * @param home the folder that file names in messages are relative to
 */
export function loadPlan(path: string, home: string, environment: Environment, options: LoadOptions = {}): Loaded {
  const { variables, admits } = confine(resolve(home, path), options.confined, environment)
  const loading = new Loading(path, home, variables, options)
  const loaded = loading.compile(loading.read())
  const outside = loaded.files.find(file => !admits(file))
  if (outside === undefined) return loaded
  // The content of that file and its mistakes are not reported.
  const report = new Diagnostics()
  const message = `${relative(home, outside)} is outside the folder of this file and not named in it`
  report.error('outside-file', message, placeOfFile(relative(home, loading.file) || path))
  return { plan: undefined, report, files: [loading.file], included: [] }
}

interface ContractOptions {
  readonly progress?: Progress | undefined
  /** The paths of documents that are laid over it. */
  readonly layers?: readonly string[] | undefined
  readonly wings?: readonly LoadWing[] | undefined
}

/** Reads an OpenAPI document as a contract, without settings; `undefined` where it cannot be read. */
export function loadContract(
  path: string,
  home: string,
  { progress, layers = [], wings = [] }: ContractOptions = {},
): { readonly contract: Contract | undefined; readonly report: Diagnostics; readonly files: string[] } {
  const report = new Diagnostics()
  const file = resolve(home, path)
  const over = layers.map(layer => namedAt(layer, resolve(home, layer), home))
  const files = [file, ...over.map(layer => layer.path)]
  if (refuseRemote(path, placeOfFile(path), report)) return { contract: undefined, report, files }
  progress?.(`reading ${path}`)
  const source = readDocument(file, relative(home, file) || file, report)
  const reader = { home, report, note: () => {} }
  const wing = wings.find(candidate => candidate.layers !== undefined)
  const document = source && layDocuments({ file, source }, over, reader, wing?.layers)
  const contract = document && readContract(document, home, report, houseWith(wings).reading)
  return { contract: report.failed ? undefined : contract, report, files }
}
