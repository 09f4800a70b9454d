// `also`: the effects of a write on records of other resources. They happen in one step with the write: all of it, or nothing. An
// effect starts no operation.

import type { ConfigOf, Exchange, Handler, SettingOf, Site } from '../../behaviours/behaviour.ts'
import { setting } from '../../behaviours/behaviour.ts'
import type { Effects } from '../../behaviours/exchange.ts'
import { compileExpression } from '../../behaviours/expressions.ts'
import { asId, checkRecord, isId, type Resource } from '../../behaviours/resource.ts'
import { isUnshown, ownerField, type RespondConfig } from '../../behaviours/respond/config.ts'
import { compileDeletionAtOnce } from '../../behaviours/respond/deletion.ts'
import {
  type Conflict,
  compileConflict,
  compileKey,
  compileWithin,
  refuseTransition,
  reportField,
  resourceOf,
} from '../../behaviours/respond/key.ts'
import { compileMaker, keepOwners } from '../../behaviours/respond/record.ts'
import type { Responder } from '../../behaviours/responder.ts'
import { fieldNode, type Operation } from '../../contract/contract.ts'
import type { Node } from '../../contract/documents.ts'
import type { Language } from '../../expression/language.ts'
import { toExpression } from '../../expression/scope.ts'
import { compileFilling } from '../../expression/template.ts'
import type { Path } from '../../kernel/file/source.ts'
import type { BrokenRule, Reply } from '../../kernel/http.ts'
import { Decimal, type Json, type JsonObject, parseJson, parsePointer, put } from '../../kernel/json.ts'
import { DOUBTFUL } from '../../kernel/remedies.ts'
import type { Entry, Id } from '../../world/records/types.ts'
import { fieldIn, idIn, withField, withId } from '../../world/records/values.ts'

const effect = setting.block('An effect of the write on a record of another resource.', {
  update: setting.text('The resource in which to change a record.'),
  create: setting.text('The resource to add a record to.'),
  delete: setting.text('The resource from which to delete a record.'),
  id: {
    type: ['string', 'integer'],
    description: 'With `update` or `delete`: the id of the record: `"${record.orderId}"`.',
  } as SettingOf<Id>,
  set: {
    type: 'object',
    description:
      'With `create` or `update`: the fields that are set. `${record.…}` has the fields of the written record.',
  } as SettingOf<Readonly<Record<string, Json>>>,
  add: {
    type: 'object',
    description: 'With `update`: the numbers that are added to fields: `{ paid: "${record.amount}" }`.',
  } as SettingOf<Readonly<Record<string, Json>>>,
  missing: setting.choice(
    ['refuse', 'skip'],
    'With `update` or `delete`: whether the request is refused with 409, or the effect left out, if there is no such record. Default: refuse.',
  ),
})
type EffectConfig = ConfigOf<typeof effect>

const also = setting.list(
  effect,
  'With an action that writes a record: its effects on other records. All of it happens, or nothing.',
)

/** A `respond` block with effects. */
interface AlsoConfig extends RespondConfig {
  readonly also?: readonly EffectConfig[]
}

const WRITES = ['create', 'replace', 'update', 'delete'] as const

/** Stands around the write of a record. */
export const effects: Responder<AlsoConfig> = {
  kind: 'also',
  keys: { also },
  // The write that it stands around changes them.
  changes: false,
  around: {
    written: 'also: [{ update: orders, id: "${record.orderId}", set: { status: paid } }]',
    only: true,
    applies: ({ also }) => also !== undefined,
  },
  compile(config, site, inner) {
    const kind = WRITES.find(name => config[name] !== undefined)
    if (kind === undefined) {
      const hint = `use it with ${WRITES.map(name => `"${name}"`).join(', ')}`
      site.error('idle-key', '"also" has no effect without a write of a record', ['also'], hint, 'key')
      return undefined
    }
    const handler = inner()
    const resource = site.resources.get(config[kind] ?? '')
    const compiled = resource && compileEffects(config, resource, site)
    return compiled === undefined || handler === undefined ? handler : around(handler, compiled)
  },
  describe: ({ also = [] }, inner) => [inner, ...also.map(describeEffect)].join(', '),
}

/** Answers a request with the refusal of its effects. */
const around =
  (handler: Handler, compiled: Effects): Handler =>
  exchange => {
    exchange.effects = compiled
    return handler(exchange).catch(error => {
      if (error instanceof RefusedEffect) return error.reply
      throw error
    })
  }

