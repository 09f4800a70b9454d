// The replies of the endpoints.

import type { Reply } from '../../kernel/http.ts'
import { answerAuthorize, answerDecision } from './authorize.ts'
import { answerIntrospect, answerLogout, answerRevoke, answerUserinfo } from './describe.ts'
import type { EndpointName } from './endpoints.ts'
import { metadataOf } from './metadata.ts'
import { answerToken } from './token.ts'
import { json, orRefuse, type Visit } from './visit.ts'

type Answer = (visit: Visit) => Promise<Reply>

const refusing =
  (answer: Answer): Answer =>
  visit =>
    orRefuse(() => answer(visit))

const describe: Answer = async visit => json(metadataOf(visit), 200, {})

export const answerAt: Readonly<Record<EndpointName, Answer>> = {
  discovery: describe,
  metadata: describe,
  jwks: async ({ service, issuer }) => json(await (await service.keys).publish(issuer), 200, {}),
  authorize: refusing(answerAuthorize),
  decide: refusing(answerDecision),
  token: refusing(answerToken),
  userinfo: answerUserinfo,
  postUserinfo: answerUserinfo,
  introspect: refusing(answerIntrospect),
  revoke: refusing(answerRevoke),
  logout: refusing(answerLogout),
  postLogout: refusing(answerLogout),
}
