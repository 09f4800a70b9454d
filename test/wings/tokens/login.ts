// A gateway with an issuer: a contract with scopes, a client, a public client and a user.

import { type Ask, gatewayOf, load, requestOf } from '../../support/in-process.ts'
import { FixedClock } from '../../virtual-clock.ts'

export const CONTRACT = `
contract:
  openapi: 3.1.0
  info: { title: Pets, version: "1" }
  servers: [{ url: /v1 }]
  components:
    securitySchemes:
      oauth:
        type: oauth2
        flows:
          clientCredentials: { tokenUrl: https://login.example.com/oauth2/token, scopes: &scopes { "pets:read": "", "pets:write": "" } }
          authorizationCode: { tokenUrl: https://login.example.com/oauth2/token, authorizationUrl: https://login.example.com/oauth2/authorize, scopes: *scopes }
          password: { tokenUrl: https://login.example.com/oauth2/token, scopes: *scopes }
      bearer: { type: http, scheme: bearer }
  paths:
    /pets:
      get: { operationId: listPets, security: [{ oauth: ["pets:read"] }], responses: { 200: { description: Fine } } }
      post: { operationId: createPet, security: [{ oauth: ["pets:write"] }], responses: { 201: { description: Made } } }
    /me:
      get: { operationId: getMe, security: [{ bearer: [] }], responses: { 200: { description: Fine } } }
`

export const CONSUMERS = `
consumers:
  shop: { client: { id: shop, secret: shop-secret, scopes: ["pets:read", "pets:write"], redirects: ["http://localhost:3000/callback", "https://app.example.com/cb?x=1"] } }
  page: { client: { id: page, scopes: ["pets:read"], redirects: ["http://127.0.0.1/callback"] } }
  ada: { user: { password: ada-password, scopes: ["pets:read"], claims: { email: ada@example.com } } }
  bob: { user: {}, bearer: bobs-old-key }
`

/** The issuer and its callers. */
export const ISSUERS = `
issuers: { default: { lifetime: 10m, refresh: 30d, claims: { tenant: acme } } }
${CONSUMERS}`

export interface TokenReply {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
  readonly error: string
  readonly scope: string
  readonly expires_in: number
  readonly [name: string]: unknown
}

export const BASIC = { authorization: `Basic ${Buffer.from('shop:shop-secret').toString('base64')}` }

/** Makes a gateway of `CONTRACT`. @param more further configuration */
export function withIssuer(more = ISSUERS) {
  const clock = new FixedClock()
  const gateway = gatewayOf(load(CONTRACT + more), clock)
  const ask = async (what: string, options: Ask = {}) => {
    const reply = await gateway.handle(requestOf(what, options))
    const text = typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body ?? '').toString()
    return { ...reply, text, json: (text.startsWith('{') ? JSON.parse(text) : {}) as TokenReply }
  }
  const form = (
    what: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ) =>
    ask(what, {
      raw: new TextEncoder().encode(new URLSearchParams(fields).toString()),
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    })
  const token = (fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = BASIC) =>
    form('POST /oauth2/token', fields, headers)
  const call = (what: string, accessToken: string, headers: Readonly<Record<string, string>> = {}) =>
    ask(what, { headers: { authorization: `Bearer ${accessToken}`, ...headers } })
  return { gateway, clock, ask, form, token, call }
}
