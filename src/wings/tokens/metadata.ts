// The metadata of an issuer: OpenID Connect Discovery 1.0 §3 and RFC 8414 §2.

import type { EndpointName } from './endpoints.ts'
import { GRANTS } from './token.ts'
import type { Visit } from './visit.ts'

export function metadataOf({ issuer, issuers, iss, origin }: Visit): object {
  const at = (name: EndpointName) => origin + issuer.paths[name]
  const methods = ['client_secret_basic', 'client_secret_post']
  return {
    issuer: iss,
    authorization_endpoint: at('authorize'),
    token_endpoint: at('token'),
    jwks_uri: at('jwks'),
    userinfo_endpoint: at('userinfo'),
    introspection_endpoint: at('introspect'),
    revocation_endpoint: at('revoke'),
    end_session_endpoint: at('logout'),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: Object.keys(GRANTS).filter(grant => grant !== 'password' || issuers.hasPasswords),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [issuer.algorithm],
    scopes_supported: [...issuers.scopes],
    token_endpoint_auth_methods_supported: [...methods, 'none'],
    revocation_endpoint_auth_methods_supported: [...methods, 'none'],
    introspection_endpoint_auth_methods_supported: methods,
    code_challenge_methods_supported: ['S256', 'plain'],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    authorization_response_iss_parameter_supported: true,
    request_uri_parameter_supported: false,
  }
}
