// The route of a resource: the schema and the settings for a form of its records.

import { suggest } from '../../kernel/diagnostic.ts'
import { describeStatesOf } from '../../plan/describe.ts'
import { json, problem } from './replies.ts'
import type { Control, ControlRoute } from './route.ts'
import { list, object, replyWith, words } from './schemas.ts'

const resourceSchema = object(
  {
    name: words,
    idField: words,
    ids: { enum: ['integer', 'text'] },
    assigned: { enum: ['sequence', 'uuid', 'generate', 'client'], description: 'How a new record gets its id.' },
    references: {
      type: 'object',
      additionalProperties: words,
      description: 'Fields that hold ids of other resources, and which.',
    },
    states: object({
      field: words,
      from: {
        type: 'object',
        additionalProperties: list(object({ to: words, after: {} }, 'after')),
        description: 'By state: those that may follow it, and after how long they do by themselves.',
      },
    }),
    schema: { type: ['object', 'boolean'], description: 'JSON Schema 2020-12, with all that it refers to.' },
  },
  'states',
)

export const resourceRoutes = ({ gateway }: Control): ControlRoute[] => [
  {
    method: 'GET',
    path: '/resources/{resource}',
    operation: 'getResource',
    underWorkers: 'absent',
    summary: 'A resource: the schema of its records, and how they get their ids.',
    parameters: { resource: { schema: { type: 'string' }, description: 'Its name.' } },
    replies: { 200: replyWith('The resource.', resourceSchema), 404: { description: 'The resource does not exist.' } },
    answer: ({ parameters }) => {
      const { plan } = gateway
      const name = parameters.resource as string
      const resource = plan.collections.get(name)?.resource
      if (resource === undefined) {
        const hint = suggest(name, plan.collections.keys())
        return problem(404, 'not_found', `there is no resource ${name}${hint === undefined ? '' : `; ${hint}`}`)
      }
      const { idField, ids, assign, references, schema } = resource
      const states = describeStatesOf(name, plan)
      return json({
        ...{ name, idField, ids, assigned: assign },
        references: Object.fromEntries([...references].map(([field, { to }]) => [field, to])),
        ...(states === undefined ? {} : { states }),
        schema: schema.selfContained,
      })
    },
  },
]
