// The replies of the endpoints.

import type { Reply } from '../../kernel/http.ts'
import type { EndpointName } from './endpoints.ts'
import { metadataOf } from './metadata.ts'
import { answerToken } from './token.ts'
import { json, orRefuse, type Visit } from './visit.ts'

const describe = async (visit: Visit): Promise<Reply> => json(metadataOf(visit), 200, {})

export const answerAt: Readonly<Record<EndpointName, (visit: Visit) => Promise<Reply>>> = {
  discovery: describe,
  metadata: describe,
  jwks: async ({ service, issuer }) => json(await (await service.keys).publish(issuer), 200, {}),
  token: visit => orRefuse(() => answerToken(visit)),
}
