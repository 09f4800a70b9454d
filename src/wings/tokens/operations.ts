// The endpoints of issuers as operations of a contract.

import type { Contract, Operation } from '../../contract/contract.ts'
import { readContract } from '../../contract/document/read-contract.ts'
import { Diagnostics } from '../../kernel/diagnostic.ts'
import { parseSource } from '../../kernel/file/read-source.ts'
import type { Source } from '../../kernel/file/source.ts'
import type { Issuers, OwnIssuer } from './block.ts'
import { ENDPOINTS, type EndpointName } from './endpoints.ts'

/** An endpoint of an issuer. */
export interface Endpoint {
  readonly issuer: OwnIssuer
  readonly name: EndpointName
}

const addressOf = ({ method, basePaths: [base = ''], path }: Operation) => `${method} ${base}${path}`

/** Returns the endpoint that an operation is, if it is one. */
export function endpointAt(operation: Operation, { own }: Issuers): Endpoint | undefined {
  const address = addressOf(operation)
  for (const issuer of own) {
    for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
      if (`${ENDPOINTS[name][0].toUpperCase()} ${issuer.paths[name]}` === address) return { issuer, name }
    }
  }
  return undefined
}

/** Returns the operations of the endpoints. One that the contract has keeps its name, its tags and its replies. */
export function operationsOf({ own }: Issuers, contract: Contract): Operation[] {
  const documented = new Map(contract.operations.map(operation => [addressOf(operation), operation]))
  return own.flatMap(documentOf).map(operation => ({
    ...operation,
    ...documented.get(addressOf(operation)),
    wing: 'tokens',
    secret: true,
    // The endpoint reads the request itself, and refuses it as the RFCs say.
    parameters: [],
    body: undefined,
    security: [],
  }))
}

function documentOf({ name, paths }: OwnIssuer): readonly Operation[] {
  const described: Record<string, Record<string, unknown>> = {}
  for (const [endpoint, [method, , summary]] of Object.entries(ENDPOINTS)) {
    const path = paths[endpoint as EndpointName]
    const operationId = `${name}/${endpoint}`
    const responses = { default: { description: 'The reply of the issuer.' } }
    described[path] = { ...described[path], [method]: { operationId, summary, responses } }
  }
  const file = `the issuer ${name}`
  const info = { title: file, version: '1' }
  const report = new Diagnostics()
  const source = parseSource(file, JSON.stringify({ openapi: '3.1.0', info, paths: described }), report, 'contract')
  return readContract({ file, source: source as Source }, '', report)?.operations ?? []
}
