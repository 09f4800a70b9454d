// The `upstream` block of gateway.yaml: the real API, and what may be sent to it.

import { setting } from '../../behaviours/behaviour.ts'
import type { Contract } from '../../contract/contract.ts'
import { lowerNames } from '../../kernel/http.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { Block, BlockLoad } from '../../plan/house.ts'
import { readTls } from '../../plan/settings.ts'
import type { UpstreamSettings } from './upstream.ts'

/** The `upstream` block, as it is written. */
export interface UpstreamFile {
  readonly url: string
  readonly timeout?: string
  readonly methods?: readonly string[]
  readonly send?: readonly string[]
  readonly set?: Readonly<Record<string, string | number>>
  readonly rewrite?: boolean
  readonly tls?: { readonly ca?: string; readonly key?: string; readonly cert?: string }
}

/** Names of header fields (RFC 9110 §5.1). */
const FIELD = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"

const schema = setting.block(
  'The real API, for `respond: { forward: {} }`, `shadow` and resources with `base: upstream`.',
  {
    url: setting.text('Its URL, with the base path of its operations: `https://staging.example.com/v1`.'),
    timeout: setting.duration(
      'The time for a connection, then for the beginning of a reply, then for each further piece. Default: 10s.',
    ),
    methods: setting.list(
      { enum: ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY', 'TRACE'] },
      'The methods that are sent to it; from other worlds than the default one those that change nothing. Default: [GET, HEAD].',
    ),
    send: setting.list(
      { type: 'string', pattern: FIELD },
      'The header fields of a request that are sent on, besides those about its body, and the API keys in its query; `["*"]` sends all. Default: [accept, accept-encoding, accept-language, if-match, if-none-match, if-modified-since, if-unmodified-since, range].',
    ),
    set: setting.named('Header fields of every request to it: `{ x-api-key: "${STAGING_KEY}" }`.', {
      type: ['string', 'number'],
    } as never),
    rewrite: setting.flag(
      'Whether its addresses in `Location`, `Content-Location`, `Link` and cookies become ours. Default: true.',
    ),
    tls: setting.block('How it is reached over https.', {
      ca: setting.text('The file of its authorities (PEM). Default: those of Node.'),
      key: setting.text('The file of the private key of a client certificate (PEM).'),
      cert: setting.text('The file of the client certificate that it asks for, and its intermediates (PEM).'),
    }),
  },
  { required: ['url'] },
)

const SENT =
  'accept accept-encoding accept-language if-match if-none-match if-modified-since if-unmodified-since range'.split(' ')
/** The fields that are always sent with a body. */
const OF_THE_BODY = ['content-type', 'content-encoding', 'content-language', 'content-length']

/** Reads the block. Notes the files that it names. */
function readUpstream(written: UpstreamFile, load: BlockLoad): UpstreamSettings | undefined {
  const { url, timeout = '10s', methods = ['GET', 'HEAD'], send = SENT, set = {}, rewrite = true, tls } = written
  const { source, file, home, report } = load
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  const { protocol = '', search = '', hash = '', username = '' } = parsed ?? {}
  const isOther = !/^https?:$/.test(protocol) && 'be a URL with http or https'
  const isLong = search + hash !== '' && 'have no query and no fragment'
  const rule = isOther || isLong || (username !== '' && 'have no credentials: send them with "set"')
  if (rule)
    report.error(
      'invalid-value',
      `"url" must ${rule}`,
      source.locate(['upstream', 'url']),
      'write https://staging.example.com/v1',
    )
  for (const [name, value] of Object.entries(set)) {
    const isName = new RegExp(FIELD).test(name)
    if (isName && !/[^\t\x20-\x7e]/.test(String(value))) continue
    const wrong = isName ? 'has a character that no header field can have' : 'is not a name of a header field'
    report.error('invalid-value', `"${name}" ${wrong}`, source.locate(['upstream', 'set', name]))
  }
  const { settings: secure, files } = readTls(tls, { block: 'upstream', source, file, home, report })
  load.note(...files)
  if (parsed === undefined) return undefined
  return {
    origin: parsed.origin,
    path: parsed.pathname.replace(/\/+$/, ''),
    timeout: Math.max(1, parseDuration(timeout) as number),
    methods: new Set<string>(methods),
    send: new Set([...send, ...OF_THE_BODY].map(name => name.toLowerCase())),
    withheld: new Set<string>(),
    set: lowerNames(set),
    ca: secure?.ca,
    pair: secure?.pair,
    rewrite,
    world: load.settings.worlds?.default ?? 'default',
  }
}

/** Returns the settings for a contract: its API keys in the query are withheld unless `send` names them. */
function withholdKeys(settings: UpstreamSettings, { securitySchemes }: Contract): UpstreamSettings {
  const { send } = settings
  const withheld = new Set<string>()
  for (const scheme of securitySchemes.values()) {
    if (scheme.in === 'query' && !send.has('*') && !send.has(scheme.name.toLowerCase())) withheld.add(scheme.name)
  }
  return { ...settings, withheld }
}

/** Header fields that never have a credential. */
const PUBLIC_HEADER = /^(?:accept.*|content-.*|user-agent|prefer|origin|referer|x-(?:request|correlation)-id)$/i

/** Whether a header that a configuration sets has no credential. */
const isPublicHeader = (name: string): boolean => PUBLIC_HEADER.test(name)

/** The values of fields that are sent to the real API and may be credentials. */
const upstreamSecrets = (file: UpstreamFile | undefined): readonly string[] =>
  Object.entries(file?.set ?? {}).flatMap(([name, value]) => (isPublicHeader(name) ? [] : [String(value)]))

/** The top-level key `upstream`. */
export const upstreamBlock: Block<UpstreamFile, UpstreamSettings | undefined> = {
  key: 'upstream',
  // Requests with their credentials would go to an address that a visitor of the control plane chose.
  fixed: 'allow-upstream',
  schema,
  read(written, load) {
    const upstream = written && readUpstream(written, load)
    return upstream && load.contract && withholdKeys(upstream, load.contract)
  },
  secrets: upstreamSecrets,
}