/** Undoes a step whose effect is not possible. */
class RefusedEffect extends Error {
  override readonly name = 'RefusedEffect'
  readonly reply: Reply

  constructor(reply: Reply) {
    super('an effect is not possible')
    this.reply = reply
  }
}

const KINDS = ['update', 'create', 'delete'] as const
type Kind = (typeof KINDS)[number]

/** The keys of an effect that its other kinds do not have. */
const KEYS: Readonly<Record<Kind, readonly (keyof EffectConfig)[]>> = {
  update: ['id', 'set', 'add', 'missing'],
  create: ['set'],
  delete: ['id', 'missing'],
}

const kindOf = (effect: EffectConfig): Kind | undefined => KINDS.find(kind => effect[kind] !== undefined)

const describeEffect = (effect: EffectConfig): string => {
  const kind = kindOf(effect)
  return kind === undefined ? '' : `${kind} ${effect[kind]}`
}

/** An effect of the record in the scope of an exchange. Returns its description; throws a `RefusedEffect`. */
type Effect = (exchange: Exchange) => string

/** How many effects of a request are named in the journal. */
const MOST_NOTES = 10

/** Compiles the effects of an action; `undefined` if it has none. */
function compileEffects(config: AlsoConfig, resource: Resource, site: Site): Effects | undefined {
  const { also = [] } = config
  const effects = also.flatMap((effect, i) => compileEffect(effect, ['also', i], { config, resource, site }) ?? [])
  if (effects.length === 0) return undefined
  const { name, source } = resource
  const isOwn = also.some(effect => effect.update === name)
  const doEach = (exchange: Exchange, record: JsonObject): string[] => {
    site.expressions.scope(exchange).written = toExpression(record)
    return effects.map(effect => effect(exchange))
  }
  const note = (exchange: Exchange, done: readonly string[]) => {
    for (const text of done.slice(0, MOST_NOTES)) exchange.note(`also: ${text}`)
    if (done.length > MOST_NOTES) exchange.note(`also: ${done.length - MOST_NOTES} more`)
  }
  return {
    step: (exchange, removed) => write => {
      const { world } = exchange
      const { entry, done } = world.atOnce(() => {
        const row = write()
        const { value } = removed ?? source?.changed(row) ?? row
        const done = doEach(exchange, value)
        return { entry: (isOwn && world.collection(name).peek(row.id)) || row, done }
      })
      note(exchange, done)
      return entry
    },
    doAll(exchange, parts) {
      try {
        note(
          exchange,
          exchange.world.atOnce(() => parts.flatMap(part => doEach(part, (part.entry as Entry).value))),
        )
        return undefined
      } catch (error) {
        if (error instanceof RefusedEffect) return error.reply
        throw error
      }
    },
  }
}

/** The action that has an effect. */
interface Ground {
  readonly config: AlsoConfig
  readonly resource: Resource
  readonly site: Site
}

/** Returns `undefined` after reporting mistakes of which nothing can be made. */
function compileEffect(effect: EffectConfig, at: Path, ground: Ground): Effect | undefined {
  const { site, resource } = ground
  const kind = kindOf(effect)
  const other = KINDS.findLast(name => effect[name] !== undefined)
  if (kind === undefined || other === undefined || other !== kind) {
    const message = other === undefined ? 'this effect has no kind' : `${kind} and ${other} exclude each other`
    site.error('invalid-effect', message, at, 'write one of: update, create, delete', 'key')
    return undefined
  }
  for (const key of ['id', 'set', 'add', 'missing'] as const) {
    if (effect[key] === undefined || KEYS[kind].includes(key)) continue
    site.error('idle-key', `"${key}" has no effect beside "${kind}"`, [...at, key], 'remove it', 'key')
  }
  const target = resourceOf(effect[kind], [...at, kind], site)
  if (target === undefined) return undefined
  if (target.source !== undefined) {
    const message = `an effect cannot change ${target.name}, whose records are those of ${target.source.owner}`
    site.error('invalid-effect', message, [...at, kind], 'name a resource without "base"')
    return undefined
  }
  const language = site.expressions.ofEffects(resource.schema.node)
  reportMisfits(effect, at, { target, resource, site })
  const around: Around = { effect, at, target, place: compilePlace(target, [...at, kind], ground), site, language }
  if (kind === 'create') return compileCreation(around)
  if (effect.id === undefined) {
    site.error('missing-key', '"id" is missing', at, `write the id of a record of ${target.name}`, 'key')
    return undefined
  }
  return kind === 'update' ? compileUpdate(around) : compileRemoval(around)
}

