// `understudy mcp`: the protocol over standard input and output, for agents that start a program.

import { CONTROL, type Command, isUrl, mustBe } from '../../cli/command.ts'

export const mcp: Command = {
  about: 'let an agent control a running gateway, by the Model Context Protocol on standard input and output',
  options: {
    control: {
      takes: 'URL',
      variable: 'UNDERSTUDY_CONTROL',
      about: `control plane of a running gateway (default: ${CONTROL})`,
      fault: mustBe('a URL', isUrl),
    },
  },
  async run({ values }, { environment, complain, stopped }) {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio')
    const { compileServer, sendTo } = await import('./server.ts')
    const origin = (values.control ?? CONTROL).replace(/\/+$/, '')
    const { UNDERSTUDY_CONTROL_TOKEN: token } = environment
    try {
      const makeServer = await compileServer(sendTo(origin, token ? `Bearer ${token}` : undefined))
      const connection = serveStdio(makeServer)
      await stopped(stop => process.stdin.once('end', stop))
      await connection.close()
      return 0
    } catch (error) {
      const { cause, message } = error as Error
      const why = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : message
      complain(
        `understudy: ${origin} cannot be asked (${why}); start \`understudy serve\`, or name its control plane with --control\n`,
      )
      return 1
    }
  },
}
