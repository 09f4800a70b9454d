// Work in steps: it can be done at once, or with others having their turn in between.

/** Work that stops for a moment wherever it yields. */
export type Steps<Result> = Generator<void, Result, void>

/** Does all steps at once. */
export function runThrough<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}