const REFERENCE = /^\$\{\s*record\.(\w+)\s*\}$/

/** Reports fields that are set to a field of the written record which has other types: of numbers, an expression has no type. */
function reportMisfits(
  { set = {} }: EffectConfig,
  at: Path,
  { target, resource, site }: Omit<Ground, 'config'> & { readonly target: Resource },
): void {
  const typesOf = (node: Node): readonly string[] =>
    [...site.contract.use(node).types]
      .map(type => (type === 'integer' ? 'number' : type))
      .filter(type => type !== 'null')
  for (const [field, value] of Object.entries(set)) {
    const [, name = ''] = REFERENCE.exec(String(value)) ?? []
    const [to, from] = [target, resource].map(({ schema }, i) =>
      schema.shape.properties.get([field, name][i] as string),
    )
    if (to === undefined || from === undefined) continue
    const [allowed, given] = [typesOf(to), typesOf(from)]
    if (given.some(type => allowed.includes(type))) continue
    const message = `/${field} of ${target.name} cannot be a ${given.join(' or ')}`
    site.error('invalid-effect', message, [...at, 'set', field], `write a value of type ${allowed.join(' or ')}`)
  }
}

/** An effect with the resource that it changes. */
interface Around {
  readonly effect: EffectConfig
  readonly at: Path
  readonly target: Resource
  readonly place: ReturnType<typeof compilePlace>
  readonly site: Site
  readonly language: Language
}

/**
 * Compiles the place of the records of an effect. A record has the owners in the path that it has fields for: one of another owner
 * counts as missing.
 */
function compilePlace(target: Resource, at: Path, { config, resource, site }: Ground) {
  const quiet = { ...site, error: () => {}, warn: () => {} }
  const within = compileWithin(config, resource, quiet)
  const shared = (within?.owners ?? []).flatMap(({ field, parameter, ownerOf }) => {
    const fields = [field, ownerField({ parameter }, target)]
    const own = fields.find(name =>
      isUnshown(name)
        ? target.unshown.includes(name)
        : fieldNode(target.schema.shape, name, site.contract) !== undefined,
    )
    return own === undefined ? [] : [{ field: own, ownerOf }]
  })
  const key = compileKey(target, new Map(shared.map(({ field, ownerOf }) => [field, ownerOf])), site, at)
  const isOwned = (exchange: Exchange, record: JsonObject) =>
    shared.every(({ field, ownerOf }) => {
      const owner = fieldIn(field, record)
      return (owner === undefined && isUnshown(field)) || String(owner) === String(ownerOf(exchange))
    })
  return {
    /** Returns a record of the owners in the path. */
    find(exchange: Exchange, id: Id): Entry | undefined {
      const collection = exchange.world.collection(target.name)
      for (const name of key === undefined ? [id] : key.all.map(keyOf => keyOf(exchange, id))) {
        const entry = collection.find(name)
        if (entry !== undefined) return isOwned(exchange, entry.value) ? entry : undefined
      }
      return undefined
    },
    /** Returns a record with the owners in the path that it does not name. */
    own: (exchange: Exchange, record: JsonObject): JsonObject =>
      shared.reduce(
        (owned, { field, ownerOf }) =>
          fieldIn(field, owned) === undefined ? withField(field, ownerOf(exchange), owned) : owned,
        record,
      ),
  }
}

const refused = (conflict: Conflict, detail: string) => new RefusedEffect(conflict(detail))

const sentence = (broken: readonly BrokenRule[]): string =>
  broken.map(({ path, message }) => `${path} ${message}`).join('; ')

/** Finds the record of an effect: its entry, or a description of its absence. */
function compileFind({ effect, at, target, place, site, language }: Around, conflict: Conflict) {
  const idOf = compileValue(effect.id as Json, [...at, 'id'], language, site).make
  return (exchange: Exchange): Entry | string => {
    const value = idOf(exchange)
    const id = isId(value) ? asId(value, target.ids) : undefined
    const entry = id === undefined ? undefined : place.find(exchange, id)
    if (entry !== undefined) return entry
    const detail =
      id === undefined ? `${effect.id} names no record of ${target.name}` : `there is no record ${id} in ${target.name}`
    if (effect.missing !== 'skip') throw refused(conflict, detail)
    return `${detail}, so the ${kindOf(effect)} was left out`
  }
}

