// Bounds how many mistakes a compiled validator collects. Rewrites the code that ajv generates for `allErrors`: the
// result stays the same, and validation takes time and memory in proportion to the value, and not to the number of mistakes.

/** A validator describes this many mistakes of one value; further ones only count. */
export const MOST_ERRORS = 1000

/**
 * Returns validator code that stops describing after `most` mistakes. Ajv's own code describes each one and joins lists by
 * `concat`: 340 s for 200,000 broken items behind a `$ref`.
 *
 * Ajv takes `errors` (a count) for the length of `vErrors` (the list), so each place that relies on that is rewritten:
 * adding one error, adding those of another function, going back to an earlier count, and completing a keyword's errors.
 *
 * A validator leaves the number of all mistakes in its property `count`.
 *
 * @param code a validator as ajv generates it
 */
export const boundErrors = (code: string, most: number = MOST_ERRORS): string =>
  code
    .replace(ADD_ONE, `if(vErrors !== null && vErrors.length >= ${most}){errors++;}else{$&}`)
    .replace(
      ADD_ALL,
      (_, errs: string) =>
        `if(vErrors === null){vErrors = ${errs};}else if(vErrors.length < ${most}){vErrors = vErrors.concat(${errs});}errors += ${errs.replace(/\.errors$/, '.count')} ?? ${errs}.length;`,
    )
    .replace(END, '$&$1.count = errors;')
    .replace(GO_BACK, 'vErrors.length = Math.min(vErrors.length, $1);')
    .replace(COMPLETE, '$1Math.min(errors, vErrors.length)$2')

/** `const err0 = {…};if(vErrors === null){vErrors = [err0];}else {vErrors.push(err0);}errors++;` */
const ADD_ONE =
  /const (err\d+) = \{(?:(?!const err\d+ = )[\s\S])*?\};\s*if\(vErrors === null\)\{\s*vErrors = \[\1\];\s*\}\s*else \{\s*vErrors\.push\(\1\);\s*\}\s*errors\+\+;/g

/** `vErrors = vErrors === null ? f.errors : vErrors.concat(f.errors);errors = vErrors.length;` */
const ADD_ALL = /vErrors = vErrors === null \? ([\w$.]+) : vErrors\.concat\(\1\);\s*errors = vErrors\.length;/g

/** `vErrors.length = _errs0;` */
const GO_BACK = /vErrors\.length = (_errs\d+);/g

/** `for(let i0=_errs0; i0<errors; i0++)`, which looks at each new error of a keyword. */
const COMPLETE = /(for\(let i\d+=_errs\d+; i\d+<)errors(; i\d+\+\+\))/g

/** `validate0.errors = vErrors;` */
const END = /(validate\d+)\.errors = vErrors;/g
