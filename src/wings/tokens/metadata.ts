// The metadata of an issuer: OpenID Connect Discovery 1.0 §3 and RFC 8414 §2.

import type { EndpointName } from './endpoints.ts'
import { GRANTS } from './token.ts'
import type { Visit } from './visit.ts'

export function metadataOf({ issuer, issuers, iss, origin }: Visit): object {
  const at = (name: EndpointName) => origin + issuer.paths[name]
  const methods = ['client_secret_basic', 'client_secret_post']
  return {
    issuer: iss,
    token_endpoint: at('token'),
    jwks_uri: at('jwks'),
    response_types_supported: [],
    grant_types_supported: Object.keys(GRANTS).filter(grant => grant !== 'password' || issuers.hasPasswords),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [issuer.algorithm],
    scopes_supported: [...issuers.scopes],
    token_endpoint_auth_methods_supported: [...methods, 'none'],
  }
}
