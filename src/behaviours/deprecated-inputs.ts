// Parameters and fields that the contract deprecates: records who still sends them, and warns clients if configured.

import { cookieValues, type Parameter, splitQuery } from '../contract/document/parameters.ts'
import { deprecatedFields } from '../contract/schema/field.ts'
import type { Behaviour, Exchange } from './behaviour.ts'
import { writable } from './exchange.ts'
import { setting } from './setting.ts'

interface DeprecatedInputsConfig {
  readonly warn?: boolean
}

/** A deprecated input, with its name in metrics and warnings. */
interface Input {
  readonly label: string
  isIn(exchange: Exchange): boolean
}

export const deprecatedInputs: Behaviour<DeprecatedInputsConfig> = {
  name: 'deprecatedInputs',
  schema: setting.block(
    'Counts, by consumer, the use of parameters and body fields that the contract marks `deprecated`; null counts nothing.',
    {
      warn: setting.flag('Whether replies to requests that use one carry an `Understudy-Warning`. Default: false.'),
    },
  ),
  compile(config, { operation }) {
    const fields = [...(operation.body?.content.values() ?? [])].flatMap(({ schema }) =>
      schema === undefined ? [] : deprecatedFields(schema),
    )
    const labels = new Set<string>()
    const inputs: Input[] = [
      ...operation.parameters.filter(one => one.deprecated).map(parameterInput),
      ...fields.map(({ label, isIn }) => ({ label: `body ${label}`, isIn: ({ body }: Exchange) => isIn(body) })),
    ].filter(({ label }) => !labels.has(label) && labels.add(label))
    if (inputs.length === 0) return undefined
    const warn = config?.warn === true
    return next => async exchange => {
      const reply = await next(exchange)
      // The body has been read now. Inputs of requests that were refused before are not counted.
      const used = inputs.filter(input => input.isIn(exchange)).map(({ label }) => label)
      if (used.length === 0) return reply
      writable(exchange, 'deprecatedInputs').deprecatedInputs = used
      if (warn) exchange.warn(`deprecated: ${used.join(', ')}`)
      return reply
    }
  },
}

function parameterInput({ name, in: place }: Parameter): Input {
  const label = `${place} ${name}`
  if (place === 'query') return { label, isIn: ({ request }) => splitQuery(request.query).has(name) }
  if (place === 'path') return { label, isIn: () => true }
  if (place === 'header') {
    const field = name.toLowerCase()
    return { label, isIn: ({ request }) => request.headers[field] !== undefined }
  }
  const values = ({ request }: Exchange) => cookieValues(request.headers.cookie as string | undefined, name)
  return { label, isIn: exchange => values(exchange).length > 0 }
}
