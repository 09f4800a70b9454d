// Masks credentials in texts: those of the consumers, and values in the places where the contract expects one.

import { basename } from 'node:path'
import type { Contract } from '../contract/contract.ts'
import { decodeQuery } from '../contract/document/parameters.ts'
import { isApiDocument } from '../kernel/file/read-source.ts'
import { isObject, mapValues } from '../kernel/json.ts'
import { isSecretName } from '../kernel/secrets.ts'
import type { BlockSettings } from '../plan/house.ts'
import type { Plan } from '../plan/plan.ts'
import type { SimulationFile } from '../plan/simulation-file.ts'

const MASKED = '***'
/** The schemes of `Authorization` that stay: another first word may be the credential itself. */
const AUTH_SCHEMES = new Set(['basic', 'bearer', 'digest', 'dpop', 'token', 'apikey', 'negotiate'])
/** A shorter credential is masked only as a whole word; otherwise every `a` would be. */
const SHORTEST_WITHIN = 4

export class Mask {
  readonly #consumers: SimulationFile['consumers']
  readonly #schemes: Contract['securitySchemes']
  readonly #blocks: BlockSettings
  // Made on first use: most journals are never read.
  #known: Known | undefined

  constructor({ contract, simulation }: Plan) {
    this.#consumers = simulation.file.consumers
    this.#schemes = contract.securitySchemes
    this.#blocks = simulation.blocks
  }

  /** The length of the longest credential: a text must not be cut within one before it is masked. */
  get longest(): number {
    return this.#secrets.longest
  }

  /** Replaces every known credential in a text by `***`. */
  text(whole: string): string {
    const { within } = this.#secrets
    return within === undefined ? whole : whole.replace(within, MASKED)
  }

