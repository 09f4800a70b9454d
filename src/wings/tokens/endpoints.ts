// The endpoints of an issuer, and where the contract says that they are.

import type { Contract } from '../../contract/contract.ts'
import { childOf, membersOf } from '../../contract/documents.ts'
import { isObject } from '../../kernel/json.ts'
import { attempted } from '../../kernel/memo.ts'

/** Each endpoint with its methods, its path below the issuer, and what it does. */
export const ENDPOINTS = {
  discovery: ['get', '/.well-known/openid-configuration', 'The metadata of the issuer (OpenID Connect Discovery).'],
  metadata: ['get', '/.well-known/oauth-authorization-server', 'The metadata of the issuer (RFC 8414).'],
  jwks: ['get', '/jwks', 'The public keys of the issuer.'],
  authorize: ['get', '/authorize', 'Logs a user in, and redirects to the client with a code.'],
  decide: ['post', '/authorize', 'Takes the choice of the page, or a request in a form.'],
  token: ['post', '/token', 'Gives tokens (RFC 6749).'],
  userinfo: ['get', '/userinfo', 'The claims of the user (OpenID Connect).'],
  postUserinfo: ['post', '/userinfo', 'The claims of the user (OpenID Connect).'],
  introspect: ['post', '/introspect', 'Describes a token to a client (RFC 7662).'],
  revoke: ['post', '/revoke', 'Revokes a token (RFC 7009).'],
  logout: ['get', '/logout', 'Logs the user out (OpenID Connect RP-Initiated Logout).'],
  postLogout: ['post', '/logout', 'Logs the user out (OpenID Connect RP-Initiated Logout).'],
} as const

export type EndpointName = keyof typeof ENDPOINTS

/** The scopes of OpenID Connect, which no security scheme needs to name. */
export const OPENID_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access']

/** The issuer as the security schemes of a contract describe it. */
export interface SchemeUrls {
  readonly token: string | undefined
  readonly authorize: string | undefined
  readonly discovery: string | undefined
  readonly scopes: ReadonlySet<string>
  readonly flows: ReadonlySet<string>
}

/** Reads the paths, the scopes and the flows of the security schemes. */
export function readSchemes(contract: Contract | undefined): SchemeUrls {
  const found: Record<string, string> = {}
  const scopes = new Set<string>()
  const flows = new Set<string>()
  const take = (name: string, url: unknown) => {
    const path = typeof url === 'string' ? attempted(() => new URL(url, 'http://localhost').pathname) : undefined
    if (path !== undefined && path !== '/') found[name] ??= path
  }
  const node = contract?.at('#/components/securitySchemes')
  for (const [, member] of node === undefined ? [] : membersOf(node)) {
    const scheme = contract?.resolve(member) ?? member
    take('discovery', childOf(scheme, 'openIdConnectUrl').value)
    for (const [flow, { value }] of membersOf(childOf(scheme, 'flows'))) {
      if (!isObject(value)) continue
      flows.add(flow)
      take('token', value.tokenUrl)
      take('authorize', value.authorizationUrl)
      for (const scope of Object.keys(Object(value.scopes))) scopes.add(scope)
    }
  }
  for (const { scopes: required } of contract?.operations.flatMap(({ security }) => security.flat()) ?? []) {
    for (const scope of required) scopes.add(scope)
  }
  return { token: found.token, authorize: found.authorize, discovery: found.discovery, scopes, flows }
}

/** Returns the paths of the endpoints. @param urls those of the contract, for the first issuer */
export function endpointsOf(path: string | undefined, urls: SchemeUrls | undefined) {
  const [, suffix] = ENDPOINTS.discovery
  const documented = path === undefined ? urls : undefined
  const { discovery = '' } = documented ?? {}
  const base = path ?? (discovery.endsWith(suffix) ? discovery.slice(0, -suffix.length) : '/oauth')
  const below = Object.entries(ENDPOINTS).map(([name, [, end]]) => [name, base + end])
  const paths: Readonly<Record<EndpointName, string>> = {
    ...(Object.fromEntries(below) as Record<EndpointName, string>),
    metadata: ENDPOINTS.metadata[1] + base,
    ...(documented?.token && { token: documented.token }),
    ...(documented?.authorize && { authorize: documented.authorize, decide: documented.authorize }),
  }
  return { base, paths }
}
