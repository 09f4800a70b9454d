// Common names of the properties around a page, by their meaning. The type must match too: a `page` that is an object is
// not a page number.

import type { Field } from '../../contract/answer/field.ts'
import { plainName } from '../../kernel/plain-name.ts'

const NUMBERS: readonly (readonly [string, RegExp])[] = [
  [
    'total',
    /^(?:total|total(?:count|items|results|elements|records|size)|(?:items?|records?|result)(?:total|count)|found)$/,
  ],
  ['count', /^(?:count|numberofelements|length|returned|(?:page|current)count)$/],
  ['pages', /^(?:pages|totalpages|pagestotal|(?:num|numberof)pages|pages?count|lastpage)$/],
  ['number', /^(?:page|currentpage|pagenumber|pageno|number|pageindex)$/],
  ['limit', /^(?:limit|perpage|pagesize|size|pagelimit|maxresults|maxitems|take|top)$/],
  ['offset', /^(?:offset|skip|start|startindex|from)$/],
]
const SWITCHES: readonly (readonly [string, RegExp])[] = [
  ['more', /^(?:hasmore|more|hasnext|hasnextpage|moreavailable|istruncated|truncated)$/],
  ['before', /^(?:hasprev|hasprevious|hasprevpage|haspreviouspage)$/],
  ['isFirst', /^(?:first|isfirst|firstpage|isfirstpage)$/],
  ['isLast', /^(?:last|islast|lastpage|islastpage)$/],
  ['isEmpty', /^(?:empty|isempty)$/],
]
const TEXTS: readonly (readonly [string, RegExp])[] = [
  ['cursor', /^(?:nextcursor|cursor|nextpagetoken|nexttoken|nextpagecursor|continuationtoken|endcursor|nextmarker)$/],
  ['next', /^(?:next|nextpage|nexturl|nextlink|nexturi|nextpageur[il]|nexthref)$/],
  ['prev', /^(?:prev|previous|prevpage|previouspage|prevurl|previousurl|previouslink|prevlink|previouspageur[il])$/],
  ['first', /^(?:first|firsturl|firstlink|firstpageur[il])$/],
  ['last', /^(?:last|lasturl|lastlink|lastpageur[il])$/],
  ['self', /^(?:self|selflink|selfurl|selfuri)$/],
  ['path', /^(?:url|uri|href)$/],
]

/** Names beside which a `count` is that of all pages. */
const PAGED = /^(?:next|previous|prev|nextpage|hasmore|results)$/

/**
 * Returns the placeholder for a property around a page; `undefined` if its name or type is ambiguous.
 * @param path the list's path, to find out whether the schema accepts paths or whole URLs
 */
export function pageField(field: Field, siblings: readonly string[], path: string): string | undefined {
  const word = plainName(field.name)
  const of = (words: readonly (readonly [string, RegExp])[]) => words.find(([, names]) => names.test(word))?.[0]
  if (field.types.length === 7) return undefined
  if (field.types.includes('integer') || field.types.includes('number')) {
    const known = of(NUMBERS)
    const others = siblings.map(plainName)
    const all = known === 'count' && others.some(one => PAGED.test(one)) && !others.some(one => /^total/.test(one))
    if (known === 'pages' && !field.allows(0)) return 'page.pagesOrOne'
    return known && `page.${all ? 'total' : known}`
  }
  if (field.types.includes('boolean')) {
    const known = of(SWITCHES)
    return known && `page.${known}`
  }
  const known = field.types.includes('string') ? of(TEXTS) : undefined
  if (known === undefined) return undefined
  // Without a next page, a text that cannot be null is empty; a link that cannot be empty is that of the page itself.
  const end = field.types.includes('null') ? '' : field.allows('') ? 'OrEmpty' : 'OrSelf'
  if (known === 'cursor') return end === 'OrSelf' ? undefined : `page.cursor${end}`
  const form = field.allows(path) ? '' : field.allows(`http://127.0.0.1${path}`) ? 'Whole' : undefined
  if (form === undefined) return undefined
  return known === 'self' || known === 'path' ? `page.${known}${form}` : `page.${known}${end}${form}`
}
