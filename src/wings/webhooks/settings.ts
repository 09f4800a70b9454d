// The blocks `webhooks` and `deliveries` of gateway.yaml.

import { setting } from '../../behaviours/behaviour.ts'
import { compileExpression } from '../../behaviours/expressions.ts'
import type { Contract, MediaType, Operation } from '../../contract/contract.ts'
import { placeOf } from '../../contract/documents.ts'
import type { SchemaUse } from '../../contract/schema/schema-book.ts'
import { Language } from '../../expression/language.ts'
import type { Expression, Scope } from '../../expression/scope.ts'
import { compileFilling, type ReportMistake, type Template, type TextSpan } from '../../expression/template.ts'
import { suggest } from '../../kernel/diagnostic.ts'
import { type Path, placeWithin } from '../../kernel/file/source.ts'
import type { Headers } from '../../kernel/http.ts'
import { lowerNames } from '../../kernel/http.ts'
import { type Json, memberAt } from '../../kernel/json.ts'
import { parseDuration } from '../../kernel/units.ts'
import type { Block, BlockLoad } from '../../plan/house.ts'
import { timestamp } from '../../world/dates.ts'
import { type Documented, documentedIn, mediaOf, operationOf } from './documented.ts'
import { checkFates } from './fates.ts'
import { Hosts } from './hosts.ts'
import { SCHEMES, SINGLE, type Signing } from './sign.ts'

// --- as written --------------------------------------------------------------------------------------------------------

const KINDS = ['create', 'update', 'delete', 'operation', 'rule'] as const
type Kind = (typeof KINDS)[number]

type TriggerFile = { readonly [kind in Kind]?: string } & { readonly when?: string }

interface WebhookFile {
  readonly on?: TriggerFile | readonly TriggerFile[]
  readonly to?: string
  readonly schema?: string
  readonly body?: Json
  readonly headers?: Readonly<Record<string, string | number>>
  readonly sign?: Signing
  readonly retry?: { readonly attempts?: number; readonly first?: string; readonly factor?: number }
}

const trigger = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    create: setting.text('A resource: when a record of it is created.'),
    update: setting.text('A resource: when a record of it is changed, by a request or by the clock.'),
    delete: setting.text('A resource: when a record of it is deleted.'),
    operation: setting.text('An operationId: when it has answered with a success.'),
    rule: setting.text('A rule by its place, `operations/createOrder/rules/0`: when it has applied.'),
    when: setting.some(
      'A condition in CEL about the record `before` and `after`; for `operation` and `rule` about `request`, too.',
    ),
  },
}

const webhook = setting.block(
  'A webhook or a callback of the contract, or one with a `schema` or a `body` of its own.',
  {
    on: {
      ...trigger,
      type: ['object', 'array'],
      items: trigger,
      description: 'What it tells of, or a list of that. Default: the operation of a callback.',
    } as never,
    to: setting.some(
      'A URL; or a resource whose records are subscriptions, with a `url`, and `events`, `secret` and `active` where they have them. Default: the URL of a callback.',
    ),
    schema: setting.some('The schema of the body, a component, where the contract does not have the webhook.'),
    body: setting.json(
      'The body, with `${…}` about `before`, `after` and `event.id`, `event.type`, `event.time`. Default: a value of the schema with the fields of the record.',
    ),
    headers: setting.named('Further header fields.', { type: ['string', 'number'] } as never),
    sign: setting.block('How it is signed, with the real time.', {
      scheme: setting.choice(SCHEMES, 'The form: that of Standard Webhooks, GitHub, Stripe or Slack.'),
      secret: {
        type: ['string', 'array'],
        minLength: 1,
        minItems: 1,
        items: { type: 'string', minLength: 1 },
        description: 'The secret, or a new and an old one. The `secret` of a subscription takes its place.',
      } as never,
      headers: setting.named(
        'In place of `scheme`: header fields with `${hex}` or `${base64}`, the HMAC-SHA256 of `content`, and with `${timestamp}` and `${id}`.',
        { type: 'string' } as never,
      ),
      content: setting.some('The signed text, with `${body}`, `${timestamp}` and `${id}`. Default: `${body}`.'),
    }),
    retry: setting.block("When a delivery that failed is attempted again, by the world's clock.", {
      attempts: setting.integer('The number of attempts, the first one included. Default: 3.', 1, 1000),
      first: setting.duration('The time from the first attempt to the second. Default: 5s.'),
      factor: {
        type: 'number',
        minimum: 1,
        maximum: 1000,
        description: 'How many times as long each further one takes. Default: 3.',
      } as never,
    }),
  },
)

