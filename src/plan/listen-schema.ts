// The schemas of `listen` and `limits`: addresses, ports, and limits of requests.

import { corsSchema } from './cors.ts'
import { tlsSchema } from './tls.ts'

const port = { type: 'integer', minimum: 0, maximum: 65535 }

export const listenSchema = {
  type: 'object',
  description: 'Addresses and ports.',
  additionalProperties: false,
  properties: {
    host: { type: 'string', description: 'The address of the API. Default: 127.0.0.1.' },
    port: { ...port, description: 'The port of the API; 0 picks a free one. Default: 4010.' },
    control: { ...port, description: 'The port of the control plane; 0 picks a free one. Default: 4011.' },
    controlHost: {
      type: 'string',
      description:
        'The address of the control plane. An address beyond loopback needs UNDERSTUDY_CONTROL_TOKEN. Default: 127.0.0.1.',
    },
    expose: {
      type: 'array',
      items: { enum: ['metrics', 'healthz', 'readyz'] },
      description:
        'The paths of the control plane that the API port serves too, unless the contract has the path. Default: [metrics, healthz].',
    },
    clientControls: {
      type: 'boolean',
      description:
        'Whether requests may control the gateway with `Understudy-*` headers and with a world in the path. Default: true.',
    },
    cors: corsSchema,
    tls: tlsSchema,
    drain: {
      type: 'string',
      format: 'duration',
      description:
        'The time after SIGTERM in which requests are still served, while /readyz answers 503. Default: 250ms.',
    },
    basePath: {
      type: 'string',
      format: 'path',
      description: 'The path below which the API is served. Default: the paths of the servers of the contract.',
    },
  },
} as const

export const limitsSchema = {
  type: 'object',
  description: 'Limits for each request and connection.',
  additionalProperties: false,
  properties: {
    body: {
      type: 'string',
      format: 'size',
      description: 'The maximum size of a body, decompressed. Default: 1MB.',
    },
    headers: {
      type: 'string',
      format: 'size',
      description: 'The maximum size of the request line and the headers together. Default: 16kB.',
    },
    request: {
      type: 'string',
      format: 'duration',
      description: 'The maximum time for a request to arrive, and for its reply to be received. Default: 30s.',
    },
    idle: {
      type: 'string',
      format: 'duration',
      description: 'The time for which an idle connection is kept. Default: 10s.',
    },
  },
} as const