/** Throws unless each reference of a record names one. */
function checkReferences({ references, name }: Resource, record: JsonObject, exchange: Exchange, conflict: Conflict) {
  for (const [field, { to }] of references) {
    for (const id of isUnshown(field) ? [] : [record[field] ?? []].flat()) {
      if (isId(id) && exchange.world.collection(to).find(id) !== undefined) continue
      throw refused(conflict, `a record of ${name} refers to ${String(id)} by /${field}, which is no record of ${to}`)
    }
  }
}

function compileUpdate(around: Around): Effect {
  const { effect, at, target, site } = around
  const { name, idField } = target
  if (effect.set === undefined && effect.add === undefined) {
    site.error('invalid-effect', 'this update changes nothing', at, 'write "set" or "add"', 'key')
  }
  refuseId(around, true)
  const conflict = compileConflict(site.operation)
  const find = compileFind(around, conflict)
  const additions = compileAdditions(around, conflict)
  const maker = compileEffectMaker(around, 'update')
  return exchange => {
    const entry = find(exchange)
    if (typeof entry === 'string') return entry
    const id = idIn(idField, entry.value) as Id
    const added = { ...entry.value, ...additions(exchange, entry.value) }
    const fields = keepOwners(target, maker.compose(added, maker.partOf(exchange), entry.value), entry.value)
    const record = withId(idField, id, fields)
    const broken = checkRecord(target, record)
    if (broken !== undefined)
      throw refused(conflict, `the record ${id} of ${name} would be invalid: ${sentence(broken)}`)
    const refusal = refuseTransition(target, entry.value, record, conflict)
    if (refusal !== undefined) throw new RefusedEffect(refusal)
    checkReferences(target, record, exchange, conflict)
    exchange.world.collection(name).replaceAtOnce(entry.id, record)
    return `update ${name} ${id}`
  }
}

/** Reports an effect that sets an id which it cannot set. */
function refuseId({ effect, at, target, site }: Around, isChange: boolean): void {
  const isServers = isChange || target.assign !== 'client'
  if (!isServers || effect.set?.[target.idField] === undefined) return
  const message = `an effect cannot set the id of ${target.name}`
  site.error('invalid-effect', message, [...at, 'set', target.idField], 'remove it', 'key')
}

/** A value that an effect writes, with the type that is known at load. */
interface EffectValue {
  readonly type: string
  /** Returns `undefined` if an expression fails for this request. */
  make(exchange: Exchange): Json | undefined
}

function compileValue(value: Json, at: Path, language: Language, site: Site): EffectValue {
  const { contract, error } = site
  const template = compileFilling<Exchange>(value, at, error, {
    failing: 'omit',
    compile: (text, path, start) =>
      compileExpression(language, { contract }, 'any', text, path, start, (code, ...mistake) =>
        error(DOUBTFUL.has(code) ? code : 'unknown-expression', ...mistake),
      ),
  })
  const [hole] = template.holes
  const type = hole === undefined ? typeof value : hole.alone ? hole.expression.type : 'string'
  return { type, make: template.fill as EffectValue['make'] }
}

const NUMBERS = new Set(['int', 'double', 'dyn', 'number', 'bigint'])

/** Compiles the fields with the sums of their values and those that are added to them. */
function compileAdditions({ effect, at, target, site, language }: Around, conflict: Conflict) {
  const sums: (readonly [field: string, value: EffectValue])[] = []
  for (const [field, written] of Object.entries(effect.add ?? {})) {
    const place = [...at, 'add', field]
    const node = target.schema.shape.properties.get(field)
    if (node === undefined) {
      reportField(target, field, place, site)
      continue
    }
    const { types } = site.contract.use(node)
    if (!types.has('integer') && !types.has('number')) {
      site.error('invalid-effect', `/${field} of ${target.name} is not a number`, place, 'use "set"', 'key')
    }
    const value =
      written instanceof Decimal
        ? { type: 'number', make: () => written }
        : compileValue(written, place, language, site)
    if (!NUMBERS.has(value.type)) {
      site.error('invalid-effect', 'this value is not a number', place, 'write a number, or an expression: ${…}')
    }
    sums.push([field, value])
  }
  return (exchange: Exchange, record: JsonObject): JsonObject => {
    const out: Record<string, Json> = {}
    for (const [field, { make }] of sums) {
      const [old, more] = [record[field] ?? 0, make(exchange)]
      if (!isNumber(more)) throw refused(conflict, `the value to add to /${field} of ${target.name} is not a number`)
      if (!isNumber(old)) throw refused(conflict, `/${field} of the record of ${target.name} is not a number`)
      put(out, field, sumOf(old, more))
    }
    return out
  }
}

