// The number of cases of a property.

/** Whether this is `npm run test:all`, which tries every property with all of its cases. */
export const EVERYTHING = process.env.TEST_ALL === '1'

/** A tenth of the cases, or all of them in `npm run test:all`. For `fc.assert(property, { numRuns: cases(100) })`. */
export const cases = (all: number): number => (EVERYTHING ? all : Math.ceil(all / 10))

/** A size that shows the behaviour, or in `npm run test:all` one that once took minutes or all memory. */
export const size = (quick: number, all: number): number => (EVERYTHING ? all : quick)
