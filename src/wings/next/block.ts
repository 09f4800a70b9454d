// The key `next` of gateway.yaml: the next version of the contract.

import type { Contract } from '../../contract/contract.ts'
import { nameless } from '../../contract/paths.ts'
import type { Block } from '../../plan/house.ts'

export const nextBlock: Block<string | readonly string[], Contract | undefined> = {
  key: 'next',
  schema: {
    type: ['string', 'array'],
    items: { type: 'string' },
    minItems: 1,
    description:
      'The next version of the contract, or a list of it and its overlays. Every request is judged by it, too: `GET /next` says who breaks.',
  },
  read(written, { contract, isFitted, source, report, readContract }) {
    // A world on another contract is often one on the next contract: only clients of the contract itself can break.
    if (written === undefined || isFitted) return undefined
    const next = readContract('next', written)
    const paths = new Set(contract?.operations.map(({ path }) => nameless(path)))
    if (paths.size > 0 && next?.operations.some(({ path }) => paths.has(nameless(path))) === false) {
      report.warning('unrelated-contract', 'the next contract has no path of the contract', source.locate(['next']))
    }
    return next
  },
}
