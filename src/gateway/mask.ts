// Masks credentials in texts: those of the consumers, and values in the places where the contract expects one.

import type { Contract } from '../contract/contract.ts'
import { decodeQuery } from '../contract/document/parameters.ts'
import type { Plan } from '../plan/plan.ts'
import { passwordsOf } from '../plan/settings.ts'
import type { SimulationFile } from '../plan/simulation-file.ts'

const MASKED = '***'
const CREDENTIALS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie'])
/** A shorter credential is masked only as a whole word; otherwise every `a` would be. */
const SHORTEST_WITHIN = 4

export class Mask {
  readonly #consumers: SimulationFile['consumers']
  readonly #schemes: Contract['securitySchemes']
  readonly #state: SimulationFile['state']
  // Made on first use: most journals are never read.
  #known: Known | undefined

  constructor({ contract, simulation }: Plan) {
    this.#consumers = simulation.file.consumers
    this.#schemes = contract.securitySchemes
    this.#state = simulation.file.state
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

  /** Returns a header's value; one that carries a credential becomes `***`. */
  header(name: string, value: string): string {
    return CREDENTIALS.has(name) || this.#secrets.headers.has(name) ? MASKED : this.text(value)
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
    this.#known ??= gather(this.#consumers ?? {}, this.#schemes, passwordsOf(this.#state))
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
  consumers: NonNullable<SimulationFile['consumers']>,
  schemes: Contract['securitySchemes'],
  passwords: readonly string[],
): Known {
  const parameters = new Set<string>()
  const headers = new Set<string>()
  for (const place of schemes.values()) {
    if (place.in === 'query') parameters.add(place.name)
    if (place.in === 'header') headers.add(place.name)
  }
  const credentials = Object.values(consumers).flatMap(({ expires: _, scopes: __, ...own }) =>
    Object.values(own as Readonly<Record<string, string>>),
  )
  const whole = new Set([...credentials, ...passwords].flatMap(spellingsOf))
  const long = [...whole].filter(one => one.length >= SHORTEST_WITHIN).sort((a, b) => b.length - a.length)
  const within = long.length === 0 ? undefined : new RegExp(long.map(escapeRegExp).join('|'), 'g')
  const suspect = new RegExp(['[%+]', ...long.map(escapeRegExp), ...[...parameters].map(nameInQuery)].join('|'))
  return { parameters, headers, whole, short: long.length < whole.size, within, suspect, longest: long[0]?.length ?? 0 }
}

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
export const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