// --- as checked --------------------------------------------------------------------------------------------------------

export interface Trigger {
  readonly kind: Kind
  /** The name of a resource, of an operation, or of a rule. */
  readonly name: string
  readonly when: Expression | undefined
}

/** The data of a template. */
export interface Filling {
  readonly scope?: Scope
  readonly event?: { readonly id: string; readonly type: string; readonly time: string }
}

export interface Webhook {
  readonly name: string
  readonly triggers: readonly Trigger[]
  /** The URL, with the expressions of the contract for a callback; or the resource of subscriptions. */
  readonly to: { readonly url: string; readonly filled: boolean } | { readonly resource: string }
  /** The operation of the contract. */
  readonly operation: Operation | undefined
  /** The media type of the body. */
  readonly type: string
  readonly media: MediaType
  readonly body: Template<Filling> | undefined
  readonly headers: Headers
  readonly signing: Signing | undefined
  readonly secrets: readonly string[]
  /** Milliseconds from the attempt of a number, the first one is 1, to the next one; `undefined`: there is none. */
  waitAfter(attempt: number): number | undefined
}

const JSON_TYPE = 'application/json'
const PLAIN: MediaType = { schema: undefined, examples: [] }
/** The event of a template that is checked at load. */
const SOME_EVENT = { id: 'evt_00000000-0000-4000-8000-000000000000', time: timestamp(0) }
/** Expressions about a change. */
const language = new Language(undefined, [], true)

class WebhookReading {
  readonly #load: BlockLoad
  readonly #path: Path
  readonly #name: string
  readonly #file: WebhookFile
  readonly #contract: Contract

  constructor(name: string, file: WebhookFile, load: BlockLoad, contract: Contract) {
    this.#load = load
    this.#path = ['webhooks', name]
    this.#name = name
    this.#file = file
    this.#contract = contract
  }

