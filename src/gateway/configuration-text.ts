// The text of a configuration with its credentials taken out, and put back in: an editor shows the one, the gateway loads
// the other.

import { basename } from 'node:path'
import { isObject } from '../kernel/value/json.ts'
import type { Plan } from '../plan/plan.ts'
import { passwordsOf } from '../plan/settings.ts'
import { escapeRegExp, Mask } from './mask.ts'

/** Keys of a consumer that are not credentials. */
const PUBLIC = new Set(['expires', 'scopes'])
/** A shorter credential is masked only where it is the value of its key. */
const SHORTEST_WITHIN = 4

interface ConfiguredCredential {
  readonly scheme: string
  readonly value: string
  /** The placeholder of a credential: a plain scalar of YAML. */
  readonly placeholder: string
}

/**
 * Returns the text that is being served, with its credentials. For a bare OpenAPI document: a gateway.yaml that names it.
 */
export function servedText({ simulation: { source } }: Plan): string {
  const { value, text, file } = source
  const bare = isObject(value) && ('openapi' in value || 'swagger' in value)
  return bare ? `contract: ./${basename(file)}\n` : text
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
  return new RegExp(`((?:^|[\\s{,])["']?${escapeRegExp(scheme)}["']?\\s*:\\s*["']?)${own}(?=["'\\s,}]|$)`, 'gm')
}

/** Longest first, so that no part of one is masked before the whole. */
const credentialsOf = ({ simulation: { file, shownKeys } }: Plan): ConfiguredCredential[] =>
  [
    ...passwordsOf(file.state).map(value => ({ scheme: 'redis', value, placeholder: '<masked:redis>' })),
    ...Object.entries(file.consumers ?? {}).flatMap(([consumer, schemes]) =>
      Object.entries(schemes as Readonly<Record<string, unknown>>).flatMap(([scheme, value]): ConfiguredCredential[] =>
        PUBLIC.has(scheme) ||
        typeof value !== 'string' ||
        value === '' ||
        shownKeys.get(`${consumer} ${scheme}`) === value
          ? []
          : [{ scheme, value, placeholder: `<masked:${consumer}.${scheme}>` }],
      ),
    ),
  ].sort((a, b) => b.value.length - a.value.length)

// The configuration for display: as written and with defaults, credentials masked.

const MASKED = '***'
/** Keys of a consumer that are not credentials. */
const NOT_CREDENTIALS = new Set(['expires', 'scopes'])

export function effectiveConfiguration(plan: Plan): object {
  const { file, source, seed, listen, expose, limits, worlds, journal, consumerNames } = plan.simulation
  const mask = new Mask(plan)
  const written = maskAll(file, mask) as { consumers?: Record<string, Record<string, unknown>> }
  for (const consumer of Object.values(written.consumers ?? {})) {
    for (const key of Object.keys(consumer)) if (!NOT_CREDENTIALS.has(key)) consumer[key] = MASKED
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
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, maskAll(item, mask)]))
}
