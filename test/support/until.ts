// Polls for an event that sends no notification.

import assert from 'node:assert/strict'

/** How long a test waits for an event before it fails, in milliseconds. */
const PATIENCE = 60_000

/** Resolves after this many milliseconds. */
export const pause = (milliseconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, milliseconds))

/**
 * Asks every 50 ms until there is an answer other than `undefined` and `false`, and returns it. Fails after a minute.
 *
 * @param event the event in words, for the message of the failure
 */
export async function until<Answer>(
  ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
  event: () => string = () => ask.toString(),
): Promise<Answer> {
  const end = Date.now() + PATIENCE
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > end) assert.fail(`this did not happen in ${PATIENCE / 1000} s: ${event()}`)
    await pause(50)
  }
}

/** Waits until a program has printed this. A reply over HTTP may arrive before what the program printed earlier. */
export const untilSaid = (program: { output(): string }, text: RegExp): Promise<unknown> =>
  until(
    () => text.test(program.output()),
    () => `${text} is printed, instead of: ${program.output()}`,
  )