  /** Replaces each path segment that contains a credential by `***`, and a credential that contains slashes. */
  path(sent: string): string {
    if (!this.#mayHold(sent)) return sent
    const masked = this.text(sent.replace(/[^/]+/g, segment => (this.holds(segment) ? MASKED : segment)))
    // It may be partly encoded, with a slash as it is.
    return this.holds(masked) ? `/${MASKED}` : masked
  }

  /** Replaces each query value that contains a credential, or is in the place of one, by `***`. */
  query(sent: string): string {
    if (!this.#mayHold(sent)) return sent
    const masked = sent.replace(/[^&]+/g, pair => {
      const at = pair.indexOf('=')
      const name = at === -1 ? pair : pair.slice(0, at)
      if (at !== -1 && (this.#secrets.parameters.has(decodeQuery(name) ?? name) || this.holds(pair.slice(at + 1)))) {
        return `${this.holds(name) ? MASKED : name}=${MASKED}`
      }
      if (this.holds(name)) return MASKED + pair.slice(name.length)
      // A credential may contain `=`, as Base64 does.
      return this.holds(pair) ? MASKED : pair
    })
    return this.text(masked)
  }

  /** Returns a header's value; one that carries a credential becomes `***`, after its scheme: `Bearer ***`. */
  header(name: string, value: string): string {
    if (!isSecretName(name, 'header') && !this.#secrets.headers.has(name)) return this.text(value)
    const [scheme = ''] = name.endsWith('authorization') ? value.split(' ', 1) : []
    return AUTH_SCHEMES.has(scheme.toLowerCase()) && scheme.length < value.length ? `${scheme} ${MASKED}` : MASKED
  }

  /** Returns whether a text contains a known credential. */
  holds(part: string): boolean {
    const decoded = decodeQuery(part) ?? part
    return this.#secrets.whole.has(decoded) || this.text(decoded) !== decoded
  }

  /** Returns whether a path or a query may contain a credential. Most contain none, and each request asks. */
  #mayHold(sent: string): boolean {
    const { suspect, short } = this.#secrets
    return short || suspect.test(sent)
  }

  get #secrets(): Known {
    const secrets = this.#blocks.secrets.map(({ value }) => value)
    this.#known ??= gather(this.#consumers, this.#schemes, secrets)
    return this.#known
  }
}

interface Known {
  /** Query parameters that carry a credential. */
  readonly parameters: ReadonlySet<string>
  /** Headers that carry a credential, by lower-case name. */
  readonly headers: ReadonlySet<string>
  readonly whole: ReadonlySet<string>
  /** Whether one of them is too short to be searched inside a text. */
  readonly short: boolean
  readonly within: RegExp | undefined
  /** Finds a credential longer than that, a parameter that carries one, and escapes, in which either may be hidden. */
  readonly suspect: RegExp
  readonly longest: number
}

function gather(
  consumers: SimulationFile['consumers'],
  schemes: Contract['securitySchemes'],
  passwords: readonly string[],
): Known {
  const parameters = new Set<string>()
  const headers = new Set<string>()
  for (const place of schemes.values()) {
    if (place.in === 'query') parameters.add(place.name)
    if (place.in === 'header') headers.add(place.name)
  }
  const credentials = credentialsIn(consumers).map(({ value }) => value)
  const whole = new Set([...credentials, ...passwords].flatMap(spellingsOf))
  const long = [...whole].filter(one => one.length >= SHORTEST_WITHIN).sort((a, b) => b.length - a.length)
  const within = long.length === 0 ? undefined : new RegExp(long.map(escapeRegExp).join('|'), 'g')
  const suspect = new RegExp(['[%+]', ...long.map(escapeRegExp), ...[...parameters].map(nameInQuery)].join('|'))
  return { parameters, headers, whole, short: long.length < whole.size, within, suspect, longest: long[0]?.length ?? 0 }
}

/** Keys of a consumer that are not credentials. */
const PUBLIC = new Set(['expires', 'scopes'])

const credentialsIn = (consumers: SimulationFile['consumers'] = {}) =>
  Object.entries(consumers).flatMap(([consumer, schemes]) =>
    Object.entries(schemes as Readonly<Record<string, unknown>>).flatMap(([scheme, value]) =>
      PUBLIC.has(scheme) || typeof value !== 'string' ? [] : [{ consumer, scheme, value }],
    ),
  )

/** Returns the forms of a credential: itself, JSON-escaped, percent-encoded, Base64 as in Basic, and the password in it. */
function spellingsOf(secret: string): string[] {
  const password = secret.includes(':') ? secret.slice(secret.indexOf(':') + 1) : ''
  const all = [
    ...[secret, JSON.stringify(secret).slice(1, -1), Buffer.from(secret).toString('base64'), password],
    ...[secret, password].flatMap(encodingsOf),
  ]
  return all.filter(one => one !== '')
}

/** Returns a text as a form (`+` for a blank) and as a URL encode it, with upper-case and lower-case digits. */
function encodingsOf(text: string): string[] {
  const encoded = [
    encodeURIComponent(Buffer.from(text).toString()),
    `${new URLSearchParams([[text, '']])}`.slice(0, -1),
  ]
  return encoded.flatMap(one => [one, one.replace(/%../g, digits => digits.toLowerCase())])
}

const nameInQuery = (name: string): string => `${escapeRegExp(name)}=`

/** Returns a pattern that matches the text literally. */
const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

// The text of a configuration with its credentials taken out, and put back in: an editor shows the one, the gateway loads
// the other.

interface ConfiguredCredential {
  /** Its key; `undefined`: any. */
  readonly scheme: string | undefined
  readonly value: string
  /** The placeholder of a credential: a plain scalar of YAML. */
  readonly placeholder: string
}

/**
 * Returns the text that is being served, with its credentials. For a bare OpenAPI document: a gateway.yaml that names it.
 */
export function servedText({ simulation: { source } }: Plan): string {
  const { value, text, file } = source
  return isApiDocument(value) ? `contract: ./${basename(file)}\n` : text
}

/**
 * Returns the text with `<masked:CONSUMER.SCHEME>` in the place of every credential of the plan. A credential that the file
 * publishes, as the default of a variable that is not set, stays.
 */
export const maskText = (text: string, plan: Plan): string =>
  credentialsOf(plan).reduce(
    (masked, one) => masked.replace(placesOf(one), (_, before: string) => before + one.placeholder),
    text,
  )

/** Returns the text with the credentials of the plan in the places of their placeholders. */
export const unmaskText = (text: string, plan: Plan): string =>
  text.includes('<masked:')
    ? credentialsOf(plan).reduce((whole, { placeholder, value }) => whole.replaceAll(placeholder, () => value), text)
    : text

function placesOf({ scheme, value }: ConfiguredCredential): RegExp {
  const own = escapeRegExp(value)
  if (value.length >= SHORTEST_WITHIN) return new RegExp(`(?<![A-Za-z0-9])()${own}(?![A-Za-z0-9])`, 'g')
  const key = scheme === undefined ? '[\\w-]+' : escapeRegExp(scheme)
  return new RegExp(`((?:^|[\\s{,])["']?${key}["']?\\s*:\\s*["']?)${own}(?=["'\\s,}]|$)`, 'gm')
}

/** Longest first, so that no part of one is masked before the whole. */
const credentialsOf = ({ simulation: { file, blocks, shownKeys } }: Plan): ConfiguredCredential[] =>
  [
    ...blocks.secrets.map(({ key, value }, i) => ({
      scheme: undefined,
      value,
      placeholder: `<masked:${key}${i === 0 ? '' : `.${i + 1}`}>`,
    })),
    ...credentialsIn(file.consumers)
      .filter(({ consumer, scheme, value }) => value !== '' && shownKeys.get(`${consumer} ${scheme}`) !== value)
      .map(({ consumer, scheme, value }) => ({ scheme, value, placeholder: `<masked:${consumer}.${scheme}>` })),
  ].sort((a, b) => b.value.length - a.value.length)

// The configuration for display: as written and with defaults, credentials masked.

export function effectiveConfiguration(plan: Plan): object {
  const { file, source, seed, listen, expose, limits, worlds, journal, consumerNames } = plan.simulation
  const mask = new Mask(plan)
  const written = maskAll(file, mask) as { consumers?: Record<string, Record<string, unknown>> }
  for (const consumer of Object.values(written.consumers ?? {})) {
    for (const key of Object.keys(consumer)) if (!PUBLIC.has(key)) consumer[key] = MASKED
  }
  return {
    file: source.file,
    written,
    effective: { seed, listen: { ...listen, expose }, limits, worlds, journal, consumers: consumerNames },
  }
}

/** Returns a masked copy. A key may also be in a fixed reply or an example. */
function maskAll(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask.text(value)
  if (Array.isArray(value)) return value.map(item => maskAll(item, mask))
  if (!isObject(value)) return value
  return mapValues(value, item => maskAll(item, mask))
}
