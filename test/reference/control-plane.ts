// The reference of the control plane: its routes, as they declare themselves.

import { controlRoutes } from '../../src/http/control/index.ts'
import type { Control, Route } from '../../src/http/control/route.ts'
import { inProcess } from '../support/in-process.ts'
import { table } from './table.ts'

/** A section for each route: summary, parameters, body, replies. */
export function describeControlPlane(): string {
  const { gateway } = inProcess({
    'gateway.yaml': 'contract: { openapi: 3.1.0, info: { title: None, version: "1" }, paths: {} }',
  })
  const control = { gateway, reloader: undefined, status: {} } as unknown as Control
  return controlRoutes(control, '0').map(describeRoute).join('\n\n')
}

function describeRoute({ method, path, summary, parameters = {}, body, replies, open, underWorkers }: Route): string {
  const notes = [
    ...(open ? ['It needs no token.'] : []),
    ...(underWorkers === 'absent' ? ['It is absent with `--workers`.'] : []),
  ]
  const rows = Object.entries(parameters).map(([name, { schema, description }]) => [
    `\`${name}\``,
    path.includes(`{${name}}`) ? 'path' : 'query',
    schema.type,
    description,
  ])
  const media = ['application/json', ...(body?.texts ?? [])].map(type => `\`${type}\``).join(', ')
  return [
    `## \`${method} ${path}\``,
    [summary, ...notes].join(' '),
    ...(rows.length === 0 ? [] : [table(['parameter', 'in', 'type', 'meaning'], rows)]),
    ...(body === undefined ? [] : [`**Body** (${media}). ${body.description}`]),
    table(
      ['status', 'reply'],
      Object.entries(replies).map(([status, { description }]) => [status, description]),
    ),
  ].join('\n\n')
}
