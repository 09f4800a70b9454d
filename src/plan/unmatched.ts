// The operation of requests that match none: its index, and the behaviours that they pass.

import { behaviours } from '../behaviours/index.ts'
import type { Operation } from '../contract/contract.ts'

/** The index of `NO_OPERATION`. */
export const UNMATCHED = -1

/** The operation of requests that match none. */
export const NO_OPERATION: Operation = {
  id: '',
  method: 'GET',
  path: '',
  tags: [],
  summary: undefined,
  deprecated: false,
  stability: undefined,
  parameters: [],
  body: undefined,
  responses: new Map(),
  security: [],
  basePaths: [],
  node: undefined as never,
}

/** The behaviours of a request that matches no operation: only `errors`, which gives the refusal the API's shape. */
export const unmatchedBehaviours = behaviours.filter(({ name }) => name === 'errors')