/** Returns the exact sum of two numbers in JSON. */
function sumOf(a: number | bigint | Decimal, b: number | bigint | Decimal): Json {
  const [first, second] = [a, b].map(value => /^(-?\d+)(?:\.(\d+))?$/.exec(String(value)))
  if (!first || !second) return Number(a) + Number(b)
  const scale = Math.max(...[first, second].map(([, , fraction = '']) => fraction.length))
  const total = [first, second]
    .map(([, whole = '', fraction = '']) => BigInt(whole + fraction.padEnd(scale, '0')))
    .reduce((x, y) => x + y)
  const digits = String(total < 0n ? -total : total).padStart(scale + 1, '0')
  const cut = digits.length - scale
  const decimals = digits.slice(cut).replace(/0+$/, '')
  const text = `${total < 0n ? '-' : ''}${digits.slice(0, cut)}${decimals === '' ? '' : `.${decimals}`}`
  const parsed = parseJson(text, true)
  return 'value' in parsed ? parsed.value : Number(text)
}

const isNumber = (value: Json | undefined): value is number | bigint | Decimal =>
  typeof value === 'number' || typeof value === 'bigint' || value instanceof Decimal

/** Compiles the maker of an effect's record, as that of an operation without a body. */
function compileEffectMaker({ effect, at, target, site, language }: Around, kind: 'create' | 'update') {
  const operation: Operation = { ...site.operation, body: undefined, responses: new Map() }
  const maker = compileMaker(target, effect.set === undefined ? {} : { set: effect.set }, kind, {
    ...site,
    operation,
    expressions: { ...site.expressions, ofRecords: language },
    error: (code, message, path = [], ...rest) => site.error(code, message, [...at, ...path], ...rest),
  })
  const purposeOf = (purpose: string) => `${at.join(' ')} ${purpose}`
  return {
    ...maker,
    /** Returns the exchange without its body, and with other draws. */
    partOf: (exchange: Exchange): Exchange =>
      Object.assign(Object.create(exchange), {
        body: undefined,
        draw: (purpose: string) => exchange.draw(purposeOf(purpose)),
        uuid: (purpose: string) => exchange.uuid(purposeOf(purpose)),
      }),
  }
}

const MENDED = Symbol('mended')

function compileCreation(around: Around): Effect {
  const { effect, target, place, site } = around
  const { name, idField } = target
  refuseId(around, false)
  const conflict = compileConflict(site.operation)
  const maker = compileEffectMaker(around, 'create')
  const isSet = ({ path }: BrokenRule) => Object.hasOwn(effect.set ?? {}, parsePointer(path)?.[0] ?? '')
  return exchange => {
    const part = maker.partOf(exchange)
    const fields = place.own(exchange, maker.compose({}, part))
    checkReferences(target, fields, exchange, conflict)
    let fitted = fields
    const check = (record: JsonObject) => {
      const broken = checkRecord(target, record)
      // Only the fields that the effect does not set may get other values.
      const fit = broken?.some(isSet) ? broken : maker.fit(record, part)
      if (Array.isArray(fit)) throw refused(conflict, `a new record of ${name} would be invalid: ${sentence(fit)}`)
      fitted = fit
      if (!isId(idIn(idField, record))) throw refused(conflict, `a new record of ${name} would have no id`)
      return fit === record ? undefined : MENDED
    }
    const collection = exchange.world.collection(name)
    let made = collection.createAtOnce(fields, check)
    if (made === MENDED) made = collection.createAtOnce(fitted, check)
    if (made === 'exists')
      throw refused(conflict, `the record ${String(idIn(idField, fields))} already exists in ${name}`)
    if (made === MENDED) throw refused(conflict, `no ids are left for ${name}`)
    return `create ${name} ${String(idIn(idField, made.value))}`
  }
}

function compileRemoval(around: Around): Effect {
  const { target, site } = around
  const { name, idField } = target
  const conflict = compileConflict(site.operation)
  const find = compileFind(around, conflict)
  const remove = compileDeletionAtOnce(target, site)
  return exchange => {
    const entry = find(exchange)
    if (typeof entry === 'string') return entry
    const id = idIn(idField, entry.value) as Id
    const forbidden = remove({ id, key: entry.id }, exchange.world)
    if (forbidden !== undefined) throw refused(conflict, forbidden)
    return `delete ${name} ${id}`
  }
}
