// Answers the requests to the endpoints of the issuers.

import type { Behaviour, Handler } from '../../behaviours/behaviour.ts'
import { type Issuers, issuersBlock } from './block.ts'
import { tokensObserver } from './observe.ts'
import { type Endpoint, endpointAt } from './operations.ts'
import { Visit } from './visit.ts'

export const issue: Behaviour<unknown> = {
  name: 'issuer',
  keyOf: 'respond',
  remembers: true,
  compile(config, site) {
    const issuers = site.settings(issuersBlock)
    const endpoint = issuers && endpointAt(site.operation, issuers)
    if (endpoint === undefined) return undefined
    // A reply for this operation alone is meant; one for all operations is for those of the API.
    const isMeant = config !== undefined && (site.scope.startsWith('operations/') || site.rule !== undefined)
    return isMeant ? undefined : next => answer(issuers as Issuers, endpoint, site.maxBody, next)
  },
  describe: (_, site) => {
    const issuers = site.settings(issuersBlock)
    const endpoint = issuers && endpointAt(site.operation, issuers)
    return endpoint && `${endpoint.issuer.name} ${endpoint.name}`
  },
}

const answer = (issuers: Issuers, endpoint: Endpoint, maxBody: number, next: Handler): Handler => {
  return async exchange => {
    const service = exchange.state(tokensObserver)
    // A reply that the client chose.
    if (service === undefined || exchange.choice !== undefined) return next(exchange)
    const { answerAt } = await import('./answers.ts')
    return answerAt[endpoint.name](new Visit({ exchange, issuers, issuer: endpoint.issuer, service, maxBody }))
  }
}
