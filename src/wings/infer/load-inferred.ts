// Loads a bare OpenAPI document with the state that can be inferred from it, and infers a gateway.yaml for one.

import type { Contract } from '../../contract/contract.ts'
import { placeOf } from '../../contract/documents.ts'
import type { Diagnostics } from '../../kernel/diagnostic.ts'
import type { Environment } from '../../kernel/file/source.ts'
import type { Progress } from '../../kernel/terminal.ts'
import { type Loaded, type LoadOptions, loadContract } from '../../load/load.ts'
import { Loading } from '../../load/loading.ts'
import { houseWith } from '../../plan/house.ts'
import { type InferredGateway, inferGateway } from './infer.ts'

/** As `loadPlan`; a bare OpenAPI document gets the state that can be inferred from it. */
export async function loadInferred(
  path: string,
  home: string,
  environment: Environment,
  options: LoadOptions = {},
): Promise<Loaded> {
  const loading = new Loading(path, home, environment, options)
  const read = loading.read()
  const { file, report, house } = loading
  if (read === undefined || !read.bare || report.failed) return loading.compile(read)
  const { contract, settings: given } = read
  const inferred = await inferGateway(contract, { file, home, house, given, progress: trialsOf(options.progress) })
  reportLeftOut(inferred, contract, report)
  return loading.end(loading.withWorlds(inferred.plan, read, inferred.describe()))
}

/**
 * Infers a gateway.yaml for an OpenAPI document; the text is `undefined` where the document cannot be read.
 *
 * @param directory the folder of the gateway.yaml: the contract is named relative to it
 */
export async function inferFile(
  path: string,
  home: string,
  directory: string,
  { progress, layers, wings }: Pick<LoadOptions, 'progress' | 'layers' | 'wings'>,
): Promise<{ readonly inferred: string | undefined; readonly report: Diagnostics }> {
  const { contract, report, files } = loadContract(path, home, { progress, layers, wings })
  if (contract === undefined) return { inferred: undefined, report }
  const surroundings = { file: files, home: directory, house: houseWith(wings), progress: trialsOf(progress) }
  return { inferred: (await inferGateway(contract, surroundings)).describe(), report }
}

const trialsOf = (progress: Progress | undefined) =>
  progress && ((done: number, all: number) => progress('trying the inferred state:', done, all))

function reportLeftOut({ without }: InferredGateway, contract: Contract, report: Diagnostics): void {
  for (const [owner, reason] of without) {
    const name = /^resource (.*)$/s.exec(owner)?.[1]
    const operation = contract.operations.find(
      ({ id }) => id === (name === undefined ? owner : reason.split(': ', 1)[0]),
    )
    const node = operation?.node ?? contract.at('#/paths') ?? contract.at('#')
    if (node === undefined) continue
    const what = name === undefined ? `the operation ${owner}` : `the resource "${name}"`
    const message = `${what} is left out of the inferred state: ${reason}`
    report.warning('left-out', message, placeOf(node, 'key'), 'write its settings in a gateway.yaml: understudy init')
  }
}
