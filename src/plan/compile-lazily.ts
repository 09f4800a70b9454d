// Compiles what is rarely used on its first use, and finds its mistakes at load.

/**
 * Compiles once at load to report mistakes, discards the result, and compiles again on first use: most weather is never
 * switched on.
 */
export function compileLazily<Made>(compile: () => Made): () => Made {
  compile()
  let made: Made | undefined
  return () => {
    made ??= compile()
    return made
  }
}
