// The work that one evaluation of an expression may do: steps of loops, and the length of the texts that functions look at.

/** All loops of one evaluation together may take this many steps: some ten milliseconds. */
const MOST_STEPS = 20_000
/** So much work counts as one step. Looking at a character takes 1 to 15 ns, a step some microseconds. */
const WORK_OF_A_STEP = 256

let work = 0

// Made once: a loop such as `all` continues after a failed step, and may throw this once for each element.
const EXHAUSTED = new RangeError(`the expression takes more than ${MOST_STEPS} steps`)

/** To be called before each evaluation. */
export const resetSteps = (): void => {
  work = 0
}

/** Counts work, in characters looked at. Throws once the evaluation has done too much. */
export function spend(characters: number): void {
  work += characters
  if (work > MOST_STEPS * WORK_OF_A_STEP) throw EXHAUSTED
}

/** Counts steps of a loop, or work that takes as long. */
export const spendSteps = (steps: number): void => spend(steps * WORK_OF_A_STEP)

/** Ends the evaluation: all further work fails too. */
export const exhaust = (): void => spend(Number.POSITIVE_INFINITY)
