// Makes a `Plan` of the file with a given name: reads the files that it needs, and collects all mistakes.

import { dirname, relative, resolve } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import { readContract } from '../contract/document/read-contract.ts'
import { placeOf } from '../contract/documents.ts'
import { readDocument } from '../contract/example-decimals.ts'
import { Diagnostics } from '../kernel/diagnostic.ts'
import type { Progress } from '../kernel/progress.ts'
import { refuseRemote } from '../kernel/remote.ts'
import { ReplyFiles } from '../kernel/reply-files.ts'
import { type Environment, placeOfFile } from '../kernel/source.ts'
import { compilePlan } from '../plan/compile.ts'
import { simulationOf } from '../plan/settings.ts'
import { confine } from './confine.ts'
import { type InferredGateway, inferGateway } from './infer/simulation.ts'
import { type GatewayRead, type Loaded, type LoadOptions, readGateway } from './read-gateway.ts'
import { readResources } from './seed/seed.ts'

export type { Loaded, LoadOptions } from './read-gateway.ts'

/**
 * Loads a gateway file, or a bare OpenAPI document.
 *
 * @param path relative to `home`, or absolute
 * @param home the folder that file names in messages are relative to
 */
export function loadPlan(path: string, home: string, environment: Environment, options: LoadOptions = {}): Loaded {
  if (options.confined === undefined) return compileLoaded(readGateway(path, home, environment, options))
  const { variables, admits } = confine(resolve(home, path), options.confined, environment)
  const loaded = compileLoaded(readGateway(path, home, variables, options))
  const outside = loaded.files.find(file => !admits(file))
  if (outside === undefined) return loaded
  // The content of that file and its mistakes are not reported.
  const report = new Diagnostics()
  const message = `${relative(home, outside)} is outside the folder of this file and not named in it`
  report.error('outside-file', message, placeOfFile(relative(home, resolve(home, path)) || path))
  return { plan: undefined, report, files: [resolve(home, path)] }
}

/**
 * As `loadPlan`; a bare OpenAPI document gets the state that can be inferred from it.
 */
export async function loadInferred(
  path: string,
  home: string,
  environment: Environment,
  options: LoadOptions = {},
): Promise<Loaded> {
  const read = readGateway(path, home, environment, options)
  if ('plan' in read || !read.bare || read.report.failed) return compileLoaded(read)
  const { contract, report, file, files, settings } = read
  const inferred = await inferGateway(contract, file, home, trialsOf(options.progress), settings)
  reportLeftOut(inferred, contract, report)
  return { plan: report.failed ? undefined : inferred.plan, report, files }
}

/** Reports the trials of an inference as progress. */
const trialsOf = (progress: Progress | undefined) =>
  progress && ((done: number, all: number) => progress('trying the inferred state:', done, all))

function compileLoaded(read: GatewayRead | Loaded): Loaded {
  if ('plan' in read) return read
  const { settings, source, contract, file, home, shownKeys, tls, progress, report, files } = read
  const seeding = readResources(settings, contract, source, file, home, report)
  progress?.(`compiling ${contract.operations.length} operations`)
  const replyFiles = new ReplyFiles(dirname(file))
  const { resources } = seeding
  const folder = dirname(file)
  const simulation = simulationOf(settings, source, resources, { shownKeys, replyFiles, tls, folder })
  const plan = compilePlan(simulation, contract, report)
  const all = [...new Set([...files, ...seeding.files, ...replyFiles.paths])]
  return { plan: report.failed ? undefined : plan, report, files: all }
}

/** Says which resources were inferred and did not hold. */
function reportLeftOut({ without }: InferredGateway, contract: Contract, report: Diagnostics): void {
  for (const [owner, reason] of without) {
    const name = /^resource (.*)$/s.exec(owner)?.[1]
    const operation = contract.operations.find(
      ({ id }) => id === (name === undefined ? owner : reason.split(': ', 1)[0]),
    )
    const node = operation?.node ?? contract.at('#/paths') ?? contract.at('#')
    if (node === undefined) continue
    const what = name === undefined ? `the operation ${owner}` : `the resource "${name}"`
    report.warning('left-out', `${what} is left out of the inferred state: ${reason}`, placeOf(node, 'key'))
  }
}

/**
 * Infers a gateway.yaml for an OpenAPI document; the text is `undefined` where the document cannot be read.
 *
 * @param directory the folder of the gateway.yaml: the contract is named relative to it
 * @param progress is called during the trial of the inferred state
 */
export async function inferFile(
  path: string,
  home: string,
  directory: string,
  progress?: Progress,
): Promise<{ readonly inferred: string | undefined; readonly report: Diagnostics }> {
  const report = new Diagnostics()
  if (refuseRemote(path, placeOfFile(path), report)) return { inferred: undefined, report }
  progress?.(`reading ${path}`)
  const file = resolve(home, path)
  const source = readDocument(file, relative(home, file) || file, report)
  const contract = source && readContract({ file, source, base: [] }, home, report)
  const fit = contract !== undefined && !report.failed
  return {
    inferred: fit ? (await inferGateway(contract, file, directory, trialsOf(progress))).describe() : undefined,
    report,
  }
}
