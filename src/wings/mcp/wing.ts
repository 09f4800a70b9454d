// The control plane for agents: the Model Context Protocol at `/mcp` and by `understudy mcp`.

import type { Wing } from '../../cli/command.ts'
import { mcp as command } from './command.ts'

export const mcp: Wing = {
  name: 'mcp',
  page: {
    // Unlike a page, it needs the token.
    owns: () => false,
    serve: async (ctx, next) => (ctx.path === '/mcp' ? (await import('./endpoint.ts')).answer(ctx) : next()),
  },
  commands: { mcp: command },
}
