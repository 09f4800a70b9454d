// Loads a part of the program when it is first needed, so that a start pays neither time nor memory for it.

/** Returns a function that makes a thing at its first call and keeps it. A failure is not kept: the next call tries again. */
export function atFirstUse<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let making: Promise<Made> | undefined
  return () => {
    making ??= make().catch(error => {
      making = undefined
      throw error
    })
    return making
  }
}