  #error(code: string, message: string, path: Path = [], hint?: string, part: 'key' | 'value' = 'value'): undefined {
    const { report, source } = this.#load
    report.error(code, message, source.locate([...this.#path, ...path], part), hint)
    return undefined
  }

  readonly #mistake: ReportMistake<'key' | TextSpan> = (code, message, path, hint, part) => {
    const { report, source } = this.#load
    const place = source.locate(path, part === 'key' ? 'key' : 'value')
    report.error(code, message, part === 'key' ? place : placeWithin(place, part.start, part.end), hint)
  }

  read(): Webhook | undefined {
    const documented = this.#documented()
    const triggers = this.#triggers(documented)
    const to = this.#target(documented)
    const form = this.#form(documented)
    const secrets = this.#secrets(to)
    const { attempts = 3, first = '5s', factor = 3 } = this.#file.retry ?? {}
    const wait = parseDuration(first) as number
    if (to === undefined || form === undefined) return undefined
    return {
      name: this.#name,
      triggers,
      to,
      ...form,
      headers: lowerNames(this.#file.headers ?? {}),
      signing: this.#file.sign,
      secrets,
      waitAfter: attempt => (attempt < attempts ? Math.round(wait * factor ** (attempt - 1)) : undefined),
    }
  }

  #documented(): Documented | undefined {
    const all = documentedIn(this.#contract)
    const [only, other] = all.get(this.#name) ?? []
    if (other !== undefined) {
      const names = [...all].filter(([name, list]) => name.endsWith(`.${this.#name}`) && list.length === 1)
      const hint =
        names.length === 0 ? 'give one of them another name' : `write ${names.map(([name]) => name).join(' or ')}`
      return this.#error('ambiguous-webhook', `the contract has several webhooks "${this.#name}"`, [], hint, 'key')
    }
    const { schema, body } = this.#file
    if (only !== undefined || schema !== undefined || body !== undefined) return only
    const hint = suggest(this.#name, all.keys())
    const remedy = hint?.startsWith('did') ? hint : 'add schema: with a component of the contract, or a body'
    return this.#error('unknown-webhook', `the contract has no webhook "${this.#name}"`, [], remedy, 'key')
  }

  #triggers(documented: Documented | undefined): readonly Trigger[] {
    const { on } = this.#file
    const { callback } = documented ?? {}
    if (on === undefined)
      return callback === undefined ? [] : [{ kind: 'operation', name: callback.operation, when: undefined }]
    const isList = Array.isArray(on)
    return ([on].flat() as TriggerFile[]).flatMap((file, i) => this.#trigger(file, isList ? ['on', i] : ['on']))
  }

  #trigger(file: TriggerFile, path: Path): readonly Trigger[] {
    const kinds = KINDS.filter(kind => file[kind] !== undefined)
    const [kind, other] = kinds
    if (kind === undefined || other !== undefined) {
      const message =
        kind === undefined ? '"on" must say what it is about' : `"${kind}" and "${other}" exclude each other`
      this.#error('invalid-value', message, path, 'write { update: orders }, or a list of these')
      return []
    }
    const name = file[kind] as string
    if (kind === 'rule') this.#checkRule(name, [...path, kind])
    else this.#checkName(kind, name, [...path, kind])
    const when = file.when === undefined ? undefined : this.#condition(file.when, [...path, 'when'])
    return [{ kind, name, when }]
  }

  #checkName(kind: Kind, name: string, path: Path): void {
    const isOperation = kind === 'operation'
    const names = isOperation
      ? this.#contract.operations.map(({ id }) => id)
      : Object.keys(this.#load.settings.resources ?? {})
    if (names.includes(name)) return
    const what = isOperation ? 'operation' : 'resource'
    this.#error(`unknown-${what}`, `there is no ${what} "${name}"`, path, suggest(name, names))
  }

  #checkRule(name: string, path: Path): void {
    const [, block = '', at = ''] = /^(.*)\/rules\/(\d+)$/.exec(name) ?? []
    const [kind = '', ...rest] = block.split('/')
    const steps = kind === 'defaults' ? [kind] : [kind, rest.join('/')]
    if (memberAt(this.#load.settings, [...steps, 'rules', Number(at)]) !== undefined) return
    this.#error(
      'unknown-rule',
      `there is no rule "${name}"`,
      path,
      'write its place, such as operations/createOrder/rules/0',
    )
  }

  #condition(text: string, path: Path): Expression | undefined {
    const at = [...this.#path, ...path]
    return compileExpression(language, { contract: this.#contract }, 'bool', text, at, 0, this.#mistake)
  }

  #target(documented: Documented | undefined): Webhook['to'] | undefined {
    const { to } = this.#file
    const { callback } = documented ?? {}
    const { settings } = this.#load
    if (to === undefined) {
      if (callback !== undefined) return { url: callback.url, filled: true }
      return this.#error(
        'missing-key',
        '"to" is missing',
        [],
        'write a URL, or the resource of the subscriptions',
        'key',
      )
    }
    if (settings.resources !== undefined && Object.hasOwn(settings.resources, to)) return { resource: to }
    if (!/^[a-z][a-z0-9+.-]*:/i.test(to)) {
      const hint =
        suggest(to, Object.keys(settings.resources ?? {})) ?? 'write a URL such as http://localhost:3000/hooks'
      return this.#error('unknown-resource', `"${to}" is neither a URL nor a resource`, ['to'], hint)
    }
    const fault = urlFault(to, hostsIn(settings))
    if (fault !== undefined) return this.#error('invalid-url', `"to" ${fault[0]}`, ['to'], fault[1])
    return { url: to, filled: false }
  }

  #form(documented: Documented | undefined): Pick<Webhook, 'operation' | 'type' | 'media' | 'body'> | undefined {
    const { schema: named } = this.#file
    const operation = documented && operationOf(documented, this.#contract)
    const schema = named === undefined ? undefined : this.#contract.schemas.get(named)
    if (named !== undefined && schema === undefined) {
      const hint = suggest(named, this.#contract.schemas.keys())
      return this.#error('unknown-schema', `the contract has no schema "${named}"`, ['schema'], hint)
    }
    const own: MediaType = schema === undefined ? PLAIN : { schema, examples: [] }
    const [type, media] = (named === undefined && operation && mediaOf(operation, this.#contract)) || [JSON_TYPE, own]
    return { operation, type, media, body: this.#body(media.schema) }
  }

  #body(schema: SchemaUse | undefined): Template<Filling> | undefined {
    const { body } = this.#file
    if (body === undefined) return undefined
    const path = [...this.#path, 'body']
    const template = compileFilling<Filling>(body, path, this.#mistake, {
      known: ['event.id', 'event.type', 'event.time'],
      field: name => {
        const [, member] = /^event\.(id|type|time)$/.exec(name) ?? []
        return member === undefined ? undefined : ({ event }) => event?.[member as 'id']
      },
      compile: (text, at, start) =>
        compileExpression(language, { contract: this.#contract }, 'any', text, at, start, this.#mistake),
    })
    const holes = template.holes.map(hole => `/${hole.path.join('/')}`)
    for (const { pointer, message } of schema?.check(
      template.fill({ event: { ...SOME_EVENT, type: this.#name } }) as Json,
    ) ?? []) {
      // The value of an expression is known at the event.
      if (holes.some(hole => pointer === hole || pointer.startsWith(`${hole}/`))) continue
      this.#error('invalid-body', `${pointer || 'the body'} ${message}`, ['body', ...pointer.split('/').slice(1)])
    }
    return template
  }

  #secrets(to: Webhook['to'] | undefined): readonly string[] {
    const { sign } = this.#file
    if (sign === undefined) return []
    const { scheme, secret, headers } = sign
    const secrets = [secret ?? []].flat() as string[]
    if ((scheme === undefined) === (headers === undefined))
      this.#error(
        'invalid-value',
        '"sign" must have either "scheme" or "headers"',
        ['sign'],
        'write { scheme: standard, secret: … }',
      )
    if (secrets.length === 0 && to !== undefined && !('resource' in to))
      this.#error('missing-secret', '"sign" has no secret', ['sign'], 'write secret: "${WEBHOOK_SECRET}"')
    if (scheme === 'standard' && secrets.some(one => !isStandard(one)))
      this.#error('invalid-secret', 'a secret of Standard Webhooks must be whsec_ and Base64 of 24 to 64 bytes', [
        'sign',
        'secret',
      ])
    if (secrets.length > 1 && SINGLE.has(scheme)) {
      const { report, source } = this.#load
      const message = `a signature of ${scheme ?? 'headers'} is made with one secret: the first`
      report.warning(
        'ignored-secret',
        message,
        source.locate([...this.#path, 'sign', 'secret']),
        'write the one that receivers check',
      )
    }
    return secrets
  }
}

/** Whether a secret has the form of Standard Webhooks. */
export const isStandard = (secret: string): boolean => {
  const text = secret.replace(/^whsec_/, '')
  return /^[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)
}

/** Returns what is wrong with a URL that is delivered to, with a remedy; `undefined` if nothing is. */
export function urlFault(text: string, hosts: Hosts): readonly [fault: string, hint: string] | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    return ['must be a URL with http or https', 'write http://localhost:3000/hooks']
  if (url.username !== '' || url.password !== '') return ['must have no credentials', 'sign it instead, with "sign"']
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (hosts.excludes(host))
    return [
      `names ${host}, which is not in "hosts" of deliveries`,
      `write deliveries: { hosts: [localhost, "${host}"] }`,
    ]
  return undefined
}

/** Warns once of what a contract has and nothing delivers. A contract of a world has the settings of the file. */
function warnOfUnsent(contract: Contract, { report, isFitted }: BlockLoad): void {
  const documented = isFitted ? [] : [...documentedIn(contract)]
  const kinds = ['callbacks', 'webhooks'].filter((_, i) =>
    documented.some(([, list]) => list.some(({ callback }) => (callback === undefined) === (i === 1))),
  )
  const [[name, [first]] = ['', []]] = documented
  if (first === undefined) return
  const message = `the ${kinds.join(' and ')} of this contract are not sent`
  report.warning('unsent-request', message, placeOf(first.node, 'key'), `write webhooks: { ${name}: { … } }`)
}

export const webhooksBlock: Block<Readonly<Record<string, WebhookFile>>, ReadonlyMap<string, Webhook>> = {
  key: 'webhooks',
  schema: setting.named('Webhooks that are delivered, by name. Nothing is sent without this block.', webhook as never),
  read(file, load) {
    const { contract } = load
    const written = file ?? {}
    if (contract === undefined) return new Map()
    if (file === undefined) warnOfUnsent(contract, load)
    checkFates(load, Object.keys(written), name => suggest(name, Object.keys(written)) ?? 'name one of webhooks')
    return new Map(
      Object.entries(written).flatMap(([name, settings]) => {
        const read = new WebhookReading(name, settings, load, contract).read()
        return read === undefined ? [] : [[name, read] as const]
      }),
    )
  },
  secrets: (written = {}) =>
    Object.values(written).flatMap(({ sign }) => (sign?.secret ?? []) as string | readonly string[]),
}

// --- deliveries --------------------------------------------------------------------------------------------------------

interface DeliveriesFile {
  readonly hosts?: readonly string[]
  readonly timeout?: string
}

export interface DeliverySettings {
  readonly hosts: Hosts
  /** Milliseconds. */
  readonly timeout: number
}

const HOSTS = ['localhost']

const hostsIn = (settings: object): Hosts =>
  new Hosts((settings as { readonly deliveries?: DeliveriesFile }).deliveries?.hosts ?? HOSTS)

export const deliveriesBlock: Block<DeliveriesFile, DeliverySettings> = {
  key: 'deliveries',
  schema: setting.block('Where webhooks may be sent, and how long a receiver may take.', {
    hosts: setting.list(
      { type: 'string' },
      '`localhost` and wildcards such as `*.test` must resolve to loopback, other names to loopback or a private address; a network such as `10.0.0.0/8` admits its addresses. Link-local addresses and those of metadata are never admitted. Default: [localhost].',
    ),
    timeout: setting.duration('The time for the whole of one attempt. Default: 5s.'),
  }),
  // A visitor of the control plane could have requests sent into the network.
  fixed: 'allow-upstream',
  read({ hosts = HOSTS, timeout = '5s' } = {}, { report, source }) {
    const unknown = (item: string, i: number) =>
      report.error(
        'invalid-value',
        `"${item}" is neither a host nor a network`,
        source.locate(['deliveries', 'hosts', i]),
        'write localhost, app, "*.test" or 10.0.0.0/8, without a port',
      )
    return { hosts: new Hosts(hosts, unknown), timeout: Math.max(1, parseDuration(timeout) as number) }
  },
}
