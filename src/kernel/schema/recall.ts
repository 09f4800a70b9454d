// Bounds the work on one value. Alternatives that refer back to the same schema, such as And and Or with a list of either, make
// a validator judge each value twice as often as its parent. Once a value has cost more than usual, verdicts are remembered.

import { _, type ErrorObject, type KeywordCxt } from 'ajv'
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js'
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js'
import names from 'ajv/dist/compile/names.js'
import { callValidateCode } from 'ajv/dist/vocabularies/code.js'
import { exceeds } from '../json.ts'
import { getOrMake } from '../memo.ts'

/** The references that a validator follows before verdicts are remembered: at least, and for each value in the whole. */
export const FIRST_CALLS = 1000
const CALLS_PER_VALUE = 8

/** The mistakes that remembered verdicts repeat. Later ones repeat one mistake each, since lists of them would double, too. */
const MOST_REPEATED = 1000

type Evaluated = NonNullable<ValidateFunction['evaluated']>
type DataPlace = NonNullable<Parameters<ValidateFunction>[1]>

interface RememberedVerdict {
  readonly isValid: boolean
  readonly errors: readonly ErrorObject[]
  readonly evaluated: Pick<Evaluated, 'props' | 'items'> | undefined
  /** The place of the value: an alias in YAML puts the same object in several. */
  readonly parent: unknown
  readonly step: string | number
}

type VerdictsByValue = Map<object, RememberedVerdict>

/** The `this` of a validator, as far as it is needed here. */
interface Context {
  /** The references that may still be followed; generated code counts down. */
  calls: number
  verdicts: Verdicts | undefined
}

/** The verdicts on the objects and lists in one value, kept once the work is out of proportion to it. */
export class Verdicts {
  #byValidator: Map<ValidateFunction, VerdictsByValue> | undefined = undefined
  #allowed = FIRST_CALLS
  #repeated = 0

  /** Judges a value, or repeats the verdict on it. What a validator leaves in its `errors` and `evaluated` is there, too. */
  judge(context: Context, validate: ValidateFunction, value: unknown, at: DataPlace): boolean {
    const byValidator = this.#kept(context, at.rootData)
    if (byValidator === undefined || typeof value !== 'object' || value === null)
      return validate.call(context, value, at)
    const verdicts = getOrMake(byValidator, validate, () => new Map())
    const verdict = verdicts.get(value)
    if (verdict !== undefined && verdict.parent === at.parentData && verdict.step === at.parentDataProperty) {
      validate.errors = this.#repeat(verdict.errors)
      if (verdict.evaluated !== undefined) Object.assign(validate.evaluated as Evaluated, copyOf(verdict.evaluated))
      return verdict.isValid
    }
    const isValid = validate.call(context, value, at)
    const { errors, evaluated } = validate
    // Copies are kept: the calling validator changes the lists and objects that it gets.
    verdicts.set(value, {
      isValid,
      errors: errors?.slice() ?? NO_ERRORS,
      evaluated: evaluated?.dynamicProps || evaluated?.dynamicItems ? copyOf(evaluated) : undefined,
      parent: at.parentData,
      step: at.parentDataProperty,
    })
    return isValid
  }

  /**
   * Returns the verdicts that are kept; `undefined` while few references were followed for the values in `whole`. Then as many
   * again are allowed, so that counting the values costs little.
   */
  #kept(context: Context, whole: unknown): Map<ValidateFunction, VerdictsByValue> | undefined {
    if (this.#byValidator !== undefined) return this.#byValidator
    if (exceeds(whole, this.#allowed / CALLS_PER_VALUE)) {
      context.calls = this.#allowed
      this.#allowed *= 2
      return undefined
    }
    this.#byValidator = new Map()
    return this.#byValidator
  }

  #repeat(errors: readonly ErrorObject[]): ErrorObject[] | null {
    if (errors.length === 0) return null
    this.#repeated += errors.length
    return errors.slice(0, this.#repeated > MOST_REPEATED ? 1 : errors.length)
  }
}

const NO_ERRORS: readonly ErrorObject[] = []

const copyOf = ({ props, items }: Pick<Evaluated, 'props' | 'items'>) => ({
  props: typeof props === 'object' ? { ...props } : props,
  items,
})

/** Returns a function that takes the place of a validator that is called often. */
function recallOf(target: SchemaEnv) {
  return function recall(this: Context, value: unknown, at: DataPlace): boolean {
    this.verdicts ??= new Verdicts()
    return this.verdicts.judge(this, target.validate as ValidateFunction, value, at)
  }
}

/** Makes each reference count its calls, and remember its verdicts once there are too many. */
export function rememberVerdicts(ajv: Ajv2020): void {
  const rule = ajv.RULES.all.$ref
  if (typeof rule !== 'object' || !('code' in rule.definition)) return
  const { definition } = rule
  const code = definition.code as (cxt: KeywordCxt) => void
  const recalls = new WeakMap<SchemaEnv, ReturnType<typeof recallOf>>()
  definition.code = (cxt: KeywordCxt) => {
    const { gen, it, schema, result } = cxt
    const target = resolveRef.call(it.self, it.schemaEnv.root, it.baseId, schema as string)
    // A small schema is not called; its code is copied.
    if (target instanceof SchemaEnv) {
      const recall = gen.scopeValue('validate', { ref: getOrMake(recalls, target, () => recallOf(target)) })
      const context = names.default.this
      // Two calls, not one of either function: V8 inlines a call of only one.
      cxt.result = (call, ...actions) => {
        const either = _`--${context}.calls > 0 ? ${call} : ${callValidateCode(cxt, recall, context)}`
        result.call(cxt, either, ...actions)
      }
    }
    code(cxt)
  }
}
