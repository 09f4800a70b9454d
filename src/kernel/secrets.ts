// The names of fields that contain credentials.

import { plainName } from './names.ts'

/** The part of a message with a name. Some names mean a credential in one part only: `?key=`. */
export type NamedPlace = 'header' | 'query' | 'field'

/** Returns a pattern of any of some parts, with a text before and after them. */
export const anyOf = (before: string, parts: string, after: string): RegExp =>
  new RegExp(`${before}(?:${parts.trim().split(/\s+/).join('|')})${after}`)

/** Parts of names, in the form of `plainName`. Not `max_tokens`, and not the CORS header about credentials. */
const SECRET_PART = anyOf(
  '',
  `passw passphrase passcode secret(?!ar) token(?!s) (?<!accesscontrolallow)credential authorization signature csrf xsrf cardnumber
  (?:api|access|account|encryption|functions|master|private|session|shared|signing|subscription)key sess(?:ion)?id
  (?:mfa|otp|totp|2fa|twofactor|verification|recovery|backup)code codeverifier connection(?:string|ur[il])
  bearer socialsecurity mnemonic samlresponse clientassertion`,
  '',
)
const SECRET_WORD = anyOf('^', 'pass pwd x?pin cvv cvc otp totp jwt sig ssn salt dsn (?:set)?cookies?', '$')
/** `token_type` and `secret_expires_at` tell about a credential. */
const PUBLIC_END = anyOf(
  '(?<!connection)',
  'type ur[il] endpoint expir\\w* ttl length limit count enabled required',
  '$',
)
/** Names that mean a credential in a header only. */
const SECRET_HEADER = anyOf(
  '',
  '^(?:proxy)?authenticat(?:ion|ioninfo)$ ^x?auth$ ^dpop$ (?<!idempotency|surrogate|cache|websocket)key$',
  '',
)
/** Names that mean a credential in a query only. */
const SECRET_QUERY = /^(?:auth|session|sid)$/
/** Names that mean a credential in a query if the value looks as one: `?code=404` is none. */
const DOUBTFUL_QUERY = /^(?:key|code)$/

/** Tells whether a value is a credential. */
export type ValueTest = (value: string) => boolean

export const ANY_VALUE: ValueTest = () => true
const isNoDigest: ValueTest = value => !/^[\da-f]*$/i.test(value)

/** Whether a value may be a credential, and is no word, number or short code. */
export const isOpaque: ValueTest = value =>
  value.length >= 16 ? !/^[a-z]+(?:[-_. ][a-z]+)*$/.test(value) : value.length >= 8 && /\d/.test(value)

/** Returns the test of the values of a name; `undefined` if none of them is a credential. */
export function secrecyOf(name: string, place: NamedPlace = 'field'): ValueTest | undefined {
  const plain = plainName(name)
  if (plain === 'hash') return isNoDigest
  if (place === 'header' && SECRET_HEADER.test(plain)) return ANY_VALUE
  if (place === 'query' && SECRET_QUERY.test(plain)) return ANY_VALUE
  if (place === 'query' && DOUBTFUL_QUERY.test(plain)) return isOpaque
  return (SECRET_PART.test(plain) || SECRET_WORD.test(plain)) && !PUBLIC_END.test(plain) ? ANY_VALUE : undefined
}

/** Whether every value of this name is a credential. */
export const isSecretName = (name: string, place?: NamedPlace): boolean => secrecyOf(name, place) === ANY_VALUE
