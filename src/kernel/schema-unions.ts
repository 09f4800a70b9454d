// Explains why a value matches no branch of a union: by the mistakes of the closest branch.

import type { KeywordCxt } from 'ajv'
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { MOST_ERRORS } from './bounded-errors.ts'
import { closestBranch, type Lookup, typesOfBranches } from './closest-branch.ts'
import { isObject } from './json.ts'
import type { ValidationContext } from './schema-keywords.ts'

/** The context for finding the branch of a union that a value is closest to. */
export interface UnionContext {
  readonly lookup: Lookup
  /** Returns the name of a reference's schema in messages. */
  nameOf(reference: string): string | undefined
  /** Compiles a single branch. */
  validatorOf(branch: object): ValidateFunction
  /** The branches that have been compiled. */
  readonly compiled: WeakMap<object, ValidateFunction>
}

/**
 * Makes a failing union report one mistake instead of those of all its branches, which may be hundreds. The mistakes of the
 * closest branch are determined afterwards.
 */
export function forgetBranches(ajv: Ajv2020, keyword: string): void {
  const rule = ajv.RULES.all[keyword]
  if (typeof rule !== 'object' || !('code' in rule.definition)) return
  const { definition } = rule
  const code = definition.code as (cxt: KeywordCxt, ruleType?: string) => void
  definition.code = (cxt, ruleType) => {
    const { result } = cxt
    cxt.result = (condition, success) =>
      result.call(cxt, condition, success, () => {
        cxt.reset()
        cxt.error()
      })
    code(cxt, ruleType)
  }
}

/** The maximum number and depth of unions that are explained per value: compiling a branch takes milliseconds. */
const MOST_UNIONS = 8
const DEEPEST_UNION = 4

/** Replaces each union's mistake by those of its closest branch, or by the types that its branches accept. */
export function explainUnions(
  errors: readonly ErrorObject[],
  unions: UnionContext,
  context: ValidationContext,
  depth = 0,
): ErrorObject[] {
  let left = MOST_UNIONS
  return withoutConsequences(errors.slice(0, MOST_ERRORS)).flatMap(error => {
    if (!isUnion(error) || depth >= DEEPEST_UNION || left-- <= 0) return [error]
    return explainUnion(error, unions, context, depth)
  })
}

const isUnion = ({ keyword }: ErrorObject): boolean => keyword === 'anyOf' || keyword === 'oneOf'

/** Drops `unevaluatedProperties` beside a union that failed: no branch matched, so every property counts as unevaluated. */
function withoutConsequences(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  if (!errors.some(({ keyword }) => UNEVALUATED.has(keyword))) return errors
  const failed = new Set(errors.filter(isUnion).map(({ instancePath }) => instancePath))
  return errors.filter(({ keyword, instancePath }) => !UNEVALUATED.has(keyword) || !failed.has(instancePath))
}

const UNEVALUATED: ReadonlySet<string> = new Set(['unevaluatedProperties', 'unevaluatedItems'])

function explainUnion(
  error: ErrorObject,
  unions: UnionContext,
  context: ValidationContext,
  depth: number,
): ErrorObject[] {
  const { keyword, parentSchema, data, instancePath, params } = error
  const branches = (parentSchema as Record<string, unknown>)[keyword] as readonly unknown[]
  const nameOf = (index: number) => nameOfBranch(branches[index], index, unions)
  const passing = params.passingSchemas as readonly number[] | null | undefined
  if (Array.isArray(passing)) return [{ ...error, params: { ...params, fitting: passing.map(nameOf) } }]
  const closest = closestBranch(branches, data, unions.lookup)
  if (closest === undefined) {
    const types = typesOfBranches(branches, unions.lookup)
    return types.length === 0 ? [error] : [{ ...error, keyword: 'type', params: { type: types } }]
  }
  const branch = branches[closest.index]
  if (!isObject(branch)) return [error]
  let validate = unions.compiled.get(branch)
  if (validate === undefined) {
    validate = unions.validatorOf(branch)
    unions.compiled.set(branch, validate)
  }
  const at = { instancePath, parentData: {}, parentDataProperty: '', rootData: data as object, dynamicAnchors: {} }
  if (validate.call(context, data, at)) return [error]
  const inside = explainUnions(validate.errors ?? [], unions, context, depth + 1)
  if (closest.candidates === 1) return inside
  const told = { ...error, params: { ...params, closest: nameOf(closest.index), count: branches.length } }
  return [told, ...inside]
}

/** Returns the component name of a branch, or its title, or its position. */
function nameOfBranch(branch: unknown, index: number, { nameOf }: UnionContext): string {
  const { $ref, title, allOf } = (isObject(branch) ? branch : {}) as Record<string, unknown>
  if (typeof title === 'string' && title !== '') return title
  const references = [
    $ref,
    ...(Array.isArray(allOf) ? allOf.map(part => (part as { $ref?: unknown } | null)?.$ref) : []),
  ]
  const names = references.flatMap(one => (typeof one === 'string' ? (nameOf(one) ?? []) : []))
  return names[0] ?? `alternative ${index + 1}`
}
