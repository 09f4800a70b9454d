// The search over operations: every word must be found in the method, the path, the name, a tag or the summary.

import type { MeasuredOperation } from '../model/shapes.ts'

export function matches(
  {
    method,
    path,
    operation,
    tags,
    summary = '',
  }: Omit<MeasuredOperation, 'phase' | 'deprecated' | 'chain' | 'measured'>,
  search: string,
): boolean {
  const text = [method, path, operation, ...tags, summary].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every(word => text.includes(word))
}
