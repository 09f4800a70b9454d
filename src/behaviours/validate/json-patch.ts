// The form of a JSON Patch (RFC 6902 §4), which many contracts describe as an object or not at all.

import { isObject, type Json, parsePointer } from '../../kernel/json.ts'
import type { BrokenRule } from '../../kernel/problem.ts'

/** Operations that a patch may have. */
const MOST = 1000
const WITH_VALUE: ReadonlySet<unknown> = new Set(['add', 'replace', 'test'])
const WITH_SOURCE: ReadonlySet<unknown> = new Set(['move', 'copy'])

/** Returns the broken rules of a patch; none for one that can be applied. */
export function checkPatch(value: Json): readonly BrokenRule[] {
  if (!Array.isArray(value)) return [rule('', 'type', 'must be a list of operations (RFC 6902)')]
  if (value.length > MOST) return [rule('', 'maxItems', `must have at most ${MOST} operations`)]
  return value.flatMap((one: Json, i): BrokenRule[] => {
    if (!isObject(one)) return [rule(`/${i}`, 'type', 'must be an object')]
    const { op, path, from } = one
    const named = WITH_VALUE.has(op) || WITH_SOURCE.has(op) || op === 'remove'
    return [
      ...(named ? [] : [rule(`/${i}/op`, 'enum', 'must be add, remove, replace, move, copy or test')]),
      ...(isPointer(path) ? [] : [rule(`/${i}/path`, 'format', 'must be a JSON Pointer')]),
      ...(WITH_SOURCE.has(op) && !isPointer(from) ? [rule(`/${i}/from`, 'format', 'must be a JSON Pointer')] : []),
      ...(WITH_VALUE.has(op) && !Object.hasOwn(one, 'value') ? [rule(`/${i}/value`, 'required', 'is required')] : []),
    ]
  })
}

const isPointer = (value: unknown): boolean => typeof value === 'string' && parsePointer(value) !== undefined

const rule = (path: string, name: string, message: string): BrokenRule => ({ in: 'body', path, rule: name, message })
